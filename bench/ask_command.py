"""`biographer bench ask` as it is typed; what it does is in `ask`."""

from pathlib import Path

import click

from biographer.bench.options import output_option, work_option
from biographer.bench.population import WEEK_OBSERVATIONS
from biographer.bench.report import publish, say


@click.command()
@click.option("--size", type=click.IntRange(1), default=WEEK_OBSERVATIONS, show_default=True, help="Observations.")
@click.option("--questions", type=click.IntRange(1), default=30, show_default=True, help="Questions asked.")
@click.option("--rounds", type=click.IntRange(1, 5), default=3, show_default=True, help="Rounds of each.")
@work_option
@output_option
def ask(size: int, questions: int, rounds: int, work_folder: Path | None, output: Path | None) -> None:
    """Time the question loop against a model that takes no time."""
    from biographer.bench.ask import Workload, measure  # noqa: PLC0415 - a bench is imported when asked for

    publish(measure(Workload(size, questions, rounds), work_folder, say), output)

"""`biographer bench freshness` as it is typed; what it does is in `freshness`."""

from pathlib import Path

import click

from biographer.bench.brokers import Brokers, broker_of
from biographer.bench.options import broker_option, output_option
from biographer.bench.report import publish, say


@click.command()
@click.option("--video", type=click.Path(path_type=Path, dir_okay=False, exists=True), required=True, help="Any video.")
@click.option("--clips", type=click.IntRange(1), default=8, show_default=True, help="Clips recorded.")
@click.option("--clip-seconds", type=click.FloatRange(1), default=30.0, show_default=True, help="Length of a clip.")
@click.option("--cores", type=click.IntRange(1), default=2, show_default=True, help="Processors of the daemon.")
@click.option("--model-s", type=click.FloatRange(0), help="Once more, beside a model that takes so long a question.")
@broker_option
@output_option
@click.pass_obj
def freshness(
    brokers: Brokers,
    *,
    video: Path,
    clips: int,
    clip_seconds: float,
    cores: int,
    model_s: float | None,
    broker: str,
    output: Path | None,
) -> None:
    """Time how soon after its end a clip can be searched, while it is recorded."""
    from biographer.bench.freshness import Workload, measure  # noqa: PLC0415 - a bench is imported when asked for

    with broker_of(broker, brokers) as running:
        publish(measure(Workload(clips, clip_seconds, cores, model_s), video, running, {}, say), output)

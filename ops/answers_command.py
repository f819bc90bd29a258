"""`biographer bench answers`: a benchmark's questions asked of a memory; what is measured is in `bench/answers`.

It is here for it reads snapshots and state folders as the other commands do.
"""

import random
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import click

from biographer.bench.answer_questions import read_choices
from biographer.bench.answers import WITHOUT, Asked, measure
from biographer.bench.report import publish, say
from biographer.bench.text import opened_text_embedder
from biographer.daemon.answerer import answerer_of
from biographer.daemon.language import LanguageModels
from biographer.daemon.language_roles import LanguageRole
from biographer.daemon.parts import models_folder, rule_of, search_settings_of
from biographer.daemon.settings import Settings
from biographer.daemon.text_vectors import TextVectors
from biographer.ops.options import config_option, settings_of
from biographer.ops.progress import steps_of
from biographer.ops.reading import chosen_stream
from biographer.ops.search_places import ReadMemories, taken_in
from biographer.state.errors import RefusedError
from biographer.state.folder import stream_names

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
FORMS = ("egolifeqa", "egor1", "mmlifelong", "multihop", "m3")


@click.command()
@click.argument("questions", type=FILE)
@click.option("--format", "form", type=click.Choice(FORMS), required=True, help="Whose questions these are.")
@click.option("--snapshot", type=FOLDER, help="A snapshot that `biographer export` made.")
@click.option("--state", type=FOLDER, help="A state folder, instead of a snapshot.")
@click.option("--stream", help="Name of the stream; may be left out where there is only one.")
@click.option(
    "--lines", type=click.Path(path_type=Path, dir_okay=False), required=True, help="File of a line a question."
)
@click.option("--most", type=click.IntRange(1), help="Only so many questions, from the first.")
@click.option("--without", type=click.Choice(WITHOUT), multiple=True, help="Leave this out; repeatable.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="File to write the JSON to as well.")
@config_option
def answers(
    *,
    questions: Path,
    form: str,
    snapshot: Path | None,
    state: Path | None,
    stream: str | None,
    lines: Path,
    most: int | None,
    without: tuple[str, ...],
    output: Path | None,
    config: Path | None,
) -> None:
    """Ask a benchmark's questions of a memory, each cut at its time, and score answers and evidence.

    The language model of the settings answers; without one, what a single search finds is scored. Where there are no
    options, the model that plays the judge grades answers against the reference.
    """
    settings = settings_of(config)
    with _opened(settings, snapshot, state, stream) as asked:
        chosen = read_choices(questions, form, asked.recorded)[:most]
        manifest = {"format": form, "questions": questions.name, "embedder": settings.perceive.text_embedder}
        publish(measure(replace(asked, without=without), chosen, manifest, lines, say), output)


@contextmanager
def _opened(settings: Settings, snapshot: Path | None, state: Path | None, stream: str | None) -> Iterator[Asked]:
    with ExitStack() as stack:
        folder = _folder(settings, snapshot, state, stack)
        name = chosen_stream(folder, stream)
        memory = stack.enter_context(ReadMemories(folder, rule_of(settings))).memory(name)
        if memory is None:
            raise RefusedError(f"stream {name!r} is not in {folder}; it has {', '.join(stream_names(folder))}")
        texts = TextVectors(opened_text_embedder(settings.perceive.text_embedder, models_folder(settings)))
        search = search_settings_of(settings)
        # Its connections end with this process.
        models = LanguageModels(
            settings.language, clock=time.monotonic, random=random.SystemRandom().random, wall=time.time
        )
        answerer, grader = answerer_of(settings.ask, models), models.chat(LanguageRole.JUDGE)
        yield Asked(folder, name, memory.index, texts.of_question, answerer, search, grader=grader)


def _folder(settings: Settings, snapshot: Path | None, state: Path | None, stack: ExitStack) -> Path:
    if snapshot is not None and state is None:
        with steps_of() as steps:
            return stack.enter_context(taken_in(snapshot, settings, steps))
    if state is not None and snapshot is None:
        return state
    raise RefusedError("name what is asked: --snapshot or --state, one of them")

"""`biographer bench answers`: a benchmark's questions asked of a memory; what is measured is in `bench/answers`.

It is here for it reads snapshots and state folders as the other commands do.
"""

import random
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import click

from biographer.bench.answer_questions import FORMATS, digest_of, read_choices
from biographer.bench.answers import WITHOUT, Asked, measure
from biographer.bench.options import output_option
from biographer.bench.questions import MIDNIGHT_US
from biographer.bench.report import publish, say
from biographer.bench.scripted_answers import scripted
from biographer.bench.text import opened_counter, opened_text_embedder
from biographer.bench.week_memory import week_folder
from biographer.daemon.answerer import answerer_of
from biographer.daemon.language import LanguageModels
from biographer.daemon.language_roles import LanguageRole
from biographer.daemon.parts import OFF, models_folder, rule_of, search_settings_of
from biographer.daemon.settings import Settings
from biographer.daemon.text_vectors import TextVectors
from biographer.models.roles import TextEmbedder
from biographer.ops.options import config_option, settings_of, stream_option
from biographer.ops.progress import steps_of
from biographer.ops.reading import chosen_stream
from biographer.ops.search_places import ReadMemories, taken_in
from biographer.state.errors import RefusedError
from biographer.state.folder import stream_names
from biographer.state.times import format_time, parse_time

FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


@click.command()
@click.argument("questions", type=click.Path(path_type=Path, exists=True))
@click.option("--format", "form", type=click.Choice(list(FORMATS)), required=True, help="Whose questions these are.")
@click.option("--snapshot", type=FOLDER, help="A snapshot that `biographer export` made.")
@click.option("--state", type=FOLDER, help="A state folder, instead of a snapshot.")
@click.option("--week", type=FILE, help="A recorded week's lines (EgoLife's clips.jsonl.gz), instead of either.")
@stream_option
@click.option(
    "--lines", type=click.Path(path_type=Path, dir_okay=False), required=True, help="File of a line a question."
)
@click.option("--day-one", metavar="RFC3339", help="Day 1, 00:00 of files that count days; default: that of --week.")
@click.option("--rounds", type=click.FloatRange(1, 5), help="Ask a script that makes so many rounds, and no model.")
@click.option("--most", type=click.IntRange(1), help="Only so many questions, from the first.")
@click.option("--without", type=click.Choice(WITHOUT), multiple=True, help="Leave this out; repeatable.")
@output_option
@config_option
def answers(
    *,
    questions: Path,
    form: str,
    snapshot: Path | None,
    state: Path | None,
    week: Path | None,
    stream: str | None,
    lines: Path,
    day_one: str | None,
    rounds: float | None,
    most: int | None,
    without: tuple[str, ...],
    output: Path | None,
    config: Path | None,
) -> None:
    """Ask a benchmark's questions of a memory, each cut at its time, and score answers and evidence.

    The language model of the settings answers; without one, what a single search finds is scored. Where there are no
    options, the model that plays the judge grades answers against the reference. QUESTIONS is a file; with egor1 also a
    folder. A script instead of a model tells what answers are made from and how near their evidence is; it always
    answers A, so that its accuracy says nothing.
    """
    settings = settings_of(config)
    place = _Place(snapshot, state, week)
    with _opened(settings, place, stream) as opened:
        asked = replace(opened, without=without)
        if rounds is not None:
            asked = replace(asked, answerer=scripted(asked.answerer, rounds), grader=None)
        midnight_us = MIDNIGHT_US if day_one is None else parse_time(day_one)
        chosen = read_choices(questions, form, asked.recorded(midnight_us))[:most]
        manifest = {
            "format": form,
            "questions": _written(questions.name),
            "questions_sha256": digest_of(questions),
            "memory": place.name,
            "stream": asked.stream,
            "day_one": format_time(midnight_us),
            "embedder": settings.perceive.text_embedder,
        }
        publish(measure(asked, chosen, manifest, lines, say), output)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the memory is that is asked: one of these."""

    snapshot: Path | None
    state: Path | None
    week: Path | None

    @property
    def name(self) -> str:
        """What it is called, without the way there."""
        return next((_written(one.name) for one in (self.snapshot, self.state, self.week) if one is not None), "")


def _written(name: str) -> str:
    """Return the name of a file as a report can hold it: one that is no UTF-8 would end the run at its last step."""
    return name.encode("utf-8", "replace").decode()


@contextmanager
def _opened(settings: Settings, place: _Place, stream: str | None) -> Iterator[Asked]:
    with ExitStack() as stack:
        name = settings.perceive.text_embedder
        embedder = None if name == OFF else opened_text_embedder(name, models_folder(settings))
        folder = _folder(settings, place, embedder, stack)
        chosen = chosen_stream(folder, stream)
        memory = stack.enter_context(ReadMemories(folder, rule_of(settings))).memory(chosen)
        if memory is None:
            raise RefusedError(f"stream {chosen!r} is not in {folder}; it has {', '.join(stream_names(folder))}")
        search = search_settings_of(settings)
        # Its connections end with this process.
        models = LanguageModels(
            settings.language, clock=time.monotonic, random=random.SystemRandom().random, wall=time.time
        )
        answerer, grader = answerer_of(settings.ask, models), models.chat(LanguageRole.JUDGE)
        asked = Asked(folder, chosen, memory.index, _no_vector, answerer, search, grader=grader)
        if embedder is None:
            yield asked
        else:
            counter = opened_counter(name, models_folder(settings))
            yield replace(asked, embed=TextVectors(embedder).of_question, counter=counter)


def _no_vector(_: str) -> None:
    return None


def _folder(settings: Settings, place: _Place, embedder: TextEmbedder | None, stack: ExitStack) -> Path:
    if sum(one is not None for one in (place.snapshot, place.state, place.week)) != 1:
        raise RefusedError("name what is asked: --snapshot, --state or --week, one of them")
    if place.snapshot is not None:
        with steps_of() as steps:
            return stack.enter_context(taken_in(place.snapshot, settings, steps))
    if place.week is not None:
        if embedder is None:
            raise RefusedError("a week of lines is searched by vectors too; set perceive.text_embedder")
        return stack.enter_context(week_folder(place.week, embedder, rule_of(settings), say))
    return place.state or Path()

"""Questions of benchmarks in their own files, each with options, the time it is asked at, and where its evidence is.

egolifeqa: a JSON list as EgoLifeQA is published: ID, type, question, choice_a to choice_d, answer (a letter),
query_time and target_time (date DAYn; time HHMMSS and hundredths), target_time also as time_list. Days are numbers
there; `questions` says where day 1 is put.

multihop: a JSON list as MultiHop-EgoQA's own evaluation reads it: sample_id, segment_id (the video; here the stream's
name), category, Q, A (a sentence), T (seconds from the video's start: one [start, end], or a list of such). Questions
are asked at the end of the video, and answered in words; only those of the stream's video are taken.

m3: a JSON map of M3-Bench from the video (here the stream's name) to its qa_list: question_id, question, answer (a
sentence), and before_clip where it is asked before that clip of 30 s, counted from 0. It tells no evidence.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biographer.bench.questions import Question, read_questions
from biographer.state.errors import RefusedError
from biographer.state.times import SECOND_US

_M3_CLIP_US = 30 * SECOND_US


@dataclass(frozen=True, slots=True)
class Choice:
    """A question of a benchmark: what is asked and when, its options and the right one's letter, or a `reference`."""

    asked: Question
    options: tuple[str, ...] = ()
    right: str = ""
    reference: str = ""


@dataclass(frozen=True, slots=True)
class Recorded:
    """The stream that is asked: its name, and from when to when it was recorded."""

    stream: str
    start_us: int
    end_us: int


def read_choices(path: Path, form: str, recorded: Recorded) -> list[Choice]:
    """Return the questions of a file; raises RefusedError for a form that is not known or does not fit."""
    reader = FORMATS.get(form)
    if reader is None:
        raise RefusedError(f"format {form!r} is not read yet; formats are {', '.join(FORMATS)}")
    try:
        return reader(path, recorded)
    except (KeyError, ValueError, TypeError) as error:
        raise RefusedError(f"{path} is not of the format {form}: {type(error).__name__}: {error}") from error


def _egolifeqa(path: Path, _: Recorded) -> list[Choice]:
    rows = json.loads(path.read_text("utf-8"))
    return [
        Choice(asked, tuple(str(row[f"choice_{letter}"]) for letter in "abcd"), str(row["answer"]).strip().upper()[:1])
        for asked, row in zip(read_questions(path), rows, strict=True)
    ]


def _multihop(path: Path, recorded: Recorded) -> list[Choice]:
    rows = [row for row in json.loads(path.read_text("utf-8")) if str(row["segment_id"]) == recorded.stream]
    return [
        Choice(
            Question(
                str(row["sample_id"]),
                str(row["category"]),
                str(row["Q"]),
                recorded.end_us,
                tuple(_spans(row["T"], recorded)),
            ),
            reference=str(row["A"]),
        )
        for row in rows
    ]


def _m3(path: Path, recorded: Recorded) -> list[Choice]:
    rows = json.loads(path.read_text("utf-8"))[recorded.stream]["qa_list"]
    return [
        Choice(
            Question(str(row["question_id"]), "m3", str(row["question"]), _before(row, recorded), ()),
            reference=str(row["answer"]),
        )
        for row in rows
    ]


def _before(row: Mapping[str, Any], recorded: Recorded) -> int:
    clip = row.get("before_clip")
    return recorded.end_us if clip is None else recorded.start_us + int(clip) * _M3_CLIP_US


def _spans(told: Sequence[Any], recorded: Recorded) -> list[tuple[int, int]]:
    pairs = told if told and isinstance(told[0], list) else [told]
    return [(_at(pair[0], recorded), _at(pair[1], recorded)) for pair in pairs]


def _at(second: float, recorded: Recorded) -> int:
    return recorded.start_us + round(second * SECOND_US)


FORMATS: Mapping[str, Callable[[Path, Recorded], list[Choice]]] = {
    "egolifeqa": _egolifeqa,
    "multihop": _multihop,
    "m3": _m3,
}
"""Those whose files, or the code that reads them, were at hand."""

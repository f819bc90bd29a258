"""Questions on EgoLife's week: EgoLifeQA's files and Ego-R1 Bench's, which have one form.

A JSON list of objects: ID, type, question, choice_a to choice_d, answer (a letter), query_time and target_time (date
DAYn; time HHMMSS and hundredths), the latter also as time_list. Days are numbers; `midnight_us` says where day 1 lies.
A target_time of stamps is moments, each for itself; `HHMMSSFFDAYn_HHMMSSFF` is one stretch, from date to day n.

EgoLifeQA: as published, known from the handed file.

Ego-R1 Bench: 25 questions by hand and 25 by a model on A1's week, in manual-benchmark/A1_JAKE.json and
gemini-benchmark/A1_JAKE.json, read together where their folder is named; both count IDs from their own first, so the
file's folder stands before the ID. By MAGIC-Video's evaluation code (eval/eval_egor1.py and _common.py of
lijiazheng0917/MAGIC-video), for the files themselves were not at hand: a query_time may be a stretch
`HHMMSSFF-HHMMSSFF`, of which the later end counts; so may a time of the target, which then is one stretch; stamps may
have lost leading zeros, may be numbers, or have the day's number before them; a question may have no target_time.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from biographer.bench.question_rows import Row, listed_rows, once_each
from biographer.bench.questions import MIDNIGHT_US, Choice, Question
from biographer.state.errors import RefusedError
from biographer.state.times import SECOND_US

_LETTERS = "abcd"
_DAYS = 100_000
"""So many are 273 years: more is a slip."""
_DAY = re.compile(r"DAY([0-9]+)", re.IGNORECASE)
_STAMPS = re.compile(r"(?:DAY([0-9]+)_)?([0-9]*?)([0-9]{1,8})(?![0-9])", re.IGNORECASE)
_STRETCH = re.compile(r"DAY|-", re.IGNORECASE)


def read_questions(path: Path, midnight_us: int = MIDNIGHT_US) -> list[Question]:
    """Return questions in the order of the file, whatever their options. Raises RefusedError, naming line and field."""
    return [_question(row, "", midnight_us) for row in _rows(path)]


def egolifeqa(path: Path, midnight_us: int) -> list[Choice]:
    """Return EgoLifeQA's questions with their options. Raises RefusedError, naming line and field."""
    choices = [_choice(row, "", midnight_us) for row in _rows(path)]
    once_each([one.asked.name for one in choices], path)
    return choices


def egor1(path: Path, midnight_us: int) -> list[Choice]:
    """Return Ego-R1 Bench's questions, of one file or of a folder's. Raises RefusedError, naming line and field."""
    files = sorted(path.glob("*-benchmark/*.json")) if path.is_dir() else [path]
    if not files:
        raise RefusedError(f"{path} has no *-benchmark/*.json; name the folder that Ego-R1 Bench was unpacked to")
    choices = [_choice(row, f"{file.parent.name}/", midnight_us) for file in files for row in _rows(file)]
    once_each([one.asked.name for one in choices], path)
    return choices


def _rows(path: Path) -> list[Row]:
    return [row.named("ID") for row in listed_rows(path)]


def _choice(row: Row, before: str, midnight_us: int) -> Choice:
    options, right = _options(row), row.text("answer").upper()[:1]
    if right not in _LETTERS.upper()[: len(options)]:
        raise row.refused("answer", row.fields["answer"], f"the letter of one of its {len(options)} options")
    return Choice(_question(row, before, midnight_us), options, right)


def _question(row: Row, before: str, midnight_us: int) -> Question:
    when = row.row("query_time")
    asked_us = max(_stamps(when, when.text("time"), midnight_us))
    name, kind = before + row.text("ID"), row.optional("type", "untyped")
    return Question(name, kind, row.text("question"), asked_us, _moments(row, midnight_us))


def _options(row: Row) -> tuple[str, ...]:
    """Return the options in the order of their letters; there may be fewer than four."""
    told = [row.choice(f"choice_{one}") for one in _LETTERS]
    while told and not told[-1]:
        told.pop()
    if len(told) < 2:
        raise row.refused("choice_b", row.fields.get("choice_b"), "an option, as choice_a is")
    return tuple(told)


def _moments(row: Row, midnight_us: int) -> tuple[tuple[int, int], ...]:
    if not row.fields.get("target_time"):
        return ()
    return tuple(_told_moments(row.row("target_time"), midnight_us))


def _told_moments(target: Row, midnight_us: int) -> Iterator[tuple[int, int]]:
    """Yield each moment for itself, and a stretch as one."""
    listed = target.fields.get("time_list")
    times = listed if isinstance(listed, list) else [target.text("time")]
    for time in map(str, times):
        stamps = _stamps(target, time, midnight_us)
        if len(stamps) == 2 and _STRETCH.search(time):
            yield min(stamps), max(stamps)
        else:
            yield from ((stamp, stamp) for stamp in stamps)


def _stamps(row: Row, time: str, midnight_us: int) -> list[int]:
    """Return the stamps of a time, in microseconds."""
    date = _DAY.fullmatch(row.text("date"))
    if date is None:
        raise row.refused("date", row.fields["date"], "DAYn, counted from DAY1")
    found = [
        # So many digits are read that a day out of bounds still is.
        midnight_us + _us(row, int((day or ahead or date[1])[:6]), stamp)
        for day, ahead, stamp in _STAMPS.findall(time)
    ]
    if not found:
        raise row.refused("time", time, "HHMMSSFF, or a stretch of two")
    return found


def _us(row: Row, day: int, stamp: str) -> int:
    """Return the microseconds from day 1, 00:00 to a day's HHMMSS and hundredths."""
    hour, minute, second, part = (int(stamp.zfill(8)[at : at + 2]) for at in (0, 2, 4, 6))
    # 60 is written where a clock was rounded up.
    if not 1 <= day < _DAYS or hour > 24 or minute > 60 or second > 60:
        raise row.refused("time", stamp, "a time of day, HHMMSSFF, of a day counted from 1")
    return ((day - 1) * 86_400 + hour * 3_600 + minute * 60 + second) * SECOND_US + part * SECOND_US // 100

"""Numbered texts of a stretch, as a model is shown them, and the way back from the numbers it cites to their times."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Annotated

import msgspec

from biographer.models.fence import fenced, told

Rows = Annotated[list[int], msgspec.Meta(max_length=60)]
"""In a form: the numbers of the texts that state something."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_ALL = 40_000
"""Characters of all texts together: each may take its share, or what is left of it."""


@dataclass(frozen=True, slots=True)
class TimedText:
    """What is told of a clip or window, and when; `clips` names the local episodes it stands for."""

    start_us: int
    end_us: int
    text: str
    clips: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cited:
    """What a fact was read from: local episodes, and the time from the first to the last text."""

    clips: tuple[str, ...]
    start_us: int
    end_us: int


def texts_shown(kind: str, texts: Sequence[TimedText], zone: tzinfo) -> str:
    """Return the texts as one fenced block, numbered from 1, each with its day and clock."""
    longest = max(200, _ALL // max(len(texts), 1))
    rows = (
        f"{number}. {clock(text.start_us, zone)} {told(text.text, longest)}" for number, text in enumerate(texts, 1)
    )
    return fenced(kind, rows)


def cited(numbers: Iterable[int], texts: Sequence[TimedText]) -> Cited | None:
    """Return where a fact stands by the numbers a model gave for it, None where none of them exists."""
    rows = [texts[number - 1] for number in sorted(set(numbers)) if 1 <= number <= len(texts)]
    if not rows:
        return None
    clips = tuple(dict.fromkeys(clip for row in rows for clip in row.clips))
    return Cited(clips, min(row.start_us for row in rows), max(row.end_us for row in rows))


def clock(at_us: int, zone: tzinfo) -> str:
    """Return a moment as its day and clock in a zone, such as 2026-05-01 09:30:00."""
    return (_EPOCH + timedelta(microseconds=at_us)).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")

"""A recorded week of one wearer as clips of lines, and what a benchmark's question about a recording is.

The week is EgoLife's A1 (clips.jsonl.gz), in the form that its folder describes. Files of questions are read elsewhere:
`egolife_questions`, `video_questions`.
"""

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biographer.state.clip import Clip
from biographer.state.line import Line, LineKind
from biographer.state.times import SECOND_US

MIDNIGHT_US = 1_767_225_600 * SECOND_US
"""Where day 1, 00:00 of the recording is put: 2026-01-01T00:00:00Z. The files know days by number only."""

_CLIP_S = 30


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, of which type, when, and the moments (start, end in microseconds) that show the answer."""

    name: str
    type: str
    text: str
    asked_us: int
    moments: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """A question of a benchmark with its options and the right one's letter; in words, a `reference` instead.

    `points` says that answers are graded by how much of the reference they say, not as right or wrong.
    """

    asked: Question
    options: tuple[str, ...] = ()
    right: str = ""
    reference: str = ""
    points: bool = False


def read_clips(path: Path, stream: str) -> Iterator[Clip]:
    """Yield the week's clips in order."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            start = _us(row["start"])
            lines = tuple(_line(line) for line in row["lines"])
            yield Clip(stream, row["clip"], start, start + _CLIP_S * SECOND_US, lines)


def _line(row: Mapping[str, Any]) -> Line:
    return Line(_us(row["start"]), _us(row["end"]), LineKind(row["kind"]), row["text"], row.get("speaker"))


def _us(seconds: float) -> int:
    return MIDNIGHT_US + round(seconds * SECOND_US)

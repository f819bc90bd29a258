"""A recorded week of one wearer as clips of lines, and questions about it with the moments of their evidence.

Files of EgoLife's A1 week (clips.jsonl.gz) and of EgoLifeQA, in the forms that their folders describe.
"""

import gzip
import json
import re
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
_STAMP = re.compile(r"(?:DAY(\d+)_)?(\d{8})")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, of which type, when, and the moments (start, end in microseconds) that show the answer."""

    name: str
    type: str
    text: str
    asked_us: int
    moments: tuple[tuple[int, int], ...]


def read_clips(path: Path, stream: str) -> Iterator[Clip]:
    """Yield the week's clips in order."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            start = _us(row["start"])
            lines = tuple(_line(line) for line in row["lines"])
            yield Clip(stream, row["clip"], start, start + _CLIP_S * SECOND_US, lines)


def read_questions(path: Path) -> list[Question]:
    """Return the questions in the order of the file."""
    return [
        Question(
            row["ID"], row["type"], row["question"], _moment(row["query_time"]), tuple(_moments(row["target_time"]))
        )
        for row in json.loads(path.read_text("utf-8"))
    ]


def _line(row: Mapping[str, Any]) -> Line:
    return Line(_us(row["start"]), _us(row["end"]), LineKind(row["kind"]), row["text"], row.get("speaker"))


def _moments(target: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """Yield each moment of a list for itself; a time from one stamp to another of named days is one span."""
    day = target["date"]
    if "time_list" in target:
        for time in target["time_list"]:
            yield (_stamp(day, time),) * 2
        return
    found = _STAMP.findall(target["time"])
    if len(found) == 2 and "DAY" in target["time"]:
        first = _stamp(day, found[0][1])
        last = _stamp(f"DAY{found[1][0] or day[3:]}", found[1][1])
        yield min(first, last), max(first, last)
        return
    for _, time in found:
        yield (_stamp(day, time),) * 2


def _moment(when: Mapping[str, str]) -> int:
    return _stamp(when["date"], when["time"])


def _stamp(day: str, time: str) -> int:
    """Return the microseconds of DAYn, HHMMSS and hundredths."""
    time = time.strip()
    seconds = int(time[:2]) * 3600 + int(time[2:4]) * 60 + int(time[4:6]) + int(time[6:8] or 0) / 100
    return _us((int(day[3:]) - 1) * 86_400 + seconds)


def _us(seconds: float) -> int:
    return MIDNIGHT_US + round(seconds * SECOND_US)

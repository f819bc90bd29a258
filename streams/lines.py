"""Lines from a file beside a recording, and to which clip each belongs.

Two forms are read, told apart by the file's ending: SubRip (srt.py) and JSON lines (json_lines.py).
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from biographer.state.errors import RefusedError
from biographer.state.line import Line
from biographer.streams.json_lines import parse_json_lines
from biographer.streams.srt import parse_srt


@dataclass(frozen=True, slots=True)
class Assigned:
    """Lines by clip, in the clips' order, and those that start in none of them (for the caller to report)."""

    by_clip: tuple[tuple[Line, ...], ...]
    outside: tuple[Line, ...]


def read_lines(path: Path, start_us: int) -> tuple[Line, ...]:
    """Read FILE.srt or FILE.jsonl of a recording that starts at start_us, in order of time.

    Raises RefusedError, with the file and the row, for what cannot be read: nothing is skipped or guessed.
    """
    parsers = {".srt": parse_srt, ".jsonl": parse_json_lines}
    parse = parsers.get(path.suffix.lower())
    if parse is None:
        raise RefusedError(f"{path}: lines come as .srt or .jsonl, not {path.suffix or 'without an ending'}")
    lines = parse(_text(path), start_us, str(path))
    return tuple(sorted(lines, key=lambda line: (line.start_us, line.end_us)))


def assigned(lines: Sequence[Line], spans: Sequence[tuple[int, int]]) -> Assigned:
    """Give each line to the clip that holds its start; `spans` are (start_us, end_us), rising, end not included.

    A line that starts just where the last clip ends still belongs to it.
    """
    by_clip: list[list[Line]] = [[] for _ in spans]
    outside: list[Line] = []
    starts = [start for start, _ in spans]
    for line in lines:
        row = bisect_right(starts, line.start_us) - 1
        last = row == len(spans) - 1
        if row >= 0 and line.start_us < spans[row][1] + last:
            by_clip[row].append(line)
        else:
            outside.append(line)
    return Assigned(tuple(map(tuple, by_clip)), tuple(outside))


def _text(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RefusedError(f"{path}: {error.strerror}; name a file that can be read") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        raise RefusedError(
            f"{path}, row {row}: byte {content[error.start : error.start + 1]!r} is not UTF-8; save the file as UTF-8"
        ) from error

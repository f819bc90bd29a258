"""How recorded lines are shown to a model: numbered, timed against a moment, one a row, behind the fence."""

from collections.abc import Iterable, Sequence

from biographer.models.fence import fenced, told
from biographer.state.line import Line
from biographer.state.times import SECOND_US

MOST_LINES = 60
"""Lines that one request shows: those nearest to what it is about."""


def nearest(lines: Iterable[Line], start_us: int, end_us: int, most: int = MOST_LINES) -> tuple[Line, ...]:
    """Return at most `most` lines that say something, those nearest to a span, in order of time."""
    said = [line for line in lines if line.text.strip()]
    near = sorted(said, key=lambda line: (_distance(line, start_us, end_us), line.start_us, line.end_us, line.text))
    return tuple(sorted(near[:most], key=lambda line: (line.start_us, line.end_us, line.text)))


def lines_shown(lines: Sequence[Line], since_us: int) -> str:
    """Return the lines as one fenced block, numbered from 1, times in seconds since a moment."""
    rows = (f"{number}. {seconds(line.start_us, since_us)} {line_told(line)}" for number, line in enumerate(lines, 1))
    return fenced("recorded lines", rows)


def line_told(line: Line) -> str:
    """Return a line's kind, speaker and words on one row."""
    speaker = f"{told(line.speaker, 40)}: " if line.speaker else ""
    return f"{line.kind.value}: {speaker}{told(line.text)}"


def seconds(at_us: int, since_us: int) -> str:
    """Return a moment as seconds since another, such as +3.5 s."""
    return f"{(at_us - since_us) / SECOND_US:+.1f} s"


def _distance(line: Line, start_us: int, end_us: int) -> int:
    return max(0, line.start_us - end_us, start_us - line.end_us)

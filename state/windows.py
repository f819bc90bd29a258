"""Coarse episodes: windows of 3 min, 10 min and 1 h, aligned to the stream's midnight (DESIGN section 6).

A local episode belongs to the windows that hold its start. Here is which windows there are and what they are called;
when one is closed and what is told of it is in `closing`. Nothing is stored but the zone: the log of clips yields the
same windows, by the same numbers, again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from biographer.state.times import SECOND_US

SCALES = {"3min": 180 * SECOND_US, "10min": 600 * SECOND_US, "1h": 3600 * SECOND_US}
"""Length of a window by scale, in microseconds."""

EXCERPTS = 12
"""So many lines, evenly spread, stand for a window."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of time, known by its number over all scales: they count in order of the first clip of each."""

    number: int
    scale: str
    start_us: int
    end_us: int


class Windows:
    """All windows of one stream that hold a clip, open or closed."""

    def __init__(self, zone: tzinfo = UTC) -> None:
        self._zone = zone
        self._known: dict[tuple[int, str], Window] = {}

    def __len__(self) -> int:
        """Count the windows."""
        return len(self._known)

    def __iter__(self) -> Iterator[Window]:
        """Yield the windows, by number."""
        yield from self._known.values()

    def number(self, scale: str, start_us: int) -> int | None:
        """Return the number of the window of a scale that starts then, None where there is none."""
        window = self._known.get((start_us, scale))
        return None if window is None else window.number

    def holding(self, moment_us: int) -> tuple[Window, ...]:
        """Return the windows that hold a moment, one a scale, the shortest first; those not known yet are begun."""
        midnight_us = midnight(moment_us, self._zone)
        return tuple(self._window(_start(moment_us, midnight_us, size), scale) for scale, size in SCALES.items())

    def _window(self, start_us: int, scale: str) -> Window:
        window = self._known.get((start_us, scale))
        if window is None:
            window = Window(len(self._known), scale, start_us, start_us + SCALES[scale])
            self._known[start_us, scale] = window
        return window


def window_start(moment_us: int, size: int, zone: tzinfo) -> int:
    """Return when the window of that size starts that holds a moment, counted from midnight in the zone."""
    return _start(moment_us, midnight(moment_us, zone), size)


def midnight(moment_us: int, zone: tzinfo) -> int:
    """Return the last midnight in the zone up to a moment."""
    local = (_EPOCH + timedelta(microseconds=moment_us)).astimezone(zone)
    return (local.replace(hour=0, minute=0, second=0, microsecond=0) - _EPOCH) // timedelta(microseconds=1)


def window_text(texts: Sequence[str]) -> str:
    """Return an extract of local episodes' texts: the longest line of each, at most EXCERPTS of them, in order.

    A long line says the most; which ones a reader would pick is for a language model to say.
    """
    chosen = [max(text.splitlines(), key=len) for text in texts if text.strip()]
    step = max(1.0, len(chosen) / EXCERPTS)
    return "\n".join(chosen[int(place * step)] for place in range(min(len(chosen), EXCERPTS)))


def _start(moment_us: int, midnight_us: int, size: int) -> int:
    return midnight_us + (moment_us - midnight_us) // size * size

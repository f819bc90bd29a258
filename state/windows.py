"""Coarse episodes: windows of 3 min, 10 min and 1 h, aligned to the stream's midnight (DESIGN section 6).

A local episode belongs to the windows that hold its start. A window closes once the watermark has passed its end, and
is known from then on; a late clip re-opens it, as a further version. Texts are made of local episodes alone, until a
language model writes better ones. Nothing is stored: the log of clips yields the same windows again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from biographer.state.times import SECOND_US

SCALES = {"3min": 180 * SECOND_US, "10min": 600 * SECOND_US, "1h": 3600 * SECOND_US}
"""Length of a window by scale, in microseconds."""

EXCERPTS = 12
"""So many lines, evenly spread, stand for a window."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class WindowVersion:
    """A closed window: `window` numbers it over all scales, `clips` are its local episodes, by number."""

    window: int
    version: int
    scale: str
    start_us: int
    end_us: int
    known_us: int
    text: str
    clips: tuple[int, ...]


class Windows:
    """All windows of one stream, open and closed."""

    def __init__(self, zone: tzinfo = UTC) -> None:
        self._zone = zone
        self._clips: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._numbers: dict[tuple[int, int], int] = {}
        self._versions: dict[tuple[int, int], int] = {}
        self._open: set[tuple[int, int]] = set()
        self._texts: list[str] = []

    def grow(self, clip: int, start_us: int, text: str, watermark_us: int) -> list[WindowVersion]:
        """Put the next clip into its windows; return the windows that close by it, or once more."""
        self._texts.append(text)
        for size in SCALES.values():
            key = (window_start(start_us, size, self._zone), size)
            self._clips.setdefault(key, []).append((start_us, clip))
            self._open.add(key)
        closing = sorted(key for key in self._open if key[0] + key[1] <= watermark_us)
        self._open.difference_update(closing)
        return [self._close(key, watermark_us) for key in closing]

    def _close(self, key: tuple[int, int], known_us: int) -> WindowVersion:
        start_us, size = key
        number = self._numbers.setdefault(key, len(self._numbers))
        version = self._versions[key] = self._versions.get(key, -1) + 1
        clips = tuple(clip for _, clip in sorted(self._clips[key]))
        scale = next(name for name, length in SCALES.items() if length == size)
        text = window_text([self._texts[clip] for clip in clips])
        return WindowVersion(number, version, scale, start_us, start_us + size, known_us, text, clips)


def window_start(moment_us: int, size: int, zone: tzinfo) -> int:
    """Return when the window of that size starts that holds a moment, counted from midnight in the zone."""
    local = (_EPOCH + timedelta(microseconds=moment_us)).astimezone(zone)
    midnight = local.replace(hour=0, minute=0, second=0, microsecond=0)
    midnight_us = (midnight - _EPOCH) // timedelta(microseconds=1)
    return midnight_us + (moment_us - midnight_us) // size * size


def window_text(texts: Sequence[str]) -> str:
    """Return an extract of local episodes' texts: the longest line of each, at most EXCERPTS of them, in order.

    A long line says the most; which ones a reader would pick is for a language model to say.
    """
    chosen = [max(text.splitlines(), key=len) for text in texts if text.strip()]
    step = max(1.0, len(chosen) / EXCERPTS)
    return "\n".join(chosen[int(place * step)] for place in range(min(len(chosen), EXCERPTS)))

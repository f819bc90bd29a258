"""When a window closes, and what is told of it from then on.

It closes once the watermark has passed its end, or the stream rests, and is known from then, or from when all of its
clips' words are; a clip that comes after that re-opens it, as a further version.
Texts are made of local episodes alone, until a language model writes better ones.
"""

from dataclasses import dataclass, field
from datetime import UTC, tzinfo

from biographer.state.windows import Window, Windows, window_text


@dataclass(frozen=True, slots=True)
class WindowVersion:
    """A closed window: `window` is its number, `clips` are its local episodes in order of time, by number.

    `fresh` are those of them that no earlier version had; `late`: a clip came after the watermark had passed its end.
    """

    window: int
    version: int
    scale: str
    start_us: int
    end_us: int
    known_us: int
    text: str
    clips: tuple[int, ...]
    fresh: tuple[int, ...]
    late: bool


@dataclass(slots=True)
class _Making:
    """A window's clips, each with its start, in the order in which they came; and how it was closed last."""

    clips: list[tuple[int, int]] = field(default_factory=list)
    version: int = -1
    closed: int = 0
    """How many of the clips the last version had."""
    late: bool = False


class Closing:
    """The windows of one stream in the making, clip by clip."""

    def __init__(self, zone: tzinfo = UTC) -> None:
        self.windows = Windows(zone)
        self._making: list[_Making] = []
        self._open: dict[int, Window] = {}
        self._texts: list[str] = []
        self._watermark_us = 0

    def grow(self, clip: int, start_us: int, text: str, watermark_us: int, known_us: int) -> list[WindowVersion]:
        """Put the next clip into its windows; return the windows that close by it, or once more.

        `known_us` is since when everything so far is known.
        """
        self._texts.append(text)
        for window in self.windows.holding(start_us):
            if window.number == len(self._making):
                self._making.append(_Making())
            making = self._making[window.number]
            making.late |= making.version >= 0 and window.end_us <= self._watermark_us
            making.clips.append((start_us, clip))
            self._open[window.number] = window
        self._watermark_us = watermark_us
        return self._close_all([window for window in self._open.values() if window.end_us <= watermark_us], known_us)

    @property
    def is_open(self) -> bool:
        """Whether a window waits for clips to come."""
        return bool(self._open)

    def rest(self, known_us: int) -> list[WindowVersion]:
        """Close all that are open, for nothing follows the last clip for now."""
        return self._close_all(list(self._open.values()), known_us)

    def _close_all(self, windows: list[Window], known_us: int) -> list[WindowVersion]:
        for window in windows:
            del self._open[window.number]
        windows.sort(key=lambda window: (window.start_us, window.end_us))
        return [self._close(window, self._making[window.number], known_us) for window in windows]

    def _close(self, window: Window, making: _Making, known_us: int) -> WindowVersion:
        clips = tuple(clip for _, clip in sorted(making.clips))
        fresh = tuple(clip for _, clip in sorted(making.clips[making.closed :])) if making.closed else clips
        making.version, making.closed = making.version + 1, len(making.clips)
        text = window_text([self._texts[clip] for clip in clips])
        span = (window.start_us, window.end_us, known_us)
        return WindowVersion(window.number, making.version, window.scale, *span, text, clips, fresh, making.late)

"""When a window closes, and what is told of it from then on.

It closes once the watermark has passed its end, or the stream rests, and is known from then, or from when all of its
clips' words are; a clip that comes after that re-opens it, as a further version.
Texts are made of local episodes alone, until a language model writes better ones.
"""

from dataclasses import dataclass
from datetime import UTC, tzinfo

from biographer.state.windows import Window, Windows, window_text


@dataclass(frozen=True, slots=True)
class WindowVersion:
    """A closed window: `window` is its number, `clips` are its local episodes in order of time, by number.

    `fresh` are those of them that no earlier version had.
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


class Closing:
    """The windows of one stream in the making, clip by clip."""

    def __init__(self, zone: tzinfo = UTC) -> None:
        self.windows = Windows(zone)
        self._clips: list[list[tuple[int, int]]] = []
        self._versions: list[int] = []
        self._closed: list[int] = []
        """How many of each window's clips its last version had."""
        self._open: dict[int, Window] = {}
        self._texts: list[str] = []

    def grow(self, clip: int, start_us: int, text: str, watermark_us: int, known_us: int) -> list[WindowVersion]:
        """Put the next clip into its windows; return the windows that close by it, or once more.

        `known_us` is since when everything so far is known.
        """
        self._texts.append(text)
        for window in self.windows.holding(start_us):
            if window.number == len(self._clips):
                self._clips.append([])
                self._versions.append(-1)
                self._closed.append(0)
            self._clips[window.number].append((start_us, clip))
            self._open[window.number] = window
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
        return [self._close(window, known_us) for window in windows]

    def _close(self, window: Window, known_us: int) -> WindowVersion:
        self._versions[window.number] += 1
        came, closed = self._clips[window.number], self._closed[window.number]
        self._closed[window.number] = len(came)
        clips = tuple(clip for _, clip in sorted(came))
        fresh = tuple(clip for _, clip in sorted(came[closed:])) if closed else clips
        text = window_text([self._texts[clip] for clip in clips])
        span = (window.start_us, window.end_us, known_us)
        return WindowVersion(window.number, self._versions[window.number], window.scale, *span, text, clips, fresh)

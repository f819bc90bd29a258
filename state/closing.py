"""When a window closes, and what is told of it from then on.

It closes once the watermark has passed its end, and is known from then, or from when all of its clips' words are; a
late clip re-opens it, as a further version.
Texts are made of local episodes alone, until a language model writes better ones.
"""

from dataclasses import dataclass
from datetime import UTC, tzinfo

from biographer.state.windows import Window, Windows, window_text


@dataclass(frozen=True, slots=True)
class WindowVersion:
    """A closed window: `window` is its number, `clips` are its local episodes in order of time, by number."""

    window: int
    version: int
    scale: str
    start_us: int
    end_us: int
    known_us: int
    text: str
    clips: tuple[int, ...]


class Closing:
    """The windows of one stream in the making, clip by clip."""

    def __init__(self, zone: tzinfo = UTC) -> None:
        self.windows = Windows(zone)
        self._clips: list[list[tuple[int, int]]] = []
        self._versions: list[int] = []
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
            self._clips[window.number].append((start_us, clip))
            self._open[window.number] = window
        closing = [window for window in self._open.values() if window.end_us <= watermark_us]
        for window in closing:
            del self._open[window.number]
        closing.sort(key=lambda window: (window.start_us, window.end_us))
        return [self._close(window, known_us) for window in closing]

    def _close(self, window: Window, known_us: int) -> WindowVersion:
        self._versions[window.number] += 1
        clips = tuple(clip for _, clip in sorted(self._clips[window.number]))
        text = window_text([self._texts[clip] for clip in clips])
        span = (window.start_us, window.end_us, known_us)
        return WindowVersion(window.number, self._versions[window.number], window.scale, *span, text, clips)

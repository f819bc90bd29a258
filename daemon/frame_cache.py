"""Frames decoded lately, as they were sent: a page of results asks for the same ones again and again."""

from collections import OrderedDict
from threading import Lock

Frame = tuple[int, bytes]
"""When it was shown, in microseconds from its clip's start, and the picture as JPEG."""

FRAMES_MAX_BYTES = 32 * 1024 * 1024


class FrameCache:
    """The frames asked for last, up to a bound of bytes; known by file, offset and size. Any thread."""

    def __init__(self, most: int = FRAMES_MAX_BYTES) -> None:
        self._most, self._bytes = most, 0
        self._frames: OrderedDict[tuple[str, int, int], Frame] = OrderedDict()
        self._turn = Lock()

    def get(self, key: tuple[str, int, int]) -> Frame | None:
        """Return a frame by the SHA-256 of its file, its offset in microseconds and its longest side."""
        with self._turn:
            if key in self._frames:
                self._frames.move_to_end(key)
            return self._frames.get(key)

    def put(self, key: tuple[str, int, int], frame: Frame) -> None:
        """Keep a frame, and let go of those that were asked for longest ago."""
        with self._turn:
            self._bytes += len(frame[1]) - len(self._frames.pop(key, (0, b""))[1])
            self._frames[key] = frame
            while self._bytes > self._most:
                _, (_, picture) = self._frames.popitem(last=False)
                self._bytes -= len(picture)

    @property
    def nbytes(self) -> int:
        """Bytes of the pictures that are kept."""
        return self._bytes

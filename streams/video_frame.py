"""A frame of a decoded video, kept as the codec left it until somebody asks for pixels."""

import threading

import numpy as np
from av import VideoFrame as NativeFrame
from av.video.reformatter import Interpolation, VideoReformatter
from numpy.typing import NDArray

from biographer.streams.upright import Upright


class Scaler:
    """Conversion of the frames of one clip: set up once a size and format, as that costs as much as a small picture."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, str], VideoReformatter] = {}
        self._one_at_a_time = threading.Lock()

    def rgb(self, frame: NativeFrame, width: int, height: int) -> NDArray[np.uint8]:
        """Return (height, width, 3), as recorded, not yet upright."""
        return self._converted(frame, width, height, "rgb24")

    def grey(self, frame: NativeFrame, width: int, height: int) -> NDArray[np.uint8]:
        """Return (height, width), as recorded, not yet upright."""
        return self._converted(frame, width, height, "gray")

    def _converted(self, frame: NativeFrame, width: int, height: int, pixels: str) -> NDArray[np.uint8]:
        with self._one_at_a_time:
            reformatter = self._known.setdefault((width, height, pixels), VideoReformatter())
            # One thread: the other cores have clips of their own, and the result does not hang on their number.
            picture = reformatter.reformat(
                frame, width, height, pixels, interpolation=Interpolation.BILINEAR, threads=1
            ).to_ndarray()
        return np.asarray(picture, dtype=np.uint8)


class VideoFrame:
    """One upright picture at one event time; implements state's Frame, and may be used from any thread.

    It holds the codec's own picture (1.4 MB at 720p), so do not keep frames for longer than they are needed.
    """

    __slots__ = ("_at_us", "_native", "_pixels", "_scaler", "_size", "_upright")

    def __init__(self, at_us: int, native: NativeFrame, scaler: Scaler, side_max: int) -> None:
        self._at_us = at_us
        self._native = native
        self._scaler = scaler
        self._upright = Upright.of(native)
        self._pixels: NDArray[np.uint8] | None = None
        shrink = min(1.0, side_max / max(native.width, native.height))
        width, height = self._upright.size(native.width, native.height)
        self._size = max(1, round(width * shrink)), max(1, round(height * shrink))

    @property
    def at_us(self) -> int:
        """Event time in microseconds."""
        return self._at_us

    @property
    def width(self) -> int:
        """Width in pixels, upright, after the bound on sides."""
        return self._size[0]

    @property
    def height(self) -> int:
        """Height in pixels, upright, after the bound on sides."""
        return self._size[1]

    def pixels(self) -> NDArray[np.uint8]:
        """Return RGB, shape (height, width, 3); the same read-only array on every call."""
        if self._pixels is None:
            picture = self.resized(*self._size)
            picture.setflags(write=False)
            self._pixels = picture
        return self._pixels

    def resized(self, width: int, height: int) -> NDArray[np.uint8]:
        """Return RGB stretched to (height, width, 3), straight from the codec's format."""
        if self._pixels is not None and (width, height) == self._size:
            return self._pixels
        return self._upright.turned(self._scaler.rgb(self._native, *self._upright.size(width, height)))

    def grey(self, width: int, height: int) -> NDArray[np.uint8]:
        """Return brightness stretched to (height, width): the codec's own, without making colours of it."""
        return self._upright.turned(self._scaler.grey(self._native, *self._upright.size(width, height)))

"""What a frame offers to whoever looks at it; decoding lives in streams."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Frame(Protocol):
    """One upright picture at one event time."""

    @property
    def at_us(self) -> int:
        """Event time in microseconds: the clip's start plus the presentation time."""

    @property
    def width(self) -> int:
        """Width in pixels, upright."""

    @property
    def height(self) -> int:
        """Height in pixels, upright."""

    def pixels(self) -> NDArray[np.uint8]:
        """Return RGB, shape (height, width, 3); the same array on every call, not to be written to."""

    def resized(self, width: int, height: int) -> NDArray[np.uint8]:
        """Return RGB stretched to (height, width, 3), without going through full size where that can be spared."""

    def grey(self, width: int, height: int) -> NDArray[np.uint8]:
        """Return brightness stretched to (height, width): luma where the recording has it, else the green channel."""

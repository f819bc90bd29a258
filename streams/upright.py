"""How a recorded picture is turned to stand upright, from the display matrix that phones and cameras write."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np
from av import VideoFrame
from av.sidedata.sidedata import Type
from numpy.typing import NDArray

PLAIN = (65536, 0, 0, 65536)
"""The display matrix of a picture that is stored upright."""


@dataclass(frozen=True, slots=True)
class Upright:
    """Swap rows and columns first, then mirror; only quarter turns are known, others are rounded to the nearest."""

    swap: bool = False
    mirror_x: bool = False
    mirror_y: bool = False

    @classmethod
    def of(cls, frame: VideoFrame) -> "Upright":
        """Read a decoded frame's matrix (ISO/IEC 14496-12, 8.3.2)."""
        a, b, c, d = display_matrix(frame)
        if abs(b) > abs(a):
            return cls(swap=True, mirror_x=c < 0, mirror_y=b < 0)
        return cls(swap=False, mirror_x=a < 0, mirror_y=d < 0)

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Return width and height after turning (and before: it is its own inverse)."""
        return (height, width) if self.swap else (width, height)

    def turned(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the picture (height, width) or (height, width, 3) upright and contiguous."""
        turned = picture.swapaxes(0, 1) if self.swap else picture
        turned = turned[:: -1 if self.mirror_y else 1, :: -1 if self.mirror_x else 1]
        return np.ascontiguousarray(turned)


def display_matrix(frame: VideoFrame) -> tuple[int, int, int, int]:
    """Return a, b, c, d of x' = a x + c y, y' = b x + d y, in units of 1/65536."""
    degrees = frame.rotation
    try:
        # Typed as a dictionary of motion vectors only; it maps every type to its bytes.
        sides = cast("Mapping[Type, bytes]", frame.side_data)
        if Type.DISPLAYMATRIX in sides:
            a, b, _, c, d = np.frombuffer(sides[Type.DISPLAYMATRIX], dtype=np.int32)[:5].tolist()
            return a, b, c, d
    except ValueError:
        # A kind of side data that this PyAV has no name for; the turn is known all the same, a mirroring is not.
        cos, sin = (round(65536 * part(math.radians(-degrees))) for part in (math.cos, math.sin))
        return cos, sin, -sin, cos
    return PLAIN

"""A frame that is already an array: for tests, and for pictures that come from no video."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image


@dataclass(frozen=True, slots=True, eq=False)
class ArrayFrame:
    """RGB of shape (height, width, 3) at one event time (microseconds); implements state's Frame."""

    at_us: int
    picture: NDArray[np.uint8]

    @property
    def width(self) -> int:
        """Width in pixels."""
        return int(self.picture.shape[1])

    @property
    def height(self) -> int:
        """Height in pixels."""
        return int(self.picture.shape[0])

    def pixels(self) -> NDArray[np.uint8]:
        """Return the picture itself, not to be written to."""
        return self.picture

    def resized(self, width: int, height: int) -> NDArray[np.uint8]:
        """Return the picture stretched to (height, width, 3)."""
        if (width, height) == (self.width, self.height):
            return self.picture
        image = Image.fromarray(self.picture).resize((width, height), Image.Resampling.BILINEAR)
        return np.asarray(image, dtype=np.uint8)

    def grey(self, width: int, height: int) -> NDArray[np.uint8]:
        """Return the green channel stretched, which is most of what the eye calls brightness."""
        return self.resized(width, height)[..., 1]

"""Lesser pictures: parts of a photograph, and small, dark ones of it, as a worn camera shows things.

Statistics are fitted on these beside the photographs themselves, which show things whole, sharp and well lit.
"""

from itertools import repeat

import numpy as np
from numpy.typing import NDArray
from PIL import Image

LESSER = 3
"""How many small, dark ones are made of a photograph, and of a glimpse of it."""
VERSIONS = 2 * (1 + LESSER)


def versions(crop: NDArray[np.uint8], random: np.random.Generator) -> list[NDArray[np.uint8]]:
    """Return VERSIONS pictures: the RGB crop, a glimpse of it, and small, dark ones of both."""
    both = [crop, glimpse(crop, random)]
    return both + [lesser(picture, random) for picture in both for _ in repeat(None, LESSER)]


def glimpse(crop: NDArray[np.uint8], random: np.random.Generator) -> NDArray[np.uint8]:
    """Return a part of the RGB crop, an eighth to four fifths of its sides, at a third of its size or more."""
    height, width = (max(8, int(side * random.uniform(0.12, 0.8))) for side in crop.shape[:2])
    top, left = (
        int(random.integers(0, max(1, room))) for room in (crop.shape[0] - height + 1, crop.shape[1] - width + 1)
    )
    part = crop[top : top + height, left : left + width]
    return _scaled(part, random.uniform(0.3, 1))


def lesser(crop: NDArray[np.uint8], random: np.random.Generator) -> NDArray[np.uint8]:
    """Return the RGB crop with a longest side of 24 to 256 pixels, at a fifth of its light or more."""
    side = 2 ** random.uniform(np.log2(24), np.log2(256))
    small = _scaled(crop, min(1.0, side / max(crop.shape[:2])))
    dim: NDArray[np.uint8] = (small * 2 ** random.uniform(-2.3, 0)).astype(np.uint8)
    return dim


def _scaled(crop: NDArray[np.uint8], scale: float) -> NDArray[np.uint8]:
    height, width = (max(8, int(side * scale)) for side in crop.shape[:2])
    return np.asarray(Image.fromarray(crop).resize((width, height), Image.Resampling.BILINEAR))

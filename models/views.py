"""Whole views that a describer or captioner is shown: which moments of a clip, the subject framed (GEB appendix)."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from biographer.models.crops import jpeg, limited
from biographer.state.observation import Observation

SIDE = 768
"""Longest side in pixels (GEB appendix: 768)."""

_QUALITY = 80
_RED = (255, 0, 0)


def spread(start_us: int, end_us: int, count: int) -> tuple[int, ...]:
    """Return the middles of `count` equal parts of a span: the moments that stand for a clip."""
    step = (end_us - start_us) / max(count, 1)
    return tuple(int(start_us + step * (at + 0.5)) for at in range(count))


def box_at(observation: Observation, at_us: int) -> NDArray[np.float32]:
    """Return the box of the sighting nearest to a moment (float32, (4,), 0..1)."""
    box: NDArray[np.float32] = observation.boxes[int(np.abs(observation.times_us - at_us).argmin())]
    return box


def view_file(pixels: NDArray[np.uint8], box: NDArray[np.float32] | None = None, side: int = SIDE) -> bytes:
    """Return RGB pixels (h, w, 3) as a JPEG file no larger than `side`, a red frame around the box if one is given."""
    small = limited(pixels, side)
    if box is None:
        return jpeg(small, _QUALITY)
    picture = Image.fromarray(small)
    height, width = small.shape[:2]
    corners = [float(value) * length for value, length in zip(box, (width, height) * 2, strict=True)]
    left, right = sorted((corners[0], corners[2]))
    top, bottom = sorted((corners[1], corners[3]))
    ImageDraw.Draw(picture).rectangle((left, top, right, bottom), outline=_RED, width=max(3, min(width, height) // 120))
    return jpeg(np.asarray(picture), _QUALITY)

"""The colours in the middle of a picture as one vector: which, in CIE Lab, and how much of each.

Coarse in lightness, so that shade and sun change little; finer in hue and chroma, so that a red cup and a green one
are far apart. Words for colours live in `colour`.
"""

import numpy as np
from numpy.typing import NDArray

BINS = (2, 12, 12)
"""Steps of L, a and b."""
LENGTH = BINS[0] * BINS[1] * BINS[2]
_LOWEST = np.array([0, -70, -70], np.float32)
_HIGHEST = np.array([100, 70, 70], np.float32)
_BLUR = ((0.107, 0.786, 0.107), (0.21, 0.58, 0.21), (0.21, 0.58, 0.21))
"""What of a colour's weight goes to its neighbours along L, a and b: light moves colours a little."""
_XYZ_OF_RGB = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]],
    np.float32,
)
_WHITE = np.array([0.95047, 1.0, 1.08883], np.float32)
_LAB_OF_FXYZ = np.array([[0, 116, 0], [500, -500, 0], [0, 200, -200]], np.float32)


def colour_histogram(pixels: NDArray[np.uint8], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return (LENGTH,) roots of the shares of colours of RGB `pixels` (h, w, 3), weighted by `weights` (h, w)."""
    bins = np.array(BINS)
    steps = (lab(pixels).reshape(-1, 3) - _LOWEST) / (_HIGHEST - _LOWEST) * bins
    places = np.clip(np.floor(steps).astype(np.intp), 0, bins - 1)
    rows = np.ravel_multi_index((places[:, 0], places[:, 1], places[:, 2]), BINS)
    counts: NDArray[np.float64] = np.bincount(rows, weights.ravel().astype(np.float64), LENGTH).astype(np.float64)
    shares: NDArray[np.float64] = counts.reshape(BINS)
    for axis, kernel in enumerate(_BLUR):
        shares = _blurred(shares, axis, kernel)
    roots: NDArray[np.float32] = np.sqrt(shares / shares.sum()).ravel().astype(np.float32)
    return roots


def lab(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return CIE Lab (..., 3) under D65 of sRGB pixels: L in 0..100, a and b about -100..100 (IEC 61966-2-1)."""
    linear = _LINEAR[pixels]
    ratio = linear @ _XYZ_OF_RGB.T / _WHITE
    cube = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    result: NDArray[np.float32] = (cube @ _LAB_OF_FXYZ.T - np.array([16, 0, 0], np.float32)).astype(np.float32)
    return result


def _linear_light() -> NDArray[np.float32]:
    """Return the linear light of each value of an sRGB byte."""
    values = np.arange(256) / 255
    light: NDArray[np.float32] = np.where(values > 0.04045, ((values + 0.055) / 1.055) ** 2.4, values / 12.92).astype(
        np.float32
    )
    return light


_LINEAR = _linear_light()


def _blurred(shares: NDArray[np.float64], axis: int, kernel: tuple[float, ...]) -> NDArray[np.float64]:
    """Return shares mixed with their neighbours along the axis; what would leave at an end stays."""
    rows = np.moveaxis(shares, axis, 0)
    edged = np.concatenate([rows[:1], rows, rows[-1:]])
    mixed = kernel[0] * edged[:-2] + kernel[1] * edged[1:-1] + kernel[2] * edged[2:]
    result: NDArray[np.float64] = np.moveaxis(mixed, 0, axis)
    return result

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
_XYZ_OF_RGB = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]],
    np.float32,
)
_WHITE = np.array([0.95047, 1.0, 1.08883], np.float32)
_LAB_OF_FXYZ = np.array([[0, 116, 0], [500, -500, 0], [0, 200, -200]], np.float32)


def colour_histogram(pixels: NDArray[np.uint8], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return (LENGTH,) roots of the shares of colours of RGB `pixels` (h, w, 3), weighted by `weights` (h, w)."""
    places = (lab(pixels).reshape(-1, 3).astype(np.float64) - _LOWEST) / (_HIGHEST - _LOWEST) * np.array(BINS) - 0.5
    shares = np.bincount(*_spread(places, weights.ravel().astype(np.float64)), minlength=LENGTH)
    roots: NDArray[np.float32] = np.sqrt(shares / shares.sum()).astype(np.float32)
    return roots


def _spread(places: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return bins and their shares, eight about each place: no colour jumps to another bin when light changes."""
    low = np.floor(places)
    above = places - low
    bins, shares = np.zeros((1, len(places)), np.intp), weights[None]
    for axis, count in enumerate(BINS):
        row, part = low[:, axis].astype(np.intp), above[:, axis]
        rows = np.clip(np.stack([row, row + 1]), 0, count - 1)
        bins = (bins[None] * count + rows[:, None]).reshape(-1, len(places))
        shares = (shares[None] * np.stack([1 - part, part])[:, None]).reshape(-1, len(places))
    return bins.ravel(), shares.ravel()


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

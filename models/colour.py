"""Colour words: which of the eleven basic colour terms (Berlin and Kay 1969) the middle of a picture shows."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

COLOURS = ("black", "grey", "white", "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown")
_HUE_ENDS = np.array([16, 42, 68, 165, 255, 290, 335, 361], dtype=np.float32)
_HUES = np.array([3, 4, 5, 6, 7, 8, 9, 3], dtype=np.intp)
_POINTS = 32
"""Rows and columns at which a picture is sampled."""
_LEAST = 0.22
"""Share of the middle from which a colour is worth a word."""


def colour_words(pictures: Sequence[NDArray[np.uint8]], most: int = 2) -> tuple[str, ...]:
    """Return up to `most` colours of what is in the middle of RGB pictures (h, w, 3), the strongest first.

    The middle weighs most, and a colour that fills the border as well counts less, as it is likely the background.
    Empty where there is no picture.
    """
    shares = [_shares(picture) for picture in pictures if picture.size]
    if not shares:
        return ()
    mean = np.mean(shares, axis=0)
    order = np.argsort(-mean, kind="stable")[:most]
    return tuple(COLOURS[place] for rank, place in enumerate(order) if rank == 0 or mean[place] >= _LEAST)


def colour_numbers(pixels: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Return for RGB (..., 3) which of COLOURS each pixel is."""
    rgb = pixels.astype(np.float32) / 255
    value, low = rgb.max(axis=-1), rgb.min(axis=-1)
    chroma = value - low
    saturation = chroma / np.maximum(value, 1e-6)
    hue = _hue(rgb, value, chroma)
    result = _HUES[np.searchsorted(_HUE_ENDS, hue, side="right").clip(0, len(_HUES) - 1)]
    warm = (hue < 50) | (hue >= 335)
    result = np.where((hue >= 10) & (hue < 50) & (value < 0.65), COLOURS.index("brown"), result)
    result = np.where(
        warm & ((hue < 16) | (hue >= 335)) & (value > 0.75) & (saturation < 0.5), COLOURS.index("pink"), result
    )
    plain = (saturation < 0.18) | (chroma < 0.08)
    shade = np.where(
        value > 0.72, COLOURS.index("white"), np.where(value < 0.25, COLOURS.index("black"), COLOURS.index("grey"))
    )
    return np.where(value < 0.18, COLOURS.index("black"), np.where(plain, shade, result))


def _hue(rgb: NDArray[np.floating], value: NDArray[np.floating], chroma: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return degrees, 0 <= hue < 360."""
    red, green, blue = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    safe = np.maximum(chroma, 1e-6)
    side = np.where(value == green, (blue - red) / safe + 2, (red - green) / safe + 4)
    result: NDArray[np.float32] = 60 * np.where(value == red, ((green - blue) / safe) % 6, side) % 360
    return result


def _shares(picture: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the share (0..1) of each colour in the middle, less what the border has of it."""
    height, width = picture.shape[:2]
    rows = np.linspace(0, height - 1, min(height, _POINTS)).astype(np.intp)
    columns = np.linspace(0, width - 1, min(width, _POINTS)).astype(np.intp)
    numbers = colour_numbers(picture[np.ix_(rows, columns)])
    down, across = np.meshgrid(_offset(len(rows)), _offset(len(columns)), indexing="ij")
    distance = np.hypot(down, across)
    middle = np.bincount(numbers.ravel(), weights=np.exp(-((distance / 0.5) ** 2)).ravel(), minlength=len(COLOURS))
    edge = np.bincount(numbers[np.maximum(abs(down), abs(across)) > 0.85], minlength=len(COLOURS))
    middle, border = middle / middle.sum(), edge / max(edge.sum(), 1)
    left = middle * np.clip(1 - 0.6 * border, 0.2, 1)
    share: NDArray[np.float64] = left / left.sum()
    return share


def _offset(count: int) -> NDArray[np.float64]:
    return np.linspace(-1, 1, count) if count > 1 else np.zeros(1)

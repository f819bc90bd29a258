"""Boxes: x0, y0, x1, y1 as fractions (0..1) of the upright frame, and how much two overlap."""

import numpy as np
from numpy.typing import NDArray

_PAIRS_AT_ONCE = 1 << 18
"""What is worked out on the way takes some fifty bytes a pair: of ten thousand boxes with as many, gigabytes."""


def areas(boxes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the area of each box; shape (..., 4) to (...); inverted boxes count as empty."""
    return _product(boxes[..., 2] - boxes[..., 0], boxes[..., 3] - boxes[..., 1])


def iou(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the intersection over union of boxes, broadcasting (..., 4) against (..., 4); 0 where both are empty."""
    across = np.minimum(left[..., 2], right[..., 2]) - np.maximum(left[..., 0], right[..., 0])
    down = np.minimum(left[..., 3], right[..., 3]) - np.maximum(left[..., 1], right[..., 1])
    inner = _product(across, down)
    union = areas(left) + areas(right) - inner
    overlap: NDArray[np.float32] = np.divide(inner, union, out=np.zeros_like(inner), where=union > 0)
    return overlap


def _product(across: NDArray[np.float32], down: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the areas of sides; a side below 0 counts as 0."""
    product: NDArray[np.float32] = np.maximum(across, 0) * np.maximum(down, 0)
    return product


def iou_matrix(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the (n, m) overlaps of n boxes with m boxes."""
    overlaps = np.empty((len(left), len(right)), np.result_type(left, right))
    rows = max(1, _PAIRS_AT_ONCE // max(1, len(right)))
    for first in range(0, len(left), rows):
        overlaps[first : first + rows] = iou(left[first : first + rows, None, :], right[None, :, :])
    return overlaps

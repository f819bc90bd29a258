"""A clip's trails side by side on one clock of frames, so that one is tested against many others at once.

The same decision as `Separation.apart`, which says what apart means; here it is only made quicker.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from biographer.state.box import iou
from biographer.state.trail import SAME_INSTANT_US, Separation, Trail

_CELLS = 1_000_000
"""So many boxes are compared at once."""


class Together:
    """Trails by row. Raises ValueError where their times do not fall on one clock, within `SAME_INSTANT_US`."""

    def __init__(self, trails: Sequence[Trail], separation: Separation) -> None:
        times = np.concatenate([trail.times_us for trail in trails])
        clock, frames = np.unique(times, return_inverse=True)
        if len(clock) > 1 and int(np.diff(clock).min()) <= SAME_INSTANT_US:
            raise ValueError("times that differ by less than a frame")
        rows = np.repeat(np.arange(len(trails)), [len(trail.times_us) for trail in trails])
        self._separation = separation
        self._steps = np.array([trail.step_us for trail in trails])
        self._frames = np.split(frames, np.cumsum([len(trail.times_us) for trail in trails])[:-1])
        self._seen = np.zeros((len(trails), len(clock)), np.bool_)
        self._seen[rows, frames] = True
        self._boxes = np.zeros((len(trails), len(clock), 4), np.float32)
        self._boxes[rows, frames] = np.concatenate([trail.boxes for trail in trails])

    def apart(self, row: int, others: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return, for each of the other rows, whether it and `row` are apart."""
        room = max(1, _CELLS // len(self._frames[row]))
        parts = [self._apart(row, others[start : start + room]) for start in range(0, len(others), room)]
        return np.concatenate(parts) if parts else np.zeros(0, np.bool_)

    def _apart(self, row: int, others: NDArray[np.intp]) -> NDArray[np.bool_]:
        frames, rule = self._frames[row], self._separation
        shared = self._seen[others[:, None], frames]
        overlaps = iou(self._boxes[row, frames], self._boxes[others[:, None], frames])
        elsewhere = np.count_nonzero(shared & (overlaps < rule.iou), axis=1)
        counts = np.count_nonzero(shared, axis=1)
        steps = np.minimum(self._steps[row], self._steps[others])
        result: NDArray[np.bool_] = (counts >= rule.frames_needed(steps)) & (elsewhere >= rule.fraction * counts)
        return result

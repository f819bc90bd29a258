"""Trails: where a subject was at which presentation time, and whether two trails are apart (GEB section 3.3)."""

from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from biographer.state.box import iou

SAME_INSTANT_US = 1_000
"""Two presentation times this near are one frame: clips that overlap round the same instant differently."""

_ROUNDED_FRAMES = 0.01
"""So much of a frame may rounded presentation times take from a shared time: 3 frames 99,999 us apart are 0.3 s."""


@dataclass(frozen=True, slots=True, eq=False)
class Trail:
    """Rising presentation times (int64, (n,)) and boxes (float32, (n, 4), 0..1)."""

    times_us: NDArray[np.int64]
    boxes: NDArray[np.float32]
    step_us: float = field(init=False)
    """The usual time between two frames (microseconds); infinite for a single frame."""

    def __post_init__(self) -> None:
        """Take the median step once: every pair that the trail is compared in asks for it."""
        steps = np.sort(self.times_us[1:] - self.times_us[:-1])
        object.__setattr__(self, "step_us", float(steps[len(steps) // 2]) if len(steps) else inf)


@dataclass(frozen=True, slots=True)
class Separation:
    """When two trails count as apart: GEB appendix A, with its 3 shared frames at 10 a second made a time."""

    min_shared_us: int = 300_000
    min_shared_frames: int = 2
    iou: float = 0.5
    fraction: float = 2 / 3

    def apart(self, left: Trail, right: Trail) -> bool:
        """Whether the two share enough frames and overlap little in enough of them.

        Frames are matched by presentation time. False means only that no separation was seen.
        """
        rows_left, rows_right = shared_frames(left.times_us, right.times_us)
        if len(rows_left) < self.frames_needed(np.array(min(left.step_us, right.step_us))):
            return False
        overlaps = iou(left.boxes[rows_left], right.boxes[rows_right])
        return bool(np.count_nonzero(overlaps < self.iou) >= self.fraction * len(overlaps))

    def frames_needed(self, steps_us: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how many frames two trails must share, by the lesser of their steps (microseconds)."""
        least = np.ceil(self.min_shared_us / np.maximum(steps_us, 1.0) - _ROUNDED_FRAMES)
        needed: NDArray[np.float64] = np.maximum(self.min_shared_frames, least)
        return needed


def shared_frames(left: NDArray[np.int64], right: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows of two rising time arrays (microseconds) that are the same frame, pairwise."""
    if not len(left) or not len(right) or left[-1] < right[0] - SAME_INSTANT_US:
        return np.empty(0, np.intp), np.empty(0, np.intp)
    if len(left) == len(right) and np.array_equal(left, right):
        rows = np.arange(len(left))
        return rows, rows
    found = np.searchsorted(right, left - SAME_INSTANT_US)
    inside = found < len(right)
    near = np.zeros(len(left), dtype=bool)
    near[inside] = right[found[inside]] - left[inside] <= SAME_INSTANT_US
    rows = np.flatnonzero(near)
    return rows, found[rows]

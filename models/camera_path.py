"""The camera's path through one clip: where a place of one frame is in another, and where scenes were cut."""

from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

from biographer.models.motion import Motion


class CameraPath:
    """Motions added up, one entry a frame; one a clip."""

    def __init__(self) -> None:
        self._times_us: list[int] = []
        self._offsets: list[tuple[float, float]] = []
        self._travels: list[float] = []
        self._cuts_us: list[int] = []

    def step(self, at_us: int, motion: Motion) -> None:
        """Add a frame, later than all before it."""
        right, down = self._offsets[-1] if self._offsets else (0.0, 0.0)
        travel = self._travels[-1] if self._travels else 0.0
        self._times_us.append(at_us)
        self._offsets.append((right + motion.dx, down + motion.dy))
        self._travels.append(travel + float(np.hypot(motion.dx, motion.dy)))
        if motion.cut:
            self._cuts_us.append(at_us)

    @property
    def period_us(self) -> int:
        """The usual time between frames; 0 where there are fewer than two."""
        return int(np.median(np.diff(self._times_us))) if len(self._times_us) > 1 else 0

    @property
    def cuts_us(self) -> tuple[int, ...]:
        """Times of the first frames of new scenes."""
        return tuple(self._cuts_us)

    def scene(self, at_us: int) -> int:
        """Return the number of the scene that is on at a time, from 0."""
        return bisect_right(self._cuts_us, at_us)

    def offset(self, from_us: int, to_us: int) -> NDArray[np.float32]:
        """Return how far the picture moved between two frames of one scene: 4 numbers to add to a box."""
        if not self._offsets:
            return np.zeros(4, dtype=np.float32)
        here, there = self._offsets[self._row(from_us)], self._offsets[self._row(to_us)]
        right, down = there[0] - here[0], there[1] - here[1]
        return np.array([right, down, right, down], dtype=np.float32)

    def travelled(self, from_us: int, to_us: int) -> float:
        """Return the length of the path between two frames, in pictures."""
        return self._travels[self._row(to_us)] - self._travels[self._row(from_us)] if self._travels else 0.0

    def _row(self, at_us: int) -> int:
        return max(bisect_right(self._times_us, at_us) - 1, 0)

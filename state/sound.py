"""Sound of a clip as samples; decoding lives in streams, hearing in models."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biographer.state.times import SECOND_US


@dataclass(frozen=True, slots=True, eq=False)
class Sound:
    """One channel from `start_us` (event time) on: int16 samples (n,), `rate` of them a second."""

    start_us: int
    rate: int
    samples: NDArray[np.int16]

    @property
    def end_us(self) -> int:
        """When the last sample ends."""
        return self.start_us + len(self.samples) * SECOND_US // self.rate

    def cut(self, start_us: int, end_us: int) -> "Sound":
        """Return what lies between two times, as far as there is any."""
        first, last = (self._row(at_us) for at_us in (start_us, end_us))
        return Sound(self.start_us + first * SECOND_US // self.rate, self.rate, self.samples[first:last])

    def _row(self, at_us: int) -> int:
        return min(max((at_us - self.start_us) * self.rate // SECOND_US, 0), len(self.samples))

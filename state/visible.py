"""Which of the numbered records a reader may see: all below a count, or those of them that a mask lets through."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Visible:
    """Records 0..count-1, or, with `mask` (bool, shape (count,)), the true ones of them."""

    count: int
    mask: NDArray[np.bool_] | None = None

    @property
    def total(self) -> int:
        """How many there are to see."""
        return self.count if self.mask is None else int(np.count_nonzero(self.mask))

    def upto(self, numbers: NDArray[np.int32]) -> NDArray[np.bool_] | slice:
        """Return what to take of rising record numbers: a slice where a prefix will do, else a mask."""
        end = int(np.searchsorted(numbers, self.count))
        if self.mask is None:
            return slice(0, end)
        kept = np.zeros(len(numbers), np.bool_)
        kept[:end] = self.mask[numbers[:end]]
        return kept

    def numbers(self) -> NDArray[np.int64]:
        """Return the numbers themselves, rising."""
        return np.arange(self.count) if self.mask is None else np.flatnonzero(self.mask)

    def hide(self, values: NDArray[np.float64], by: float) -> NDArray[np.float64]:
        """Return values (count,) with `by` in place of what is not to be seen."""
        return values if self.mask is None else np.where(self.mask, values, by)


def known_by(known: NDArray[np.int64], as_of_us: int | None, *, in_order: bool) -> Visible:
    """Return which of all units were known by a time (None: all of them); those known `in_order` are a prefix."""
    if as_of_us is None:
        return Visible(len(known))
    if in_order:
        return Visible(int(np.searchsorted(known, as_of_us, side="right")))
    mask = known <= as_of_us
    count = int(np.flatnonzero(mask)[-1]) + 1 if mask.any() else 0
    return Visible(count, mask[:count])

"""Which observations each entity has: a sorted base, re-made now and then, and what came since.

Nobody but the writer calls `add`; what a reader was given stays as it is.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_LEAST_TAIL = 2048


@dataclass(frozen=True, slots=True, eq=False)
class Sorted:
    """Observations first..last-1 by entity: those of entity e are members[starts[e]:starts[e + 1]], rising."""

    first: int
    last: int
    members: NDArray[np.int32]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, entities: NDArray[np.int32], first: int) -> "Sorted":
        """Sort observations numbered from `first` by entity; negative ones belong to none."""
        order = np.argsort(entities, kind="stable")
        order = order[np.searchsorted(entities[order], 0) :]
        count = int(entities.max(initial=-1)) + 1
        starts = np.searchsorted(entities[order], np.arange(count + 1))
        return cls(first, first + len(entities), (order + first).astype(np.int32), starts.astype(np.int64))

    def of_entities(self, entities: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return (observations, place of each one's entity in `entities`)."""
        places = np.flatnonzero(entities < len(self.starts) - 1)
        chosen = entities[places]
        starts, counts = self.starts[chosen], self.starts[chosen + 1] - self.starts[chosen]
        return self.members[ranges(starts, counts)], np.repeat(places, counts)


class Biographies:
    """The base for all readers; the tail is each view's own to sort."""

    def __init__(self) -> None:
        self.base = Sorted.of(np.empty(0, np.int32), 0)

    def grow(self, entities: NDArray[np.int32]) -> None:
        """Re-make the base from all observations' entities, if enough came since."""
        if len(entities) - self.base.last > max(_LEAST_TAIL, self.base.last // 8):
            self.base = Sorted.of(entities, 0)


def ranges(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers starts[i] .. starts[i] + counts[i] - 1 of all i, one after the other."""
    total = int(counts.sum())
    jumps = np.repeat(starts - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts) if total else np.empty(0, int)
    result: NDArray[np.int64] = jumps + np.arange(total)
    return result

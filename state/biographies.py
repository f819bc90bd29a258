"""Which observations each entity has: a sorted base, re-made now and then, what came lately, and the last few.

Nobody but the writer calls `grow`; what a reader was given stays as it is.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_LEAST_RECENT = 2048
_MOST_LAST = 512


@dataclass(frozen=True, slots=True, eq=False)
class Sorted:
    """Observations first..last-1 by entity: those of entity e are members[starts[e]:starts[e + 1]], rising."""

    first: int
    last: int
    members: NDArray[np.int32]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, entities: NDArray[np.int64], first: int) -> "Sorted":
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


@dataclass(frozen=True, slots=True, eq=False)
class Last:
    """A few observations by entity; `entities` are those of `members`, rising.

    Looked up by search: where each of all entities begins takes longer to count than these to sort.
    """

    members: NDArray[np.int32]
    entities: NDArray[np.int64]

    @classmethod
    def of(cls, entities: NDArray[np.int64], first: int) -> "Last":
        """Sort observations numbered from `first` by entity; negative ones belong to none."""
        order = np.argsort(entities, kind="stable")
        return cls((order + first).astype(np.int32), entities[order])

    def of_entities(self, entities: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return (observations, place of each one's entity in `entities`)."""
        starts = np.searchsorted(self.entities, entities)
        counts = np.searchsorted(self.entities, entities, side="right") - starts
        return self.members[ranges(starts, counts)], np.repeat(np.arange(len(entities)), counts)


class Biographies:
    """What is sorted for all readers: the base and what came lately. The last few are each view's own to sort."""

    def __init__(self) -> None:
        self.base = self.recent = Sorted.of(np.empty(0, np.int64), 0)

    def grow(self, entities: NDArray[np.int64]) -> None:
        """Sort all observations' entities anew, or what came lately, if enough came since."""
        if len(entities) - self.base.last > max(_LEAST_RECENT, self.base.last // 8):
            self.base = Sorted.of(entities, 0)
            self.recent = Sorted.of(entities[:0], len(entities))
        elif len(entities) - self.recent.last > _MOST_LAST:
            self.recent = Sorted.of(entities[self.base.last :], self.base.last)


def ranges(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers starts[i] .. starts[i] + counts[i] - 1 of all i, one after the other."""
    total = int(counts.sum())
    jumps = np.repeat(starts - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts) if total else np.empty(0, int)
    result: NDArray[np.int64] = jumps + np.arange(total)
    return result

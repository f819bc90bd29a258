"""Ties: pairs of nodes that words join, in append-only columns, and each once, from either end, as readers see them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biographer.state.biographies import ranges
from biographer.state.column import Column

Numbers = NDArray[np.int64]


class Ties:
    """Pairs (left, right) and since when each is known; a pair may come again. One writer, any number of readers."""

    def __init__(self) -> None:
        self.lefts, self.rights = Column(np.int32), Column(np.int32)
        self.known = Column(np.int64)

    def __len__(self) -> int:
        """Count the pairs that readers may take."""
        return len(self.known)

    def add(self, left: int, right: int, known_us: int) -> None:
        """Add a pair of nodes by number."""
        self.lefts.append(left)
        self.rights.append(right)
        # Last, for readers count these.
        self.known.append(known_us)

    def seen(self, count: int, as_of_us: int | None) -> tuple[Numbers, Numbers]:
        """Return both ends of those of the first `count` pairs that were known by a time (None: all of them)."""
        lefts, rights = self.lefts[:count].astype(np.int64), self.rights[:count].astype(np.int64)
        if as_of_us is None:
            return lefts, rights
        known = self.known[:count] <= as_of_us
        return lefts[known], rights[known]

    def beside(self, number: int, count: int, as_of_us: int | None, *, left: bool) -> dict[int, int]:
        """Return what a left (or right) node is joined to, each with since when, as `seen` shows it."""
        ours, others = (self.lefts, self.rights) if left else (self.rights, self.lefts)
        rows = np.flatnonzero(ours[:count] == number)
        found: dict[int, int] = {}
        for other, known_us in zip(others[rows].tolist(), self.known[rows].tolist(), strict=True):
            if as_of_us is None or known_us <= as_of_us:
                found[other] = min(known_us, found.get(other, known_us))
        return dict(sorted(found.items()))


@dataclass(frozen=True, slots=True, eq=False)
class Tied:
    """Each pair once: left node i is joined to rights[first_right[i]:first_right[i + 1]], rising, and likewise back."""

    rights: Numbers
    first_right: Numbers
    lefts: Numbers
    first_left: Numbers

    @classmethod
    def of(cls, lefts: Numbers, rights: Numbers, left_count: int, right_count: int) -> "Tied":
        """Arrange pairs of `left_count` nodes with `right_count` others; a pair with a node beyond them is left out."""
        inside = (lefts < left_count) & (rights < right_count)
        rights, first_right = _arranged(lefts[inside], rights[inside], left_count)
        owners = np.repeat(np.arange(left_count), np.diff(first_right))
        lefts, first_left = _arranged(rights, owners, right_count)
        return cls(rights, first_right, lefts, first_left)

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self.rights)

    def among(self, rights: NDArray[np.bool_]) -> "Tied":
        """Return the pairs with these right nodes alone."""
        lefts = np.repeat(np.arange(len(self.first_right) - 1), np.diff(self.first_right))
        kept = rights[self.rights]
        return self.of(lefts[kept], self.rights[kept], len(self.first_right) - 1, len(self.first_left) - 1)

    @property
    def left_degrees(self) -> Numbers:
        """How many each left node is joined to."""
        return np.diff(self.first_right)

    @property
    def right_degrees(self) -> Numbers:
        """How many each right node is joined to."""
        return np.diff(self.first_left)

    def of_left(self, nodes: Numbers) -> tuple[Numbers, Numbers]:
        """Return (all that some left nodes are joined to, the place in `nodes` of each one's)."""
        return _chosen(self.rights, self.first_right, nodes)

    def of_right(self, nodes: Numbers) -> tuple[Numbers, Numbers]:
        """Return (all that some right nodes are joined to, the place in `nodes` of each one's)."""
        return _chosen(self.lefts, self.first_left, nodes)


def _arranged(owners: Numbers, others: Numbers, count: int) -> tuple[Numbers, Numbers]:
    """Return the others by owner, each once and rising, and where each owner's begin."""
    # One number a pair: to sort these takes a tenth of what an order of two columns does.
    pairs = np.sort(owners << 32 | others)
    pairs = pairs[np.append(True, np.diff(pairs) > 0)[: len(pairs)]]
    return pairs & 0xFFFFFFFF, np.searchsorted(pairs, np.arange(count + 1) << 32)


def _chosen(others: Numbers, first: Numbers, nodes: Numbers) -> tuple[Numbers, Numbers]:
    counts = first[nodes + 1] - first[nodes]
    return others[ranges(first[nodes], counts)], np.repeat(np.arange(len(nodes)), counts)

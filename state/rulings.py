"""What the search index knows of rulings: the rulings themselves, and observations that changed their entity by one.

Append-only columns beside the index's own, so that each reader takes of them what was known at its time. The index's
column of entities keeps what association chose.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biographer.state.column import Column
from biographer.state.membership import Membership
from biographer.state.ruling import Ruling
from biographer.state.standing import Standing


@dataclass(frozen=True, slots=True)
class RulingsExtent:
    """How far rulings and moves reach at one version, and since when the latest of them is known."""

    rulings: int = 0
    moves: int = 0
    known_us: int = 0
    entities: int = 0
    """One more than the highest entity that an observation moved to."""


class Rulings:
    """Rulings in their order, and moves: an observation, the entity that it moved to, and since when that is known."""

    def __init__(self) -> None:
        self.rulings: list[Ruling] = []
        self.observations = Column(np.int64)
        self.entities = Column(np.int32)
        self.known = Column(np.int64)
        self._versions: dict[int, int] = {}
        self._known_us, self._entities = 0, 0

    def add(self, rulings: Iterable[Ruling], memberships: Iterable[Membership]) -> None:
        """Add the next rulings, and memberships of higher versions; those that are here already change nothing."""
        for ruling in rulings:
            if ruling.number == len(self.rulings):
                self.rulings.append(ruling)
                self._known_us = max(self._known_us, ruling.known_us)
        for one in memberships:
            if one.version > self._versions.get(one.observation, 0):
                self._versions[one.observation] = one.version
                self.observations.append(one.observation)
                self.entities.append(one.entity)
                self.known.append(one.known_us)
                self._known_us = max(self._known_us, one.known_us)
                self._entities = max(self._entities, one.entity + 1)

    def extent(self) -> RulingsExtent:
        """Return how far all of it reaches."""
        return RulingsExtent(len(self.rulings), len(self.known), self._known_us, self._entities)

    def moved(
        self, extent: RulingsExtent, as_of_us: int | None, observations: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return (observation, entity) of the moves known then, of observations below a number; later ones last."""
        numbers, entities = self.observations[: extent.moves], self.entities[: extent.moves]
        seen = numbers < observations
        if as_of_us is not None:
            seen &= self.known[: extent.moves] <= as_of_us
        return numbers[seen], entities[seen]

    def standing(self, extent: RulingsExtent, as_of_us: int | None) -> Standing:
        """Return what the rulings that were known then say together."""
        return Standing(tuple(self.rulings[: extent.rulings])).as_of(as_of_us)

    def known_since(self, extent: RulingsExtent) -> int:
        """Return since when the earliest of what came after an extent is known; the end of time where nothing did."""
        moves = int(self.known[extent.moves :].min(initial=np.iinfo(np.int64).max))
        return min([moves, *(ruling.known_us for ruling in self.rulings[extent.rulings :])])

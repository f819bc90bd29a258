"""What the search index knows of castings: observations that were taken for somebody, and since when that is known.

Append-only columns beside the index's own. Whom they make of entities for one reader is in `seen_people`.
"""

import numpy as np
from numpy.typing import NDArray

from biographer.state.column import Column

Numbers = NDArray[np.int64]


class Castings:
    """Sightings that bear a name, in order of `add`; who was left open is not in it."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.observations = Column(np.int64)
        self.name_of = Column(np.int32)
        self.known = Column(np.int64)
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        """Count the castings that readers may take."""
        return len(self.known)

    def add(self, observation: int, name: str, known_us: int) -> None:
        """Add a casting."""
        number = self._numbers.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(name)
        self.observations.append(observation)
        self.name_of.append(number)
        # Last, for readers count these.
        self.known.append(known_us)

    def seen(self, count: int, as_of_us: int | None, entity_of: NDArray[np.int64]) -> tuple[Numbers, Numbers]:
        """Return (observation, name by number) of the first `count` known by a time, of those that have an entity."""
        observations, names = self.observations[:count], self.name_of[:count]
        inside = observations < len(entity_of)
        if as_of_us is not None:
            inside &= self.known[:count] <= as_of_us
        inside[inside] = entity_of[observations[inside]] >= 0
        return observations[inside], names[inside].astype(np.int64)

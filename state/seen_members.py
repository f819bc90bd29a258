"""Which observations are of which entity, as one reader sees it: by association, by users' words and by castings.

What association chose is in the index and stays there; what users and castings make of it is laid over that here.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from biographer.state.biographies import Last, ranges
from biographer.state.cast_people import CastPeople
from biographer.state.extent import Extent
from biographer.state.index import Index
from biographer.state.seen_people import people_seen
from biographer.state.standing import Standing
from biographer.state.visible import Visible

Numbers = NDArray[np.int64]


class SeenMembers:
    """Members of entities within an extent as of a time (None: all of it), of the observations that are visible."""

    def __init__(self, index: Index, extent: Extent, as_of_us: int | None, observations: Visible) -> None:
        self._index, self._extent, self._as_of_us, self._observations = index, extent, as_of_us, observations

    @cached_property
    def ruled(self) -> Standing:
        """What users said about who is who."""
        return self._index.rulings.standing(self._extent.rulings, self._as_of_us)

    @cached_property
    def people(self) -> CastPeople:
        """Whom castings name."""
        return people_seen(self._index, self._extent, self._as_of_us, self._said, self.ruled)

    @cached_property
    def entity_of(self) -> Numbers:
        """The entity of each observation, -1 where it has none or is not to be seen."""
        return self.people.joined(self._said)

    @cached_property
    def moved(self) -> bool:
        """Whether an observation is of another entity than association chose."""
        return bool(len(self._moves[0]))

    def of_entities(self, entities: Numbers) -> tuple[NDArray[np.int32], Numbers]:
        """Return (visible observations of the entities, the place in `entities` of each one's)."""
        looks, owners = self._looks_of(entities)
        found, places = self._extent.base.of_entities(looks)
        for one in (self._extent.recent, self._last):
            if len(one.members):
                more, further = one.of_entities(looks)
                found, places = np.concatenate([found, more]), np.concatenate([places, further])
        kept = found < self._observations.count
        if self.moved:
            places = owners[places]
            kept[kept] = self.entity_of[found[kept]] == entities[places[kept]]
        elif self._as_of_us is not None and not self._is_prefix:
            kept[kept] = self.entity_of[found[kept]] >= 0
        return (found, places) if bool(kept.all()) else (found[kept], places[kept])

    @property
    def _is_prefix(self) -> bool:
        """Whether what is visible are the first so many observations, whose entities were all known with them."""
        return self._extent.in_order and self._observations.mask is None

    @cached_property
    def _last(self) -> Last:
        """Observations by entity that were not sorted for all."""
        first = min(self._extent.recent.last, self._observations.count)
        return Last.of(self._index.entity_of[first : self._observations.count], first)

    @cached_property
    def _said(self) -> Numbers:
        """As `entity_of`, by association and users alone."""
        index, as_of_us, mask = self._index, self._as_of_us, self._observations.mask
        entities: Numbers = index.entity_of[: self._observations.count]
        if as_of_us is not None and not self._is_prefix:
            known = index.member_known[: self._observations.count] <= as_of_us
            if mask is not None:
                known &= mask
            entities = np.where(known, entities, -1)
        observations, moved_to = self._moved
        if len(observations):
            entities = entities.copy()
            # The last of several values assigned to one place stays.
            entities[observations] = moved_to
        return entities

    @cached_property
    def _moves(self) -> tuple[Numbers, NDArray[np.int32]]:
        """Observations that are of another entity than association chose, and that entity."""
        if not self.people.owners:
            return self._moved
        observations, entities = self._moved
        fragments = np.flatnonzero(self.entity_of != self._said)
        return np.append(observations, fragments), np.append(entities, self.entity_of[fragments])

    @cached_property
    def _moved(self) -> tuple[Numbers, NDArray[np.int32]]:
        """As `_moves`, by users' words alone."""
        return self._index.rulings.moved(self._extent.rulings, self._as_of_us, self._observations.count)

    @cached_property
    def _moved_looks(self) -> tuple[Numbers, Numbers]:
        """Pairs (entity, another one under which association knew observations of it), rising."""
        observations, entities = self._moves
        pairs = np.unique(np.stack([entities, self._index.entity_of[observations]]), axis=1).astype(np.int64)
        pairs = pairs[:, pairs[0] != pairs[1]]
        return pairs[0], pairs[1]

    def _looks_of(self, entities: Numbers) -> tuple[Numbers, Numbers]:
        """Return the entities under which association knew what may be theirs, and each one's place in `entities`."""
        places = np.arange(len(entities))
        if not self.moved:
            return entities, places
        owners, looks = self._moved_looks
        starts = np.searchsorted(owners, entities)
        counts = np.searchsorted(owners, entities, side="right") - starts
        return np.append(entities, looks[ranges(starts, counts)]), np.append(places, np.repeat(places, counts))

"""The relations of a memory in append-only columns: who did what with whom or what, when (EGAgent, appendix C).

Grown by the index; readers take of them what was known at their time. How they are searched is in `relation_search`.
"""

from collections.abc import Callable

import numpy as np

from biographer.state.column import Column
from biographer.state.name import name_key
from biographer.state.relation import Party, PartyKind, Relation, RelationKind

NOBODY = -1
"""The observation of a party that the model could not point at."""

Sighting = Callable[[int, int], int]
"""From a clip and a track to the number of the observation; NOBODY where there is none."""

KIND_NUMBERS = {kind: number for number, kind in enumerate(RelationKind)}
PARTY_NUMBERS = {kind: number for number, kind in enumerate(PartyKind)}


class Parties:
    """One end of every relation: its name by number, what it is, and which observation, where that is known."""

    def __init__(self, names: dict[str, int]) -> None:
        self._names = names
        self.names = Column(np.int32)
        self.kinds = Column(np.int8)
        self.observations = Column(np.int64)

    def add(self, party: Party, clip: int, sighting: Sighting) -> None:
        """Add the end of the next relation, of a clip by number."""
        self.names.append(self._names.setdefault(party.key, len(self._names)))
        self.kinds.append(PARTY_NUMBERS[party.kind])
        self.observations.append(NOBODY if party.track is None else sighting(clip, party.track))


class Relations:
    """Relations numbered from 0 in the order in which they were learned; one writer, any number of readers."""

    def __init__(self) -> None:
        self.records: list[Relation] = []
        self.names: dict[str, int] = {}
        """By key, over both ends; numbers count up, so that those below a reader's count are its own."""
        self.sources, self.targets = Parties(self.names), Parties(self.names)
        self.kinds = Column(np.int8)
        self.clips = Column(np.int64)
        self.starts, self.ends = Column(np.int64), Column(np.int64)
        self.documents = Column(np.int64)
        """Each one's document among those of episodes: its words and its vector."""
        self.known = Column(np.int64)

    def __len__(self) -> int:
        """Count the relations that readers may take."""
        return len(self.known)

    def add(self, relation: Relation, clip: int, document: int, sighting: Sighting) -> None:
        """Add the next relation, of a clip by number."""
        self.records.append(relation)
        self.sources.add(relation.source, clip, sighting)
        self.targets.add(relation.target, clip, sighting)
        self.kinds.append(KIND_NUMBERS[relation.kind])
        self.clips.append(clip)
        self.starts.append(relation.start_us)
        self.ends.append(relation.end_us)
        self.documents.append(document)
        # Last, for readers count these.
        self.known.append(relation.known_us)

    def named(self, name: str) -> int:
        """Return the number of a name, -1 where none is called so."""
        return self.names.get(name_key(name), -1)

    def alike(self, name: str) -> list[int]:
        """Return the numbers of names that hold all words of this one, or all of whose words it holds."""
        words = set(name_key(name).split())
        found = [(set(known.split()), number) for known, number in list(self.names.items())]
        return [number for known, number in found if words and known and (words <= known or known <= words)]

"""The people of a stream as castings name them: who bears which name, and which entities are fragments of one person.

Found anew for every reader from what it sees (`people`), and stored nowhere: what association and users decided stays
as it is beneath it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from biographer.state.owners import owned
from biographer.state.people import Apart, CastSighting, consolidated, people


@dataclass(frozen=True, slots=True)
class CastPeople:
    """`names` are those of entities that no user named; `owners` map a fragment to the entity that it is part of."""

    names: Mapping[int, str] = field(default_factory=dict)
    owners: Mapping[int, int] = field(default_factory=dict)

    def parts(self, entity: int) -> tuple[int, ...]:
        """Return an entity and its fragments."""
        return entity, *(fragment for fragment, owner in self.owners.items() if owner == entity)

    def joined(self, entities: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the entities that these are of, fragments joined; negative ones stay what they are."""
        return owned(entities, self.owners)


NOBODY = CastPeople()


def cast_people(sightings: Iterable[CastSighting], apart: Apart, given: Mapping[int, str]) -> CastPeople:
    """Return who is named by castings; `given` are the names of users."""
    named = people(sightings, (), apart, given)
    owners = consolidated(named, given)
    return CastPeople({one: name for one, name in named.items() if one not in given and one not in owners}, owners)

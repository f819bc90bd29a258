"""Which entity another one's observations are read as, for arrays of entities: by users' words, or by castings."""

from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.integer)


def owned(entities: NDArray[Number], owners: Mapping[int, int]) -> NDArray[Number]:
    """Return the entities that these are of, each itself where it has no owner; negative ones stay what they are."""
    if not owners:
        return entities
    owner = np.arange(-1, max(int(entities.max(initial=-1)), *owners) + 1, dtype=entities.dtype)
    owner[np.fromiter(owners, np.int64) + 1] = list(owners.values())
    found: NDArray[Number] = owner[entities + 1]
    return found

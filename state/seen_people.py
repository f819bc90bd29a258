"""The people whom castings name for one view of the index: of what it sees alone."""

import numpy as np
from numpy.typing import NDArray

from biographer.state.cast_people import NOBODY, CastPeople, cast_people
from biographer.state.extent import Extent
from biographer.state.index import Index
from biographer.state.people import CastSighting, Pair
from biographer.state.standing import Standing
from biographer.state.windows import midnight


def people_seen(
    index: Index, extent: Extent, as_of_us: int | None, entity_of: NDArray[np.int32], standing: Standing
) -> CastPeople:
    """Return who is named by castings; `entity_of` and `standing` are by association and users alone."""
    if not extent.told.castings:
        return NOBODY
    observations, names = index.told.castings.seen(extent.told.castings, as_of_us, entity_of)
    entities = entity_of[observations]
    hours, places = np.unique(index.hours[index.clip_of[observations]], return_inverse=True)
    days = np.array([midnight(hour, index.zone) for hour in hours.tolist()], np.int64)[places]
    cast = [CastSighting(*one) for one in zip(entities.tolist(), days.tolist(), names, strict=True)]
    return cast_people(cast, _apart(index, entity_of, entities, standing), standing.names)


def _apart(index: Index, entity_of: NDArray[np.int32], cast: NDArray[np.int32], standing: Standing) -> frozenset[Pair]:
    """Return the pairs (low, high) of entities that are two, of those that may bear a name."""
    among = np.union1d(cast, np.fromiter(standing.names, np.int32))
    aparts = index.aparts.view()
    pairs = entity_of[aparts[(aparts < len(entity_of)).all(axis=1)]].reshape(-1, 2)
    pairs = np.unique(np.sort(pairs[np.isin(pairs, among).all(axis=1)], axis=1), axis=0)
    return frozenset((low, high) for low, high in pairs.tolist() if low != high) | frozenset(standing.apart)

"""The people whom castings name for one view of the index: of what it sees alone."""

from collections.abc import Collection, Iterator

import numpy as np
from numpy.typing import NDArray

from biographer.state.cast_people import NOBODY, CastPeople, cast_people
from biographer.state.extent import Extent
from biographer.state.index import Index
from biographer.state.people import CastSighting, Pair
from biographer.state.standing import Standing
from biographer.state.windows import midnight

Numbers = NDArray[np.int64]


def people_seen(
    index: Index, extent: Extent, as_of_us: int | None, entity_of: NDArray[np.int64], standing: Standing
) -> CastPeople:
    """Return who is named by castings; `entity_of` and `standing` are by association and users alone."""
    if not extent.told.castings:
        return NOBODY
    cast = _sightings(index, *index.told.castings.seen(extent.told.castings, as_of_us, entity_of), entity_of)
    return cast_people(cast, lambda among: _apart(index, entity_of, among, standing), standing.names)


def _sightings(
    index: Index, observations: Numbers, names: Numbers, entity_of: NDArray[np.int64]
) -> Iterator[CastSighting]:
    """Yield who was taken for whom on which day, and how often: few of the castings of a week differ in that."""
    told = index.told.castings.names
    hours, hour_of = np.unique(index.hours[index.clip_of[observations]], return_inverse=True)
    days, day_of = np.unique([midnight(hour, index.zone) for hour in hours.tolist()], return_inverse=True)
    # One number for the three: to sort these takes a tenth of what rows of three do.
    entities = entity_of[observations].astype(np.int64)
    rows, times = np.unique((entities * len(days) + day_of[hour_of]) * len(told) + names, return_counts=True)
    entity, day, name = rows // (len(days) * len(told)), rows // len(told) % len(days), rows % len(told)
    for one in zip(entity.tolist(), days[day].tolist(), name.tolist(), times.tolist(), strict=True):
        yield CastSighting(one[0], one[1], told[one[2]], one[3])


def _apart(index: Index, entity_of: NDArray[np.int64], among: Collection[int], standing: Standing) -> frozenset[Pair]:
    """Return those pairs (low, high) of some entities that are two."""
    # One place more: what has no entity, -1, is none of them.
    chosen = np.zeros(max(int(entity_of.max(initial=-1)), *among, -1) + 2, np.bool_)
    chosen[list(among)] = True
    aparts = index.aparts.view()
    seen = aparts[(aparts[:, 0] < len(entity_of)) & (aparts[:, 1] < len(entity_of))]
    low, high = entity_of[seen[:, 0]], entity_of[seen[:, 1]]
    torn = chosen[low] & chosen[high] & (low != high)
    pairs = zip(low[torn].tolist(), high[torn].tolist(), strict=True)
    return frozenset((min(pair), max(pair)) for pair in pairs) | frozenset(standing.apart)

"""Which entities are named people: decided day by day from who sightings were taken for, and only where that is clear.

GEB (appendix, naming) assigns once, over the whole recording; here the decision is a pure function of the castings that
are known, so that as of a time it is made of those known then. A user's word stands over all of it. Entities that bear
one name without having been seen apart are fragments of one person; nothing that is stored says so, so that one more
casting, a later sight of both at once, or a user's word parts them again.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biographer.state.name import name_key

PEOPLE = frozenset({"person", "man", "woman", "boy", "girl", "child", "baby", "people", "human"})
"""Labels of those who may have a name."""

Pair = tuple[int, int]
Apart = Callable[[Collection[int]], Collection[Pair]]
"""From some entities to those pairs (low, high) of them that are two: of the few that may share a name, not of all."""

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PeopleRule:
    """When a name is clear.

    On a day, at least `sightings` of an entity are taken for somebody, and `share` of them for one. By looks, a day's
    vector of it is at least `similar` (cosine) to one profile of that day, and `margin` more than to any other.
    """

    sightings: int = 2
    share: float = 0.75
    similar: float = 0.75
    margin: float = 0.1


@dataclass(frozen=True, slots=True)
class CastSighting:
    """An entity that was taken for somebody on the day that starts at `day_us`, in so many observations."""

    entity: int
    day_us: int
    name: str
    times: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class DayLooks:
    """What an entity looked like on a day: the mean of its vectors of one embedder, of length one."""

    entity: int
    day_us: int
    vector: Vector


def people(
    sightings: Iterable[CastSighting],
    looks: Iterable[DayLooks],
    apart: Apart,
    given: Mapping[int, str],
    rule: PeopleRule = PeopleRule(),
) -> dict[int, str]:
    """Return the names of entities, those that users gave included; who is not clear is not in it.

    An entity that is named differently on two days bears no name, and
    neither of two that are `apart` bears one that both would; a name that a user gave to one stays with it.
    """
    cast = _clear_days(sightings, rule)
    days = cast | _by_looks(cast, list(looks), rule)
    names = _over_days(days)
    names = {entity: name for entity, name in names.items() if entity not in given}
    borne = names | dict(given)
    for entity in _torn(borne, apart(borne)):
        names.pop(entity, None)
    return names | dict(given)


def consolidated(names: Mapping[int, str], given: Mapping[int, str]) -> dict[int, int]:
    """Return, of entities that bear one name, the one that each other is a fragment of; `names` are those of `people`.

    That is the one to which a user gave the name, else the first. Where users gave it to several, nobody knows which.
    """
    alike: dict[str, list[int]] = defaultdict(list)
    for entity, name in sorted(names.items()):
        alike[name_key(name)].append(entity)
    owners: dict[int, int] = {}
    for entities in alike.values():
        said = [entity for entity in entities if entity in given]
        if len(said) <= 1:
            kept = said[0] if said else entities[0]
            owners |= {entity: kept for entity in entities if entity != kept}
    return owners


_Days = dict[tuple[int, int], str]
"""By entity and day, the name that is clear."""


def _clear_days(sightings: Iterable[CastSighting], rule: PeopleRule) -> _Days:
    counts: dict[tuple[int, int], dict[str, int]] = defaultdict(dict)
    written: dict[str, str] = {}
    keys: dict[str, str] = {}
    for one in sightings:
        # A week has some ten thousand sightings of a few dozen names.
        key = keys.get(one.name) or keys.setdefault(one.name, name_key(one.name))
        names = counts[one.entity, one.day_us]
        names[key] = names.get(key, 0) + one.times
        # Of several ways to write a name the first by the alphabet, whichever came first.
        written[key] = min(one.name, written.get(key, one.name))
    clear: _Days = {}
    for day, names in counts.items():
        total = sum(names.values())
        key, most = min(names.items(), key=lambda one: (-one[1], one[0]))
        if total >= rule.sightings and most >= rule.share * total and most * 2 > total:
            clear[day] = written[key]
    return clear


def _by_looks(cast: _Days, looks: list[DayLooks], rule: PeopleRule) -> _Days:
    """Return the names that looks alone make clear, of entities and days that were not cast clearly."""
    profiles: dict[int, dict[str, list[Vector]]] = defaultdict(lambda: defaultdict(list))
    for one in looks:
        if (name := cast.get((one.entity, one.day_us))) is not None:
            profiles[one.day_us][name].append(one.vector)
    found: _Days = {}
    for one in looks:
        if (one.entity, one.day_us) in cast:
            continue
        alike = sorted(
            ((max(float(vector @ one.vector) for vector in of), name) for name, of in profiles[one.day_us].items()),
            reverse=True,
        )
        second = alike[1][0] if len(alike) > 1 else -1.0
        # A NaN passes neither.
        if alike and alike[0][0] >= rule.similar and alike[0][0] - second >= rule.margin:
            found[one.entity, one.day_us] = alike[0][1]
    return found


def _over_days(days: _Days) -> dict[int, str]:
    """Return the name that an entity bears on all the days on which it bears any."""
    borne: dict[int, set[str]] = defaultdict(set)
    for (entity, _), name in days.items():
        borne[entity].add(name)
    return {entity: min(names) for entity, names in borne.items() if len({name_key(one) for one in names}) == 1}


def _torn(names: Mapping[int, str], apart: Collection[Pair]) -> set[int]:
    keys = {entity: name_key(name) for entity, name in names.items()}
    alike = (pair for pair in apart if pair[0] in keys and keys[pair[0]] == keys.get(pair[1]))
    return {entity for pair in alike for entity in pair}

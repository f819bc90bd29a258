"""Who is seen when: entities that re-appear as in GEB's week, in clips of 49 observations.

From that paper (appendix, scale of the week): 308,244 observations of 77,716 entities in 6,266 clips, 27,446 of them
seen more than once, the most seen object 517 times and the most seen person 5,264 times. Numbers of sightings over one
follow a power law up to that object; what is seen again soon is seen in a spell of successive clips.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WEEK_OBSERVATIONS = 308_244
WEEK_ENTITIES = 77_716
WEEK_RETURNING = 27_446
WEEK_MOST_SEEN = 5_264
OBJECT_MOST_SEEN = 517
PER_CLIP = 49

_EXPONENT = 1.98
"""With it, the mean of 2..517 sightings is that of the week's returning entities."""

_SPELL_ENDS = 0.25
_PAUSE_CLIPS = 300.0

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """The entity and the spell of every observation, shape (clips, per_clip) each.

    Entities are numbered by first sighting, and no clip shows one twice; spells are numbered without order.
    """

    entities: Numbers
    spells: Numbers

    @property
    def clips(self) -> int:
        """Count the clips."""
        return len(self.entities)

    @property
    def entity_count(self) -> int:
        """Count the entities."""
        return int(self.entities.max()) + 1


def population(clips: int, random: np.random.Generator, per_clip: int = PER_CLIP) -> Population:
    """Draw who is seen in each of `clips` clips of `per_clip` observations."""
    total = clips * per_clip
    sizes = _sizes(total, clips, random)
    entities = np.repeat(np.arange(len(sizes)), sizes)
    places, spells = _places(sizes, entities, clips, random)
    order = np.argsort(places, kind="stable")
    entities, spells = _without_doubles(entities[order], spells[order], per_clip)
    return Population(_by_first_sighting(entities).reshape(clips, per_clip), spells.reshape(clips, per_clip))


def _sizes(total: int, clips: int, random: np.random.Generator) -> Numbers:
    """Draw how often each entity is seen, `total` in all, the week's share of entities to observations."""
    count = max(1, round(total * WEEK_ENTITIES / WEEK_OBSERVATIONS))
    most = max(2, min(OBJECT_MOST_SEEN, clips // 2))
    ranks = np.arange(2, most + 1)
    weights = ranks**-_EXPONENT
    sizes = np.ones(count, np.int64)
    returning = random.random(count) < WEEK_RETURNING / WEEK_ENTITIES
    sizes[returning] = random.choice(ranks, returning.sum(), p=weights / weights.sum())
    sizes[0] = max(1, min(clips, round(total * WEEK_MOST_SEEN / WEEK_OBSERVATIONS)))
    return _balanced(sizes, total, clips, random)


def _balanced(sizes: Numbers, total: int, clips: int, random: np.random.Generator) -> Numbers:
    """Add or take sightings, of entities seen again if possible, until they make `total`; at last, add entities."""
    while (missing := total - int(sizes.sum())) != 0:
        able = np.flatnonzero((sizes > 1) & (sizes < clips)) if missing > 0 else np.flatnonzero(sizes > 2)
        if not len(able):
            able = np.flatnonzero(sizes < clips) if missing > 0 else np.flatnonzero(sizes > 1)
        if not len(able):
            return np.append(sizes, np.ones(missing, np.int64)) if missing > 0 else sizes[:total]
        sizes[random.permutation(able)[: abs(missing)]] += np.sign(missing)
    return sizes


def _places(
    sizes: Numbers, entities: Numbers, clips: int, random: np.random.Generator
) -> tuple[NDArray[np.float64], Numbers]:
    """Draw when each sighting is, in clips from the start, and number the spell that it is part of."""
    first = np.concatenate([[True], entities[1:] != entities[:-1]])
    pauses = first | (random.random(len(entities)) < _SPELL_ENDS)
    steps = 1.0 + random.exponential(0.6, len(entities))
    steps[pauses] += random.lognormal(np.log(_PAUSE_CLIPS), 1.5, int(pauses.sum()))
    steps[first] = random.uniform(0, clips, int(first.sum()))
    sums = np.cumsum(steps)
    begins = np.repeat((sums - steps)[first], sizes)
    places = (sums - begins) % clips
    # Whoever would not fit with such pauses is met evenly over the whole time.
    often = np.repeat(sizes * (1.6 + _SPELL_ENDS * _PAUSE_CLIPS) > clips, sizes)
    evenly = (np.arange(len(entities)) - np.repeat(np.flatnonzero(first), sizes)) / np.repeat(sizes, sizes)
    jitter = random.random(len(entities)) / np.repeat(sizes, sizes)
    places[often] = (clips * (evenly + jitter))[often]
    return places, np.cumsum(pauses) - 1


def _without_doubles(entities: Numbers, spells: Numbers, per_clip: int) -> tuple[Numbers, Numbers]:
    """Swap second sightings within a clip with those of the next one; what still remains becomes new entities."""
    for turn in range(8):
        doubles = _doubles(entities, per_clip)
        if not len(doubles):
            break
        other = (doubles + per_clip + turn) % len(entities)
        for one, two in zip(doubles.tolist(), other.tolist(), strict=True):
            entities[[one, two]], spells[[one, two]] = entities[[two, one]], spells[[two, one]]
    doubles = _doubles(entities, per_clip)
    entities[doubles] = entities.max() + 1 + np.arange(len(doubles))
    return entities, spells


def _doubles(entities: Numbers, per_clip: int) -> Numbers:
    keys = np.arange(len(entities)) // per_clip * (int(entities.max()) + 1) + entities
    order = np.argsort(keys, kind="stable")
    return np.sort(order[1:][keys[order][1:] == keys[order][:-1]])


def _by_first_sighting(entities: Numbers) -> Numbers:
    _, firsts, inverse = np.unique(entities, return_index=True, return_inverse=True)
    ranks = np.empty(len(firsts), np.int64)
    ranks[np.argsort(firsts)] = np.arange(len(firsts))
    return ranks[inverse]

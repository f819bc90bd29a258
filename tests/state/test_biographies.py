"""What is sorted by entity: the base, what came lately and the last few together say what a plain search would."""

import numpy as np
import pytest

from biographer.state.biographies import Biographies, Last, Sorted

FIRST, BATCH = 3_000, 37


def grown(count):
    """Entities of so many observations, and what is sorted of them after growing batch by batch."""
    entities = np.random.default_rng(count).integers(-1, count // 4, count)
    biographies = Biographies()
    for end in [*range(BATCH, count, BATCH), count]:
        biographies.grow(entities[:end])
    return entities, biographies


@pytest.mark.parametrize("count", [1, 400, 2_000, FIRST, 20_000])
def test_all_parts_together_find_every_member_once(count):
    entities, biographies = grown(count)
    last = Last.of(entities[biographies.recent.last :], biographies.recent.last)
    asked = np.random.default_rng(0).integers(0, count // 4 + 5, 60)
    found = [one.of_entities(asked) for one in (biographies.base, biographies.recent, last)]
    pairs = sorted(pair for numbers, places in found for pair in zip(places.tolist(), numbers.tolist(), strict=True))
    expected = [(place, int(n)) for place, entity in enumerate(asked) for n in np.flatnonzero(entities == entity)]
    assert pairs == expected


def test_parts_follow_each_other_and_leave_few_to_each_view():
    entities, biographies = grown(20_000)
    base, recent = biographies.base, biographies.recent
    assert base.first == 0 < base.last == recent.first < recent.last
    assert len(entities) - recent.last <= 512 + BATCH


def test_what_a_reader_was_given_stays_as_it_is():
    entities, biographies = grown(FIRST)
    given = biographies.base, biographies.recent
    copies = [(one.members.copy(), one.starts.copy()) for one in given]
    biographies.grow(np.concatenate([entities, entities]))
    assert biographies.base is not given[0]
    for one, (members, starts) in zip(given, copies, strict=True):
        assert np.array_equal(one.members, members)
        assert np.array_equal(one.starts, starts)


@pytest.mark.parametrize("kind", [Sorted, Last])
def test_who_has_none_has_none(kind):
    one = kind.of(np.array([-1, 2, -1, 2], np.int64), 10)
    numbers, places = one.of_entities(np.array([0, 2, 7], np.int64))
    assert (numbers.tolist(), places.tolist()) == ([11, 13], [1, 1])

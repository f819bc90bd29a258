"""Who is named: only where it is clear, never two who were seen apart, whatever came in which order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from biographer.state.name import name_key
from biographer.state.people import CastSighting, DayLooks, PeopleRule, consolidated, people

RULE = PeopleRule()
MONDAY, TUESDAY = 0, 86_400_000_000


def seen(entity, name, times=1, day=MONDAY):
    return [CastSighting(entity, day, name)] * times


def two(*pairs):
    """Says of some entities that these pairs are two."""
    return lambda _: pairs


nobody = two()


def looking(entity, *values, day=MONDAY):
    vector = np.asarray(values, np.float32)
    return DayLooks(entity, day, vector / np.linalg.norm(vector))


def test_a_name_needs_more_than_one_sighting_and_nearly_all_of_them():
    assert people(seen(0, "Jake"), (), nobody, {}) == {}
    assert people(seen(0, "Jake", 2), (), nobody, {}) == {0: "Jake"}
    assert people([*seen(0, "Jake", 3), *seen(0, "Tasha", 1)], (), nobody, {}) == {0: "Jake"}
    assert people([*seen(0, "Jake", 2), *seen(0, "Tasha", 1)], (), nobody, {}) == {}


def test_who_is_named_differently_on_two_days_bears_no_name_across_days():
    both = [*seen(0, "Jake", 2), *seen(0, "Tasha", 2, TUESDAY)]
    assert people(both, (), nobody, {}) == {}
    assert people([*seen(0, "Jake", 2), *seen(0, "jake", 2, TUESDAY)], (), nobody, {}) == {0: "Jake"}


def test_two_who_were_seen_apart_do_not_share_a_name_and_a_users_word_stands():
    both = [*seen(0, "Jake", 2), *seen(1, "Jake", 5)]
    assert people(both, (), two((0, 1)), {}) == {}
    assert people(both, (), two((0, 1)), {0: "Jake"}) == {0: "Jake"}
    assert people(both, (), nobody, {1: "Tasha"}) == {0: "Jake", 1: "Tasha"}


def test_looks_name_whom_no_casting_does_where_one_profile_alone_fits():
    cast = [*seen(0, "Jake", 2), *seen(1, "Tasha", 2)]
    looks = [looking(0, 1, 0), looking(1, 0, 1), looking(2, 1, 0.1), looking(3, 1, 1), looking(4, 1, 0, day=TUESDAY)]
    assert people(cast, looks, nobody, {}) == {0: "Jake", 1: "Tasha", 2: "Jake"}
    assert people(cast, [looking(0, 1, 0), DayLooks(2, MONDAY, np.full(2, np.nan, np.float32))], nobody, {}) == {
        0: "Jake",
        1: "Tasha",
    }


def test_who_bears_one_name_is_one_person_whom_a_user_named_or_who_came_first():
    names = {0: "Jake", 3: "jake", 5: "Tasha", 7: "Jake"}
    assert consolidated(names, {}) == {3: 0, 7: 0}
    assert consolidated(names, {7: "Jake", 5: "Tasha"}) == {0: 7, 3: 7}


def test_to_which_of_two_namesakes_of_a_users_a_fragment_belongs_nobody_knows():
    assert consolidated({0: "Jake", 3: "Jake", 7: "Jake"}, {0: "Jake", 7: "Jake"}) == {}


names = st.sampled_from(["Jake", "jake", "Tasha", "Lucia"])
sightings = st.lists(st.builds(CastSighting, st.integers(0, 4), st.sampled_from([MONDAY, TUESDAY]), names), max_size=24)
pairs = st.frozensets(st.tuples(st.integers(0, 1), st.integers(2, 4)), max_size=4)
vectors = st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).filter(
    lambda one: any(abs(v) > 0.1 for v in one)
)
looked = st.lists(
    st.builds(lambda e, d, v: looking(e, *v, day=d), st.integers(0, 4), st.sampled_from([MONDAY, TUESDAY]), vectors),
    max_size=8,
    unique_by=lambda one: (one.entity, one.day_us),
)


@given(sightings, looked, pairs, st.dictionaries(st.integers(0, 4), names, max_size=2), st.randoms())
def test_the_rule_holds_whatever_comes_in_which_order(cast, looks, apart, given_names, random):
    found = people(cast, looks, two(*apart), given_names)
    shuffled, other = list(cast), list(looks)
    random.shuffle(shuffled)
    random.shuffle(other)
    assert people(shuffled, other, two(*apart), given_names) == found
    assert found.items() >= given_names.items()
    for low, high in apart:
        if low in found and high in found and name_key(found[low]) == name_key(found[high]):
            assert {low, high} <= given_names.keys()
    told = {name_key(one.name) for one in cast}
    assert all(name_key(name) in told for entity, name in found.items() if entity not in given_names)
    for entity in found.keys() - given_names.keys():
        clear = {name_key(name) for name in _clear(cast, entity)}
        assert clear <= {name_key(found[entity])}


def _clear(cast, entity):
    """The names of the days on which an entity was taken for one person alone, often enough."""
    for day in (MONDAY, TUESDAY):
        of_day = [one.name for one in cast if one.entity == entity and one.day_us == day]
        if len(of_day) >= RULE.sightings and len({name_key(name) for name in of_day}) == 1:
            yield of_day[0]

"""What rulings say together: a pure function of the rulings, in their order."""

import numpy as np
import pytest

from biographer.state.ruling import Act, Ruling
from biographer.state.standing import Standing


def merge(number, entity, other):
    return Ruling(number, Act.MERGE, "me", number, entity, other)


def split(number, entity, begun, observations, looks):
    return Ruling(number, Act.SPLIT, "me", number, entity, begun, observations=observations, looks=looks)


def undo(number, undoes):
    return Ruling(number, Act.UNDO, "me", number, undoes=undoes)


def test_nobody_ruled():
    nothing = Standing()
    looks = np.array([3, -1, 0], np.int32)
    assert nothing.owned(looks) is looks
    assert (nothing.owner(7), nothing.kin(7), dict(nothing.apart), dict(nothing.names)) == (7, (7,), {}, {})


def test_merges_add_up_and_come_off_one_by_one():
    both = Standing((merge(0, 1, 2), merge(1, 5, 1)))
    assert both.owned(np.array([2, 1, 5, 9, -1], np.int32)).tolist() == [5, 5, 5, 9, -1]
    assert both.kin(2) == both.kin(5) == (1, 2, 5)
    assert both.after(undo(2, 0)).kin(1) == (1, 5)
    assert both.after(undo(2, 1)).kin(1) == (1, 2)
    assert both.after(undo(2, 0)).after(undo(3, 2)).kin(1) == (1, 2, 5)


def test_what_a_split_began_is_one_with_where_it_came_from_once_it_is_undone():
    parted = Standing((split(0, 4, 9, (10, 11), (4, 4)), split(1, 4, 12, (11, 30), (4, 4))))
    assert parted.looks == {10: 9, 11: 12, 30: 12}
    assert set(parted.apart) == {(4, 9), (4, 12)}
    undone = parted.after(undo(2, 1))
    assert undone.looks == {10: 9, 11: 9, 30: 4}
    assert (undone.owner(12), undone.owner(9)) == (4, 9)


def test_a_name_stays_with_what_survives():
    names = (Ruling(0, Act.NAME, "me", 0, 1, name="Jake"), Ruling(1, Act.NAME, "me", 1, 2, name="the tall one"))
    assert Standing((*names, merge(2, 1, 2))).names == {1: "Jake"}
    assert Standing((*names[1:], merge(2, 1, 2))).names == {1: "the tall one"}
    assert Standing((*names, undo(2, 0))).names == {2: "the tall one"}


@pytest.mark.parametrize(("moment", "kin"), [(0, (1,)), (1, (1, 2)), (2, (1, 2)), (3, (1,)), (None, (1,))])
def test_rulings_as_of_a_time_are_those_known_then(moment, kin):
    rulings = (Ruling(0, Act.NAME, "me", 0, 1, name="Jake"), merge(1, 1, 2), undo(3, 1))
    assert Standing(rulings).as_of(moment).kin(1) == kin


def test_a_pair_that_is_one_though_a_ruling_parts_it_is_found():
    apart = Ruling(0, Act.APART, "me", 0, 1, 2)
    assert Standing((apart, merge(1, 3, 2))).broken() is None
    assert Standing((apart, merge(1, 3, 2), merge(2, 1, 3))).broken() == ((1, 1), 0)

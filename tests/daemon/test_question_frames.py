"""Which moments of the evidence an answering model is shown."""

import pytest
from questioned import kitchen, view_of

from biographer.daemon.question_frames import moments
from biographer.state.graph import NodeKind
from biographer.state.query import Item, Unit
from biographer.state.times import SECOND_US


def item(kind, number, start_s, end_s):
    span = (round(start_s * SECOND_US), round(end_s * SECOND_US))
    return Item(Unit(kind, number), "", "", *span, span[1], 1.0, "", ())


def shown(items, most=64):
    view = view_of(kitchen())
    return [(one.names, one.clip, one.offset_us / SECOND_US) for one in moments(view, items, most)]


def test_moments_lie_evenly_over_each_item_from_its_clips_start():
    found = shown([item(NodeKind.EPISODE, 1, 30, 54)])
    assert found == [(("l1",), 1, at) for at in (3, 9, 15, 21)]


def test_an_observation_and_its_episode_share_the_frames_that_show_the_same():
    seen, told = item(NodeKind.OBSERVATION, 0, 0.1, 24.1), item(NodeKind.EPISODE, 0, 0, 24)
    assert [names for names, _, _ in shown([seen, told])] == [("o0", "l0")] * 4
    assert [at for _, _, at in shown([seen, told])] == pytest.approx([3.1, 9.1, 15.1, 21.1])
    assert [at for _, _, at in shown([told, seen])] == pytest.approx([3, 9, 15, 21])


def test_moments_half_a_second_apart_are_shown_both_and_other_clips_never_share():
    one, other = item(NodeKind.EPISODE, 0, 0, 24), item(NodeKind.OBSERVATION, 0, 0.5, 24.5)
    assert len(shown([one, other])) == 8
    assert len(shown([one, item(NodeKind.EPISODE, 1, 0, 24)])) == 8


def test_what_lasted_a_moment_is_shown_less_often():
    assert len(shown([item(NodeKind.OBSERVATION, 0, 1, 1.4)])) == 1


def test_windows_show_none_and_the_bound_holds():
    assert shown([item(NodeKind.WINDOW, 0, 0, 180)]) == []
    many = [item(NodeKind.EPISODE, number, 30 * number, 30 * number + 30) for number in range(3)]
    assert len(shown(many, most=5)) == 3
    assert len(shown(many, most=2)) == 2

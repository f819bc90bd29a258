"""Citations: what was shown and exists holds; all else is invented, and comes out of the text."""

import pytest
from questioned import kitchen, view_of

from biographer.daemon.citations import checked, without
from biographer.daemon.unit_names import citable, shown
from biographer.state.graph import NodeKind
from biographer.state.items import item
from biographer.state.query import Unit
from biographer.state.times import SECOND_US


@pytest.fixture(scope="module")
def view():
    return view_of(kitchen())


def items(view, *units):
    return [item(view, Unit(kind, number), 0.0, ("text",)) for kind, number in units]


def test_what_was_shown_may_be_cited_by_unit_and_by_clip(view):
    may = citable(view, items(view, (NodeKind.OBSERVATION, 1), (NodeKind.EPISODE, 2)))
    assert set(may) == {"o1", "c1", "l2", "c2"}
    found = checked(view, items(view, (NodeKind.EPISODE, 2)), "Back [l2], as [c2; l2] shows.", ("l2",))
    assert (list(found.valid), found.invented) == (["l2", "c2"], ())


@pytest.mark.parametrize(
    ("text", "listed", "invented"),
    [
        ("It was [l999].", (), ("l999",)),
        ("It was.", ("o0", "nonsense"), ("o0", "nonsense")),
        ("See [l2, l3 and o7].", (), ("l3", "o7")),
        ("See [l2](http://x/l3) [e0].", (), ()),
        ("[l02] [L2] [ll2]", (), ("l02",)),
    ],
)
def test_what_was_not_shown_is_invented(view, text, listed, invented):
    assert checked(view, items(view, (NodeKind.EPISODE, 2)), text, listed).invented == invented


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Yes [l2, o9].", "Yes [l2]."),
        ("Yes [o9].", "Yes."),
        ("Yes [o9; o9].", "Yes."),
        ("[a note] and [l2]", "[a note] and [l2]"),
        ("[see o9 there]", "[see  there]"),
        ("o9 stays outside", "o9 stays outside"),
    ],
)
def test_invented_names_come_out_of_brackets(text, left):
    assert without(text, ["o9"]) == left


def test_a_view_shows_only_what_was_known(view):
    then = view_of(kitchen(), 95 * SECOND_US)
    assert [shown(view, name) for name in ("l3", "o3", "c3", "l4", "o4", "w999")] == [True] * 3 + [False] * 3
    assert [shown(then, name) for name in ("l2", "o2", "c2", "l3", "o3", "c3")] == [True] * 3 + [False] * 3

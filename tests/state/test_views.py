"""Views that readers share: made once each, good while nothing came that they should show, waiting for nobody."""

import threading

import pytest
from recordings import meaning, remembered, told
from remarks import AUTHOR, amend, written
from sightings import us

from biographer.state.caption import Caption
from biographer.state.cast import Casting
from biographer.state.chain import EventStep, TopicFact
from biographer.state.name import Mention, NameKind
from biographer.state.piece import Piece
from biographer.state.query import Query
from biographer.state.search import search
from biographer.state.search_settings import SearchSettings
from biographer.state.stretch import Stretch
from biographer.state.triple import Triple
from biographer.state.view import View
from biographer.state.views import Views

LOG = [told(f"c{n}", 30.0 * n, "a red cup", things=[(0, n % 2, "cup")]) for n in range(6)]


def adopt(memory, *clips):
    for one in clips:
        memory.adopt(memory.plan(one))


def found(view):
    return search(view, Query("red cup", meaning("red cup")), SearchSettings())


def test_a_view_is_made_once_for_all_who_ask_the_same():
    memory = remembered(LOG)
    views = Views(memory.index)
    assert views.at() is views.at()
    assert views.at(us(75)) is views.at(us(75))
    assert views.at(us(10_000)) is views.at()


def test_a_view_as_of_then_holds_while_clips_come_in_order():
    memory = remembered(LOG[:4])
    views = Views(memory.index)
    then = views.at(us(75))
    adopt(memory, *LOG[4:])
    assert views.at(us(75)) is then
    assert found(then).items == found(View(memory.index, us(75))).items
    assert views.at().version == 6


def test_a_late_clip_makes_views_as_of_then_anew():
    """bytewax/bytewax#413: what came late is seen, also as of then, where it was known by then."""
    memory = remembered(LOG[:2])
    views = Views(memory.index)
    first = views.at(us(50))
    adopt(memory, told("late", 10.0, "a red cup too"))
    assert first.clips.total == 1
    assert views.at(us(50)).clips.total == 2
    assert views.at(us(50)).version == 3


LATER = Stretch("3min", 0, us(180), us(10_000), ("c0",))
TALE = (("c0",), 0, us(30))


@pytest.mark.parametrize(
    ("writing", "remark"),
    [
        ("summary", Caption(LATER, AUTHOR, "a cup")),
        ("names", Mention(LATER, AUTHOR, "Zoe", NameKind.PERSON, *TALE)),
        ("facts", Triple(LATER, AUTHOR, "Zoe", "meets", "Ben", *TALE)),
        ("chains", TopicFact(LATER, AUTHOR, "cup", "red", *TALE)),
        ("chains", EventStep(LATER, AUTHOR, None, "a cup", "red", *TALE)),
        ("cast", Casting(LATER, AUTHOR, 0, "Zoe", "", "")),
    ],
)
def test_what_is_known_later_than_all_clips_makes_no_view_of_all_good_as_of_before(writing, remark):
    memory = remembered(LOG)
    views = Views(memory.index)
    assert views.at(us(9_999)) is views.at()
    amend(memory, written(Piece.of_stretch(writing, LATER, -1), LATER.clips, remark))
    assert views.at(us(9_999)) is not views.at()
    assert views.at(us(10_000)) is views.at()


def test_few_views_are_kept():
    memory = remembered(LOG)
    views = Views(memory.index)
    first = views.at(us(40))
    for second in range(50, 60):
        views.at(us(second))
    assert views.at(us(40)) is not first
    assert views.at(us(59)) is views.at(us(59))


def test_readers_do_not_wait_for_the_writer():
    """While the writer has its turn at the index, what was there before is read."""
    memory = remembered(LOG)
    views, taken = Views(memory.index), []
    with memory.learning._turn:
        reader = threading.Thread(target=lambda: taken.append(found(Views(memory.index).at())))
        reader.start()
        reader.join(timeout=30)
        assert not reader.is_alive()
    assert taken == [found(views.at())]

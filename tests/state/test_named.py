"""Searching by a name that a user gave: found from then on, and not before."""

import pytest
from recordings import told
from sightings import STREAM, us

from biographer.state.excerpt import Note, read, written
from biographer.state.folder import StateFolder
from biographer.state.query import Query
from biographer.state.ruling import Act, Word
from biographer.state.search import search
from biographer.state.search_settings import SearchSettings
from biographer.state.stream import Stream
from biographer.state.view import View


@pytest.fixture
def seen(folder: StateFolder) -> Stream:
    stream = folder.stream(STREAM)
    for number in range(8):
        stream.apply(told(f"c{number}", 30 * number, "table door", things=[(0, number % 2, "person")], vectors=False))
    return stream


def name(stream, entity, given):
    stream.obey(Word(Act.NAME, "me", entity, name=given))


def asked(stream, text, as_of=None):
    view = View(stream.memory.index, as_of)
    return view, search(view, Query(text), SearchSettings()).items


def best(items):
    return next(one.entity for one in items if one.entity is not None)


def test_who_is_asked_for_by_name_is_found(seen):
    assert asked(seen, "What did Gary do?")[1] == ()
    name(seen, 1, "Gary")
    view, items = asked(seen, "What did Gary do?")
    assert best(items) == 1
    assert 'person (e1) called "Gary"' in written(read(view, items, ()))
    seen.apply(told("later", 240, "garden"))
    assert asked(seen, "What did Gary do?", us(239))[1] == ()
    assert asked(seen, "What did Gary do?", us(240))[1] != ()


def test_a_name_of_several_words_is_found_by_all_of_them_alone(seen):
    name(seen, 0, "Aunt Ida")
    assert asked(seen, "aunt")[1] == ()
    assert best(asked(seen, "the cup of aunt Ida's")[1]) == 0


def test_a_name_with_a_word_that_only_asks_or_joins_is_found_by_it_and_without_it(seen):
    name(seen, 0, "My arms")
    name(seen, 1, "The Who")
    assert best(asked(seen, "My arms")[1]) == best(asked(seen, "where were the arms?")[1]) == 0
    assert best(asked(seen, "the who")[1]) == 1


def test_those_whom_a_user_named_differently_share_no_name(seen):
    view, items = asked(seen, "person")
    assert read(view, items, ()).notes == (Note("person", 0, 1, apart=False),)
    name(seen, 0, "Gary")
    name(seen, 1, "Ida")
    view, items = asked(seen, "person")
    assert read(view, items, ()).notes == ()

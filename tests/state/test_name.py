"""Names: one key however written, and one wearer."""

import pytest

from biographer.state.name import WEARER, called, name_key, names_nobody


@pytest.mark.parametrize("name", ["The Blue Cup", "blue  cup.", "a blue cup", "BLUE CUP", "\uff22lue cup"])
def test_one_key(name):
    assert name_key(name) == "blue cup"


def test_articles_are_not_cut_out_of_words():
    assert [name_key(name) for name in ("Anna", "theatre", "the the", "A")] == ["anna", "theatre", "the", "a"]


@pytest.mark.parametrize("name", ["I", "me", "My", "the wearer", "camera wearer", "JAKE", "Jake's", "the Jake"])
def test_the_wearer_goes_by_one_name(name):
    assert called(name, "Jake") == "Jake"


@pytest.mark.parametrize("name", ["Somebody", "someone", " the Unknown speaker.", "N/A", "", " ?! ", "No one"])
def test_a_word_for_whoever_it_is_names_nobody(name):
    assert names_nobody(name)


@pytest.mark.parametrize("name", ["Anna", "a person", "woman in grey", "Someone Like You", "we"])
def test_a_name_is_not_nobodys(name):
    assert not names_nobody(name)


def test_others_keep_theirs():
    assert called("  Anna   Smith ", "Jake") == "Anna Smith"
    assert called("we", "Jake") == "we"
    assert called("Anna\x00 \u202eSmith\n") == "Anna Smith"
    assert called("I") == WEARER

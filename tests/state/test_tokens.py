"""Texts to terms, whatever the writing."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biographer.state.tokens import Tokens


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Opening the red cups!", ["open", "the", "red", "cup"]),
        ("STRASSE Straße", ["strass", "strass"]),
        ("我把杯子放下", ["我把", "把杯", "杯子", "子放", "放下"]),
        ("杯", ["杯"]),
        ("cup杯子2", ["cup", "杯子", "2"]),
        ("أين الكوب؟", ["أين", "الكوب"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("☕ x 🧑‍🍳", ["☕", "x", "🧑", "🍳"]),
        ('"cup" AND (NOT*) -', ["cup", "and", "not"]),
        ("", []),
        ("?!… \n\t", []),
    ],
)
def test_words_stems_pairs_and_pictographs(text, terms):
    assert Tokens().terms(text) == terms


def test_composed_and_decomposed_letters_are_one():
    assert Tokens().terms(unicodedata.normalize("NFD", "Café größer")) == Tokens().terms("Café größer")


def test_a_question_loses_what_only_asks_unless_nothing_else_is_left():
    tokens = Tokens()
    assert tokens.asked("Who was with me when I bought the cup?") == tokens.terms("bought cup")
    assert tokens.asked("Who was it?") == tokens.terms("Who was it")


@given(st.text(max_size=200))
def test_any_text_has_terms_that_are_found_again(text):
    tokens = Tokens()
    terms = tokens.terms(text)
    assert all(0 < len(term) <= 64 for term in terms)
    assert 0 <= tokens.length(terms) <= len(terms)
    assert tokens.terms(text) == Tokens().terms(text) == terms

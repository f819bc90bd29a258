"""Vectors of texts: what wants one gets one, each text is embedded once, and blank ones have none."""

import numpy as np
import pytest
from api_rig import filmed
from daemon_doubles import clip, real_perception
from sightings import STREAM

from biographer.daemon.text_vectors import TextVectors
from biographer.state.wording import wording


class Letters:
    """An embedder whose vectors count letters; blank texts get zeros, as the role says."""

    name, dim = "letters", 26

    def __init__(self):
        self.given = []

    def embed(self, texts):
        self.given += texts
        rows = [[text.lower().count(chr(97 + letter)) for letter in range(26)] for text in texts]
        return np.array(rows, np.float32)


def test_each_text_of_a_clip_once():
    letters = Letters()
    vectors = TextVectors(letters)
    perceived = filmed(STREAM, 0, 0.0)
    found = vectors.of_clip(perceived)
    assert list(found) == wording(perceived.clip, perceived.observations)
    again = vectors.of_clip(filmed(STREAM, 1, 5.0))
    assert letters.given == [*found, *(text for text in again if text not in found)]
    assert all(np.isclose(np.linalg.norm(one.vector), 1) for one in found.values())


def test_a_blank_question_has_no_vector():
    assert TextVectors(Letters()).of_question("   ") is None
    assert TextVectors(Letters()).of_question("cup").embedder == "letters"


def test_an_embedder_that_leaves_texts_out_is_found_out():
    class Short(Letters):
        def embed(self, texts):
            return super().embed(texts)[1:]

    with pytest.raises(ValueError, match="zip"):
        TextVectors(Short()).of_texts(["cup", "bowl"])


def test_perception_brings_them_with_the_clip():
    perceived = real_perception(texts=TextVectors(Letters())).perceive(clip("s", 1))
    assert set(perceived.texts) == set(wording(perceived.clip, perceived.observations))
    assert not real_perception().perceive(clip("s", 1)).texts


def test_the_texts_given_last_are_kept_and_no_more(monkeypatch):
    monkeypatch.setattr("biographer.daemon.text_vectors._KEPT", 2)
    letters = Letters()
    vectors = TextVectors(letters)
    for text in ("a", "b", "a", "c", "a", "b"):
        vectors.of_question(text)
    assert letters.given == ["a", "b", "c", "b"]

"""What every TextEmbedder keeps to; add one to `EMBEDDERS` and it is held to all of it."""

import os

import numpy as np
import pytest

from biographer.daemon.parts import models_folder
from biographer.daemon.settings import read_settings
from biographer.models.catalogue import MINILM, load_text_embedder
from biographer.models.packages import Packages
from biographer.models.weights import present
from biographer.state.errors import RefusedError


class FakeEmbedder:
    """Counts of letters: the smallest one that keeps the contract, to show the suite itself at work."""

    name, dim = "fake", 26

    def embed(self, texts):
        vectors = np.zeros((len(texts), 26), np.float32)
        for row, text in enumerate(texts):
            letters = [ord(letter) % 26 for letter in text if not letter.isspace()]
            np.add.at(vectors[row], letters, 1)
            vectors[row] /= max(np.linalg.norm(vectors[row]), 1e-9)
        return vectors


def minilm(request):
    pytest.importorskip("tokenizers")
    folder = models_folder(read_settings(None, os.environ))
    if not present(MINILM, folder):
        pytest.skip(f"no weights in {folder}: run `biographer models pull minilm-l6-int8`")
    return load_text_embedder("minilm-l6-int8", folder, request.getfixturevalue("cpu_runtime"))


EMBEDDERS = {"fake": lambda _request: FakeEmbedder(), "minilm-l6-int8": minilm}

TEXTS = [
    "I put the red cup on the table.",
    'What\'s "this"? AND OR NOT (cup) *',
    "☕️ 🧑‍🍳",
    "أين الكوب الأحمر؟",
    "我把杯子放在桌子上。",
    "x",
    "long " * 2048,
]


@pytest.fixture(scope="module", params=EMBEDDERS)
def embedder(request):
    return EMBEDDERS[request.param](request)


def test_vectors_have_the_dimension_and_unit_length_whatever_the_writing(embedder):
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dim)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_no_vectors(embedder):
    assert embedder.embed([]).shape == (0, embedder.dim)


def test_a_blank_text_gets_zeros_and_spoils_no_other(embedder):
    vectors = embedder.embed([TEXTS[0], "", " \n\t", TEXTS[1]])
    assert not vectors[1:3].any()
    np.testing.assert_array_equal(vectors[[0, 3]], embedder.embed([TEXTS[0], TEXTS[1]]))


def test_the_company_never_changes_a_vector(embedder):
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    np.testing.assert_array_equal(embedder.embed(TEXTS), alone)
    np.testing.assert_array_equal(embedder.embed(TEXTS[::-1]), alone[::-1])


@pytest.fixture(scope="module")
def default(request):
    return minilm(request)


def test_what_means_the_same_is_near_and_the_rest_is_not(default):
    """With the tokenizer's own padding left on and unmasked, all of these would be about 0.8."""
    cup, mug, trip = default.embed(
        ["I pour coffee into a cup.", "She fills her mug with coffee.", "The train to Berlin is late."]
    )
    assert cup @ mug > 0.6
    assert cup @ trip < 0.2


def test_only_the_beginning_of_a_very_long_text_counts(default):
    first, second = default.embed(["cup " * 300 + "train", "cup " * 300 + "violin"])
    np.testing.assert_array_equal(first, second)


def test_absent_weights_name_the_remedy(tmp_path, cpu_runtime):
    with pytest.raises(RefusedError, match="biographer models pull minilm-l6-int8"):
        load_text_embedder("minilm-l6-int8", tmp_path, cpu_runtime)


class Shelf:
    def __init__(self, title, files):
        self.title, self.files = title, files

    def fetch(self, names, folder):
        assert not list(folder.iterdir())
        return {name: self.files[name] for name in names if name in self.files}


def test_files_of_several_packages_come_together(tmp_path):
    both = Packages((Shelf("shelf 1", {"a": b"first"}), Shelf("shelf 2", {"a": b"second", "b": b"third"})))
    assert both.title == "shelf 1 and shelf 2"
    assert both.fetch(["a", "b", "c"], tmp_path) == {"a": b"first", "b": b"third"}


def test_texts_of_one_length_run_together_and_still_do_not_change_each_other(default):
    """ultralytics/ultralytics#21485 in words: every vector is its own text's."""
    texts = [f"I put the {thing} on the {place}." for thing in ("cup", "milk", "phone") for place in ("table", "floor")]
    together = default.embed(texts * 7)
    np.testing.assert_array_equal(together, np.tile(np.concatenate([default.embed([one]) for one in texts]), (7, 1)))

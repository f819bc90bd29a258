"""Embeddings that are fit for identity, and those that are refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sightings import seen

from biographer.state.errors import RefusedError
from biographer.state.observation import Embedding


@pytest.mark.parametrize(
    "values",
    [
        [],
        [0.0, 0.0],
        [1e-13, 0.0],
        [np.nan, 1.0],
        [np.inf, 1.0],
        [-np.inf, np.inf],
        [1e200, 1e200],
    ],
)
def test_what_has_no_finite_length_is_no_evidence_of_identity(values: list[float]) -> None:
    """(faiss): a NaN or zero vector is refused, with the embedder's name and the norm."""
    with pytest.raises(RefusedError, match="embedding of 'e' has norm"), np.errstate(over="ignore"):
        Embedding.of("e", np.array(values))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40).filter(lambda v: np.linalg.norm(v) > 1e-3))
def test_a_vector_has_length_one_whatever_it_was_given_as(values: list[float]) -> None:
    vector = Embedding.of("e", np.array(values)).vector
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector.astype(np.float64)) == pytest.approx(1, abs=1e-6)
    assert np.array_equal(vector, Embedding.of("e", np.array([values])).vector)


def test_a_vector_cannot_be_written_to_and_is_not_the_callers() -> None:
    given_values = np.array([3.0, 4.0], np.float32)
    vector = Embedding.of("e", given_values).vector
    given_values[:] = 9
    assert vector.tolist() == pytest.approx([0.6, 0.8])
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1


def test_half_precision_and_wide_floats_are_taken() -> None:
    for kind in (np.float16, np.float32, np.float64):
        assert Embedding.of("e", np.array([0, 2], kind)).vector.tolist() == [0, 1]


def test_an_observation_lasts_from_its_first_to_its_last_box() -> None:
    one = seen(0, (1, 0), 2, frames=11, rate=10)
    assert (one.start_us, one.end_us) == (2_000_000, 3_000_000)

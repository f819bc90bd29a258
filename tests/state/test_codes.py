"""Encoded vectors: products of whole numbers that nothing rounds, and cosines close to the vectors' own."""

import numpy as np
import pytest

from biographer.state.codes import Codes, encode, levels


def unit(draw, rows, dim):
    vectors = draw.normal(size=(rows, dim)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def filled(vectors):
    codes = Codes(vectors.shape[1])
    codes.extend(*encode(vectors))
    return codes


@pytest.mark.parametrize("dim", [1, 5, 63, 384, 1024, 4096])
@pytest.mark.parametrize("rows", [1, 2, 700])
def test_products_are_those_of_whole_numbers_to_the_last_bit(dim, rows):
    draw = np.random.default_rng([dim, rows])
    codes, query = filled(unit(draw, rows, dim)), unit(draw, 1, dim)[0]
    asked, scale = encode(query.reshape(1, -1))
    exact = codes.codes[:].astype(np.int64) @ asked[0].astype(np.int64)
    expected = exact.astype(np.float32) * (codes.scales[:] * scale[0])
    assert np.array_equal(codes.cosines(query, rows), expected)
    assert np.array_equal(codes.cosines_of(query, np.arange(rows)[::-1]), expected[::-1])


@pytest.mark.parametrize("dim", [384, 1024, 4096])
def test_the_greatest_codes_overflow_nothing(dim):
    vectors = np.full((3, dim), dim**-0.5, np.float32) * np.array([[1], [-1], [1]], np.float32)
    codes = filled(vectors)
    assert np.abs(codes.codes[:]).max() == levels(dim)
    assert codes.cosines(vectors[0], 3) == pytest.approx([1, -1, 1], abs=1e-6)


def test_a_prefix_scores_as_the_whole_did():
    draw = np.random.default_rng(1)
    codes, query = filled(unit(draw, 500, 384)), unit(draw, 1, 384)[0]
    whole = codes.cosines(query, 500)
    assert all(np.array_equal(codes.cosines(query, count), whole[:count]) for count in (0, 1, 2, 33, 499))


def test_cosines_are_close_to_the_vectors_own():
    draw = np.random.default_rng(2)
    vectors, query = unit(draw, 1000, 384), unit(draw, 1, 384)[0]
    assert filled(vectors).cosines(query, 1000) == pytest.approx(vectors @ query, abs=0.003)

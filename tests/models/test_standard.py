"""Bringing raw vectors to a common scale."""

import numpy as np
import pytest

from biographer.models.standard import Part, Standard, folded
from biographer.state.errors import FatalError, RefusedError

ALIKE = np.ones((60, 1))
PARTS = (Part("shape", 40, 1.0), Part("colour", 30, 0.5))


def raw(count=60, seed=0):
    return np.random.default_rng(seed).normal(5, 2, (count, 70)).astype(np.float32)


def test_the_scale_of_a_number_does_not_matter():
    values = raw()
    larger = values.copy()
    larger[:, :40] *= 1000
    same = Standard.fit(PARTS, values, ALIKE).apply(values, ALIKE, 64)
    np.testing.assert_allclose(Standard.fit(PARTS, larger, ALIKE).apply(larger, ALIKE, 64), same, atol=1e-4)


def test_what_circumstances_alone_do_is_taken_out():
    """Blur and darkness make unlike things alike; with them known, unlike things are as unlike as ever."""
    random = np.random.default_rng(1)
    taken = np.stack([np.ones(200), random.uniform(0, 3, 200)], axis=1)
    things = random.normal(size=(200, 70))
    seen = (things + 4 * taken[:, 1:] * random.normal(size=70)).astype(np.float32)
    heeded = Standard.fit(PARTS, seen, taken).apply(seen, taken, 512)
    unheeded = Standard.fit(PARTS, seen, taken[:, :1]).apply(seen, taken[:, :1], 512)
    extreme = taken[:, 1] > 2.5
    assert np.median(unheeded[extreme] @ unheeded[extreme].T) > 0.5
    assert abs(np.median(heeded[extreme] @ heeded[extreme].T)) < 0.1


def test_no_row_depends_on_the_others():
    values, taken = raw(), np.stack([np.ones(60), np.linspace(0, 3, 60)], axis=1)
    standard = Standard.fit(PARTS, values, taken)
    np.testing.assert_array_equal(standard.apply(values, taken, 64)[7:8], standard.apply(values[7:8], taken[7:8], 64))


def test_parts_count_by_their_weights():
    values = raw()
    wide = Standard.fit(PARTS, values, ALIKE).apply(values, ALIKE, 70)
    colours = values.copy()
    colours[:, 40:] = values[::-1, 40:]
    shapes = values.copy()
    shapes[:, :40] = values[::-1, :40]
    standard = Standard.fit(PARTS, values, ALIKE)
    by_colour = (wide * standard.apply(colours, ALIKE, 70)).sum(axis=1).mean()
    by_shape = (wide * standard.apply(shapes, ALIKE, 70)).sum(axis=1).mean()
    assert by_colour > 0.7
    assert by_shape < 0.4


def test_what_never_varied_does_not_shout_when_it_does():
    values = raw()
    values[:, 3] = 1
    standard = Standard.fit(PARTS, values, ALIKE)
    odd = values[:1].copy()
    odd[0, 3] = 2
    assert (standard.apply(values[:1], ALIKE[:1], 64) * standard.apply(odd, ALIKE[:1], 64)).sum() > 0.9


def test_what_is_not_finite_gives_zeros_and_spoils_no_other():
    """(faiss) a NaN poisons matching silently: here it becomes a row without evidence."""
    values = raw()
    standard = Standard.fit(PARTS, values, ALIKE)
    sound = standard.apply(values[:3], ALIKE[:3], 64)
    values[1, 7] = np.nan
    found = standard.apply(values[:3], ALIKE[:3], 64)
    assert not found[1].any()
    np.testing.assert_array_equal(found[[0, 2]], sound[[0, 2]])


def test_written_and_read_again_it_scales_alike():
    standard = Standard.fit(PARTS, raw(), ALIKE)
    again = Standard.from_json(standard.to_json())
    assert again.parts == standard.parts
    other, taken = raw(5, 1), ALIKE[:5]
    np.testing.assert_allclose(again.apply(other, taken, 64), standard.apply(other, taken, 64), atol=1e-3)


def test_folding_keeps_what_is_near_and_what_is_far():
    vectors = np.random.default_rng(0).normal(size=(2, 4000))
    near = folded(np.array([vectors[0], vectors[0] + 0.1 * vectors[1], vectors[1]]), 512)
    unit = near / np.linalg.norm(near, axis=1, keepdims=True)
    assert unit[0] @ unit[1] > 0.98
    assert abs(unit[0] @ unit[2]) < 0.2


def test_too_few_pictures_and_other_files_are_refused():
    with pytest.raises(RefusedError, match="at least 20"):
        Standard.fit(PARTS, raw(19), ALIKE[:19])
    with pytest.raises(FatalError, match="fit them again"):
        Standard.from_json("{}")

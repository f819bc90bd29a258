"""Colours as a vector: near under other light, far in another hue."""

import numpy as np

from biographer.models.colour_histogram import LENGTH, colour_histogram, lab

EVEN = np.full((20, 20), 1 / 400, np.float32)


def plain(*rgb):
    return np.full((20, 20, 3), rgb, np.uint8)


def test_lab_of_known_colours():
    known = {
        (255, 255, 255): (100, 0, 0),
        (0, 0, 0): (0, 0, 0),
        (255, 0, 0): (53.2, 80.1, 67.2),
        (0, 0, 255): (32.3, 79.2, -107.9),
    }
    for rgb, expected in known.items():
        np.testing.assert_allclose(lab(np.array(rgb, np.uint8)), expected, atol=0.1)


def test_the_vector_is_the_root_of_shares():
    vector = colour_histogram(np.random.default_rng(0).integers(0, 256, (20, 20, 3)).astype(np.uint8), EVEN)
    assert vector.shape == (LENGTH,)
    np.testing.assert_allclose((vector**2).sum(), 1, atol=1e-6)


def test_light_changes_little_and_hue_much():
    red = colour_histogram(plain(180, 40, 30), EVEN)
    assert red @ colour_histogram(plain(200, 48, 36), EVEN) > 0.8
    assert red @ colour_histogram(plain(40, 160, 40), EVEN) < 0.05


def test_only_what_has_weight_counts():
    picture = plain(180, 40, 30)
    picture[:10] = (0, 0, 255)
    lower = EVEN.copy()
    lower[:10] = 0
    np.testing.assert_allclose(colour_histogram(picture, lower), colour_histogram(plain(180, 40, 30), EVEN), atol=1e-6)

"""The moments that stand for a clip, and the frame around a subject."""

import io

import numpy as np
import pytest
from PIL import Image
from sightings import seen, us

from biographer.models.views import box_at, spread, view_file


def test_the_nearest_sighting_gives_the_box():
    subject = seen(1, None, 0.0, rate=1.0, boxes=[(0, 0, 0.1, 0.1), (0.5, 0.5, 0.9, 0.9)])
    assert box_at(subject, us(0.9)).tolist() == pytest.approx([0.5, 0.5, 0.9, 0.9])


def test_the_frame_is_red_where_the_box_is():
    grey = np.full((400, 1000, 3), 100, np.uint8)
    picture = np.asarray(Image.open(io.BytesIO(view_file(grey, np.array([0.25, 0.25, 0.75, 0.75], np.float32), 500))))
    assert picture.shape == (200, 500, 3)
    red, green, _ = picture[100, 126].astype(int)
    assert red - green > 100
    assert picture[100, 250].astype(int) == pytest.approx([100, 100, 100], abs=12)
    inverted = view_file(grey, np.array([0.9, 0.9, 0.1, 0.1], np.float32))
    assert Image.open(io.BytesIO(inverted)).size == (768, 307)


def test_moments_of_a_clip_are_spread_over_it():
    assert spread(0, 30, 3) == (5, 15, 25)
    assert spread(0, 30, 0) == ()

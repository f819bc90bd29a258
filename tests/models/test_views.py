"""Which views are shown of a subject, and the frame around it."""

import io

import numpy as np
import pytest
from PIL import Image
from sightings import seen, us

from biographer.models.views import box_at, moments, spread, view_file


@pytest.mark.parametrize(
    ("frames", "rate", "most", "count"), [(10, 10, 30, 3), (300, 10, 30, 30), (300, 10, 6, 6), (2, 10, 6, 2)]
)
def test_one_a_second_within_bounds(frames, rate, most, count):
    subject = seen(1, None, 10.0, frames=frames, rate=rate)
    shown = moments(subject, most)
    assert len(shown) == count
    assert list(shown) == sorted(set(shown))
    assert (shown[0], shown[-1]) == (subject.start_us, subject.end_us)


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

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import flat, view, world

from biographer.models.motion import MotionEstimator

WORLD = world(1)


def grey(picture):
    return np.ascontiguousarray(picture[::2, ::2, 1])


def motions(*pictures):
    estimator = MotionEstimator()
    return [estimator.step(grey(picture)) for picture in pictures]


@settings(max_examples=40, deadline=None)
@given(right=st.integers(-40, 40), down=st.integers(-25, 25))
def test_a_pan_is_found_to_a_pixel(right, down):
    _, motion = motions(view(WORLD, 120, 80), view(WORLD, 120 - right, 80 - down))
    assert motion.dx * 160 == pytest.approx(right / 2, abs=1)
    assert motion.dy * 90 == pytest.approx(down / 2, abs=1)
    assert not motion.cut


def test_a_still_camera_does_not_move_though_something_in_view_does():
    other = view(WORLD, 100, 50).copy()
    other[20:80, 30:100] = view(world(2), 0, 0)[20:80, 30:100]
    assert motions(view(WORLD, 100, 50), other)[1] == motions(view(WORLD, 100, 50))[0]


def test_another_scene_is_a_cut_without_motion():
    # Of other brightness, as scenes are: the grey levels have to differ as well as the places.
    other = (view(world(3), 60, 40) // 3).astype(np.uint8)
    motion = motions(view(WORLD), other)[1]
    assert motion.cut
    assert (motion.dx, motion.dy) == (0, 0)


def test_black_between_two_scenes_is_a_cut_and_never_an_exception():
    """NirAharon/BoT-SORT#78."""
    first = [view(WORLD, 10 * row, 0) for row in range(5)]
    second = [(view(world(4), 10 * row, 0) // 3).astype(np.uint8) for row in range(5)]
    found = motions(*first, flat(0), *second)
    assert [motion.cut for motion in found] == [row == 6 for row in range(11)]
    assert [motion.dark for motion in found] == [row == 5 for row in range(11)]


def test_black_within_one_scene_is_no_cut():
    found = motions(view(WORLD), flat(0), flat(255), view(WORLD, 8, 0))
    assert [motion.dark for motion in found] == [False, True, True, False]
    assert not found[3].cut
    assert found[3].dx == pytest.approx(-8 / 320, abs=0.01)


def test_a_change_of_resolution_is_a_cut():
    assert motions(view(WORLD), view(WORLD, 0, 0, 160, 90))[1].cut


@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (1, 40), (2, 2)])
def test_tiny_pictures_do_no_harm(shape):
    estimator = MotionEstimator()
    rng = np.random.default_rng(0)
    for _ in range(3):
        motion = estimator.step(rng.integers(0, 255, shape, dtype=np.uint8))
        assert np.isfinite([motion.dx, motion.dy]).all()

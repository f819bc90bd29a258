import pytest
from scenes import STEP

from biographer.models.camera_path import CameraPath
from biographer.models.motion import Motion


def test_motions_add_up_and_travel_has_no_direction():
    path = CameraPath()
    for row, dx in enumerate([0, 0.1, 0.1, -0.2]):
        path.step(row * STEP, Motion(dx=dx, dy=0.05 if row else 0))
    assert path.offset(0, 2 * STEP) == pytest.approx([0.2, 0.1, 0.2, 0.1])
    assert path.offset(2 * STEP, 0) == pytest.approx([-0.2, -0.1, -0.2, -0.1])
    assert path.offset(0, 3 * STEP)[0] == pytest.approx(0, abs=1e-7)
    assert path.travelled(0, 3 * STEP) > 0.4


def test_scenes_are_counted_from_their_first_frame():
    path = CameraPath()
    for row in range(4):
        path.step(row * STEP, Motion(cut=row == 2))
    assert path.cuts_us == (2 * STEP,)
    assert [path.scene(row * STEP) for row in range(4)] == [0, 0, 1, 1]
    assert path.scene(2 * STEP - 1) == 0


def test_the_period_is_the_usual_one_though_a_frame_is_missing():
    path = CameraPath()
    for row in (0, 1, 2, 5, 6):
        path.step(row * STEP, Motion())
    assert path.period_us == STEP


def test_an_empty_path_and_one_of_a_single_frame_say_nothing():
    path = CameraPath()
    assert (path.period_us, path.cuts_us, path.travelled(0, 9), path.scene(0)) == (0, (), 0.0, 0)
    assert path.offset(0, 9).tolist() == [0, 0, 0, 0]
    path.step(0, Motion())
    assert path.period_us == 0

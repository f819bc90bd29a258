import numpy as np
from scenes import STEP, track

from biographer.models.camera_path import CameraPath
from biographer.models.cleanup import CleanupSettings
from biographer.models.motion import Motion
from biographer.models.overlays import without_overlays

SETTINGS = CleanupSettings()
CORNER = (0.85, 0.02, 0.97, 0.1)


def path(frames, dx=0.0, cuts=()):
    result = CameraPath()
    for row in range(frames):
        result.step(row * STEP, Motion(cut=True) if row in cuts else Motion(dx=dx if row else 0.0))
    return result


def rows(first, last):
    return [row * STEP for row in range(first, last)]


def kept(tracks, camera):
    return [item.number for item in without_overlays(tracks, camera, SETTINGS)]


def test_whole_frame_boxes_are_dropped_unless_only_for_a_moment():
    close = np.array([(0.2, 0.2, 0.7, 0.8)] * 8 + [(0, 0, 1, 1)] * 2)
    tracks = [track(1, rows(0, 10), (0.01, 0, 1, 0.99)), track(2, rows(0, 10), close)]
    assert kept(tracks, path(10)) == [2]


def test_a_box_that_stays_while_the_camera_travels_is_burnt_in():
    moving = np.array([(0.1 + 0.05 * row, 0.4, 0.2 + 0.05 * row, 0.6) for row in range(10)])
    tracks = [track(1, rows(0, 10), CORNER), track(2, rows(0, 10), moving)]
    assert kept(tracks, path(10, dx=0.05)) == [2]


def test_a_box_that_stays_before_a_still_camera_is_a_thing():
    assert kept([track(1, rows(0, 10), CORNER)], path(10)) == [1]


def test_a_box_that_stays_over_cuts_is_burnt_in():
    cuts = (10, 20)
    marks = [track(number, rows(start, start + 10), CORNER) for number, start in ((1, 0), (2, 10), (3, 20))]
    assert kept(marks, path(30, cuts=cuts)) == []


def test_one_cut_over_which_other_things_go_is_enough():
    marks = [track(1, rows(0, 10), CORNER), track(4, rows(10, 20), CORNER)]
    things = [track(2, rows(0, 10), (0.1, 0.1, 0.3, 0.3)), track(3, rows(0, 10), (0.5, 0.5, 0.7, 0.7))]
    others = [track(5, rows(10, 20), (0.2, 0.4, 0.3, 0.7)), track(6, rows(10, 20), (0.6, 0.3, 0.7, 0.5))]
    assert kept([*marks, *things, *others], path(20, cuts=(10,))) == [2, 3, 5, 6]


def test_a_lamp_switched_on_looks_like_a_cut_and_costs_nothing():
    places = [(0.1, 0.1, 0.3, 0.3), (0.5, 0.5, 0.7, 0.7), CORNER]
    before = [track(1 + row, rows(0, 10), place) for row, place in enumerate(places)]
    after = [track(4 + row, rows(10, 20), place) for row, place in enumerate(places)]
    assert kept([*before, *after], path(20, cuts=(10,))) == [1, 2, 3, 4, 5, 6]

import numpy as np
from scenes import STEP, track

from biographer.models.cleanup import CleanupSettings
from biographer.models.duplicates import merged

SETTINGS = CleanupSettings()


def rows(first, last):
    return [row * STEP for row in range(first, last)]


def test_two_tracks_of_one_box_are_one_whatever_their_labels():
    cup = track(1, rows(0, 10), (0.4, 0.4, 0.5, 0.6), label=0)
    bowl = track(2, rows(2, 12), (0.41, 0.4, 0.51, 0.6), label=1, score=0.5)
    (one,) = merged([cup, bowl], SETTINGS)
    assert (one.parts, one.label, len(one)) == ((1, 2), 0, 12)


def test_three_in_a_row_become_one_in_any_order():
    tracks = [track(n, rows(0, 10), (0.4 + 0.01 * n, 0.4, 0.6 + 0.01 * n, 0.6)) for n in (1, 2, 3)]
    assert [one.parts for one in merged(tracks[::-1], SETTINGS)] == [(1, 2, 3)]


def test_things_that_only_pass_each_other_stay_two():
    passing = np.array([(0.1 + 0.05 * row, 0.4, 0.3 + 0.05 * row, 0.6) for row in range(10)])
    tracks = [track(1, rows(0, 10), (0.3, 0.4, 0.5, 0.6)), track(2, rows(0, 10), passing)]
    assert len(merged(tracks, SETTINGS)) == 2


def test_a_moment_in_one_box_is_not_enough():
    tracks = [track(1, rows(0, 20), (0.3, 0.4, 0.5, 0.6)), track(2, rows(19, 40), (0.3, 0.4, 0.5, 0.6))]
    assert len(merged(tracks, SETTINGS)) == 2


def test_a_part_of_a_thing_under_the_same_label_is_no_thing_of_its_own():
    """Seen on boats.mp4: the hull is found beside the boat that it belongs to."""
    boat = track(1, rows(0, 10), (0.2, 0.1, 0.6, 0.9))
    hull = track(2, rows(0, 10), (0.22, 0.7, 0.58, 0.9), score=0.95)
    (one,) = merged([hull, boat], SETTINGS)
    assert one.parts == (1,)
    assert (one.boxes == boat.boxes).all()


def test_another_label_or_a_much_smaller_thing_inside_stays():
    person = track(1, rows(0, 10), (0.2, 0.1, 0.6, 0.9), label=2)
    cup = track(2, rows(0, 10), (0.3, 0.3, 0.5, 0.7), label=0)
    far_away = track(3, rows(0, 10), (0.25, 0.2, 0.32, 0.4), label=2)
    assert len(merged([person, cup, far_away], SETTINGS)) == 3


def test_none_is_none():
    assert merged([], SETTINGS) == []

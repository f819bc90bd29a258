import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import SECOND, STEP, track

from biographer.models.camera_path import CameraPath
from biographer.models.cleanup import CleanupSettings
from biographer.models.motion import Motion
from biographer.models.regroup import Look, regrouped
from biographer.models.track import shared_rows

SETTINGS = CleanupSettings()
HERE, THERE = (0.1, 0.1, 0.2, 0.3), (0.7, 0.6, 0.8, 0.8)


def path(frames=60, moves=None):
    result = CameraPath()
    for row in range(frames):
        result.step(row * STEP, (moves or {}).get(row, Motion()))
    return result


def rows(first, last):
    return [row * STEP for row in range(first, last)]


def angle(degrees, *, clear=True):
    turn = np.deg2rad(degrees)
    return Look(np.array([np.cos(turn), np.sin(turn)]), clear)


def groups(tracks, looks, camera=None):
    return [group.parts for group in regrouped(tracks, looks, camera or path(), SETTINGS)]


def test_a_split_track_is_one_again_by_appearance():
    tracks = [track(1, rows(0, 10), HERE), track(2, rows(30, 40), THERE), track(3, rows(45, 55), THERE)]
    assert groups(tracks, {1: angle(0), 2: angle(10), 3: angle(80)}) == [(1, 2), (3,)]


def test_two_that_share_a_frame_are_never_one_however_alike():
    tracks = [track(1, rows(0, 10), HERE), track(2, rows(9, 20), THERE)]
    assert groups(tracks, {1: angle(0), 2: angle(0)}) == [(1,), (2,)]


def test_what_shares_a_frame_with_one_of_a_group_stays_out_of_it():
    tracks = [track(1, rows(0, 10), HERE), track(2, rows(20, 30), HERE), track(3, rows(5, 12), THERE)]
    assert groups(tracks, {1: angle(0), 2: angle(5), 3: angle(6)}) == [(1, 2), (3,)]


def test_small_pictures_prove_nothing_elsewhere_but_do_in_place():
    looks = {1: angle(0, clear=False), 2: angle(10, clear=False)}
    assert groups([track(1, rows(0, 10), HERE), track(2, rows(15, 25), THERE)], looks) == [(1,), (2,)]
    assert groups([track(1, rows(0, 10), HERE), track(2, rows(15, 25), HERE)], looks) == [(1, 2)]


def test_the_place_moves_with_the_camera():
    moved = path(moves={12: Motion(dx=0.6, dy=0.5)})
    looks = {1: angle(0), 2: angle(45)}
    assert groups([track(1, rows(0, 10), HERE), track(2, rows(15, 25), THERE)], looks, moved) == [(1, 2)]
    assert groups([track(1, rows(0, 10), HERE), track(2, rows(15, 25), HERE)], looks, moved) == [(1,), (2,)]


def test_a_place_means_nothing_over_a_cut():
    looks = {1: angle(0), 2: angle(45)}
    cut = path(moves={12: Motion(cut=True)})
    assert groups([track(1, rows(0, 10), HERE), track(2, rows(15, 25), HERE)], looks, cut) == [(1,), (2,)]


def test_something_known_to_be_another_that_is_as_alike_forbids_it():
    """Blurred, small things are all alike: what is seen beside a track says how alike different things are here."""
    tracks = [track(1, rows(0, 10), HERE), track(2, rows(0, 10), THERE), track(3, rows(35, 45), (0.4, 0.4, 0.5, 0.6))]
    assert groups(tracks, {1: angle(0), 2: angle(8), 3: angle(10)}) == [(1,), (2, 3)]
    assert groups(tracks, {1: angle(0), 2: angle(5), 3: angle(12)}) == [(1,), (2,), (3,)]


def test_labels_that_differ_need_more():
    one, other = track(1, rows(0, 10), HERE), track(2, rows(40, 50), THERE, label=1)
    assert groups([one, other], {1: angle(0), 2: angle(39)}) == [(1,), (2,)]
    same = track(2, rows(40, 50), THERE, label=0)
    assert groups([one, same], {1: angle(0), 2: angle(39)}) == [(1, 2)]


def test_without_evidence_a_track_stays_alone():
    tracks = [track(1, rows(0, 10), HERE), track(2, rows(15, 25), HERE)]
    assert groups(tracks, {1: angle(0)}) == [(1,), (2,)]
    assert groups([], {}) == []


spans = st.lists(st.tuples(st.integers(0, 50), st.integers(1, 12), st.integers(0, 60)), min_size=1, max_size=9)


@settings(max_examples=80, deadline=None)
@given(spans, st.randoms(use_true_random=False))
def test_groups_hold_every_track_once_never_two_that_share_a_frame_in_any_order(items, random):
    tracks = [
        track(number, rows(first, first + count), HERE if number % 2 else THERE)
        for number, (first, count, _) in enumerate(items, start=1)
    ]
    looks = {number: angle(degrees) for number, (_, _, degrees) in enumerate(items, start=1)}
    found = groups(tracks, looks)
    assert sorted(part for parts in found for part in parts) == list(range(1, len(tracks) + 1))
    for parts in found:
        for one in parts:
            assert all(not len(shared_rows(tracks[one - 1], tracks[other - 1])[0]) for other in parts if other > one)
    shuffled = list(tracks)
    random.shuffle(shuffled)
    assert groups(shuffled, looks) == found


@pytest.mark.parametrize("wait_s", [1, 10])
def test_a_place_is_forgotten_after_a_while(wait_s):
    tracks = [track(1, [0, STEP], HERE), track(2, [STEP + wait_s * SECOND, 2 * STEP + wait_s * SECOND], HERE)]
    assert len(groups(tracks, {1: angle(0), 2: angle(45)})) == (1 if wait_s == 1 else 2)

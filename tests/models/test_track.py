import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scenes import SECOND, STEP, track

from biographer.models.track import join, shared_counts, shared_overlap, shared_rows

GAP = SECOND // 2
times = st.sets(st.integers(0, 30), min_size=1).map(lambda rows: [row * STEP for row in sorted(rows)])


def test_time_seen_leaves_gaps_out():
    steady = track(1, [row * STEP for row in range(10)], (0, 0, 1, 1))
    assert steady.visible_us(STEP, GAP) == 2 * SECOND
    broken = track(1, [0, STEP, 10 * SECOND, 10 * SECOND + STEP], (0, 0, 1, 1))
    assert broken.visible_us(STEP, GAP) == 4 * STEP


@given(times, times)
def test_shared_rows_are_those_of_equal_times(left, right):
    one, other = track(1, left, (0, 0, 0.5, 0.5)), track(2, right, (0, 0, 0.5, 0.5))
    ours, theirs = shared_rows(one, other)
    both = sorted(set(left) & set(right))
    assert one.times_us[ours].tolist() == other.times_us[theirs].tolist() == both
    assert shared_counts([one, other])[0, 1] == len(both)
    np.testing.assert_allclose(shared_overlap(one, other), 1.0)


@given(times, times)
def test_a_union_has_each_time_once_and_the_surer_box(left, right):
    sure, unsure = track(2, left, (0, 0, 0.5, 0.5), score=0.9), track(1, right, (0.5, 0.5, 1, 1), label=1, score=0.4)
    both = join([unsure, sure])
    assert both.parts == (1, 2)
    assert both.times_us.tolist() == sorted(set(left) | set(right))
    assert (both.boxes[np.isin(both.times_us, left)] == sure.boxes[0]).all()


def test_labels_are_voted_on_by_score():
    parts = [track(1, [0, 1, 2], (0, 0, 1, 1), label=5, score=0.3), track(2, [3, 4], (0, 0, 1, 1), label=2, score=0.6)]
    assert join(parts).label == 2


def test_no_tracks_share_nothing():
    assert shared_counts([]).shape == (0, 0)

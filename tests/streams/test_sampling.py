import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from biographer.streams.sampling import TICK_SLACK_US, Plan, needed, sampled

SECOND = 1_000_000
times = st.lists(st.integers(0, 20 * SECOND), min_size=1, max_size=60, unique=True)


def test_even_frames_are_taken_at_the_ticks():
    offsets = np.arange(60) * SECOND // 30
    assert sampled(offsets, 5, 2 * SECOND).tolist() == offsets[::6].tolist()


def test_rates_that_do_not_divide_do_not_drift():
    offsets = np.round(np.arange(3000) * 1000 / 30).astype(np.int64) * 1000  # as Matroska rounds them
    chosen = sampled(offsets, 3, 100 * SECOND)
    assert len(chosen) == 300
    assert np.abs(chosen - np.arange(300) * SECOND / 3).max() <= 1000


def test_slower_video_gives_each_frame_once():
    assert sampled(np.array([0, SECOND, 2 * SECOND]), 5, 10 * SECOND).tolist() == [0, SECOND, 2 * SECOND]


def test_nothing_gives_nothing():
    assert sampled(np.array([], dtype=np.int64), 5, SECOND).tolist() == []


@given(times, st.sampled_from([0.3, 1.0, 5.0, 29.97]), st.integers(1, 25 * SECOND))
def test_each_sample_is_the_first_frame_at_or_after_some_tick(frames, rate, duration):
    offsets = np.array(frames, dtype=np.int64)
    chosen = sampled(offsets, rate, duration)
    inside = sorted(t for t in frames if t <= duration)
    ticks = [k * SECOND / rate - TICK_SLACK_US for k in range(int(20 * rate) + 3)]
    expected = {next((t for t in inside if t >= tick), None) for tick in ticks} - {None}
    assert chosen.tolist() == sorted(expected)


def test_only_groups_that_hold_a_wanted_packet_are_needed_and_only_up_to_it():
    keys = np.array([1, 0, 0, 1, 0, 0, 1, 0, 0], dtype=bool)
    wanted = np.array([0, 0, 0, 0, 1, 0, 0, 0, 0], dtype=bool)
    assert needed(np.arange(9), keys, wanted).astype(int).tolist() == [0, 0, 0, 1, 1, 0, 0, 0, 0]


def test_a_wanted_picture_ahead_of_its_key_needs_the_group_before():
    keys = np.array([1, 0, 0, 1, 0, 0, 1, 0, 0], dtype=bool)
    shown_at = np.array([0, 1, 2, 5, 3, 4, 8, 6, 7])
    wanted = np.array([0, 0, 0, 0, 0, 0, 0, 1, 0], dtype=bool)
    assert needed(shown_at, keys, wanted).astype(int).tolist() == [0, 0, 0, 1, 1, 1, 1, 1, 0]


def test_packets_that_are_not_shown_are_decoded_for_others_but_never_taken():
    offsets, keys = np.array([-SECOND, 0, SECOND]), np.array([True, False, False])
    plan = Plan.of(offsets, keys, np.array([False, True, True]), 1, 5 * SECOND)
    assert plan.times_us.tolist() == [0, SECOND]
    assert plan.wanted.tolist() == [False, True, True]
    assert plan.needed.all()

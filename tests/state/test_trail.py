"""When two trails share frames, and when that makes them apart (GEB section 3.3 and appendix A)."""

from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sightings import LEFT, RIGHT, seen

from biographer.bench.exhaustive import apart
from biographer.state.rule import Rule
from biographer.state.trail import Separation, Trail, shared_frames

Box = tuple[float, float, float, float]
WHOLE, HALF = (0.0, 0.0, 1.0, 1.0), (0.0, 0.0, 0.5, 1.0)


def trail(times_us: list[int], box: Box = LEFT) -> Trail:
    return Trail(np.array(times_us, np.int64), np.array([box] * len(times_us), np.float32).reshape(-1, 4))


def at(step_us: int, frames: int, box: Box = LEFT, start_us: int = 0) -> Trail:
    return trail([start_us + turn * step_us for turn in range(frames)], box)


@pytest.mark.parametrize(
    ("step_us", "needed"),
    [
        (100_000, 3),  # the paper's own rate: 3 frames at 10 a second
        (99_999, 3),  # the same, with rounded presentation times
        (100_100, 3),  # 9.99 a second
        (200_000, 2),  # 5 a second: 0.3 s is 1.5 frames
        (1_000_000, 2),  # 1 a second: never fewer than 2
        (66_667, 5),  # 15 a second
        (33_333, 9),  # 30 a second
        (16_666, 18),  # 60 a second, cut to the microsecond
    ],
)
def test_as_many_frames_are_needed_as_a_third_of_a_second_has(step_us: int, needed: int) -> None:
    """DESIGN section 4: 0.3 s, and at least 2 frames."""
    separation = Separation()
    other = at(step_us, 40, RIGHT)
    assert separation.apart(at(step_us, needed), other)
    assert not separation.apart(at(step_us, needed - 1), other)
    assert not separation.apart(other, at(step_us, needed - 1))


def test_one_shared_frame_is_never_enough() -> None:
    assert not Separation(min_shared_us=0).apart(at(100_000, 1), at(100_000, 1, RIGHT))


@given(st.integers(2, 400).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))))
def test_two_thirds_of_the_shared_frames_are_counted_exactly(counts: tuple[int, int]) -> None:
    """2/3 is no binary fraction: where the number of frames divides by 3, equality must still count."""
    frames, elsewhere = counts
    boxes = [RIGHT] * elsewhere + [LEFT] * (frames - elsewhere)
    other = Trail(np.arange(frames, dtype=np.int64) * 200_000, np.array(boxes, np.float32))
    assert Separation().apart(at(200_000, frames), other) == (elsewhere >= ceil(2 * frames / 3))


def test_an_overlap_of_exactly_a_half_is_not_elsewhere() -> None:
    assert not Separation().apart(at(100_000, 9, WHOLE), at(100_000, 9, HALF))
    assert Separation().apart(at(100_000, 9, WHOLE), at(100_000, 9, (0.0, 0.0, 0.5, 0.99)))


def test_frames_are_the_same_within_a_millisecond_of_presentation_time() -> None:
    left, right = at(200_000, 5), at(200_000, 5, RIGHT, start_us=1_000)
    assert Separation().apart(left, right)
    assert not Separation().apart(left, at(200_000, 5, RIGHT, start_us=1_001))
    assert not Separation().apart(left, at(200_000, 5, RIGHT, start_us=100_000))


def test_trails_that_overlap_partly_share_only_those_frames() -> None:
    left, right = at(200_000, 10), at(200_000, 10, RIGHT, start_us=8 * 200_000)
    rows_left, rows_right = shared_frames(left.times_us, right.times_us)
    assert rows_left.tolist() == [8, 9]
    assert rows_right.tolist() == [0, 1]
    assert Separation().apart(left, right)
    assert not Separation().apart(left, at(200_000, 10, RIGHT, start_us=9 * 200_000))


@pytest.mark.parametrize("gap_us", [-10_000_000, 10_000_000])
def test_trails_of_other_times_share_nothing(gap_us: int) -> None:
    rows = shared_frames(at(200_000, 5).times_us, at(200_000, 5, start_us=gap_us).times_us)
    assert [len(one) for one in rows] == [0, 0]
    assert [len(one) for one in shared_frames(np.empty(0, np.int64), at(200_000, 5).times_us)] == [0, 0]


def test_two_rates_share_the_frames_of_the_slower() -> None:
    slow, fast = at(200_000, 3), at(100_000, 5, RIGHT)
    assert Separation().apart(slow, fast)
    assert not Separation().apart(at(200_000, 2), fast)


steps = st.lists(st.integers(2_100, 400_000), min_size=0, max_size=12)
corners = st.sampled_from([LEFT, RIGHT, WHOLE, HALF, (0.1, 0.1, 0.6, 0.6), (0.2, 0.1, 0.7, 0.6)])


@st.composite
def trails(draw: st.DrawFn) -> Trail:
    times = np.cumsum([draw(st.integers(0, 500_000)), *draw(steps)])
    places = draw(st.lists(corners, min_size=len(times), max_size=len(times)))
    return Trail(times.astype(np.int64), np.array(places, np.float32))


@given(trails(), trails())
def test_apart_is_symmetric_and_as_the_plain_loops_say(left: Trail, right: Trail) -> None:
    found = Separation().apart(left, right)
    assert found == Separation().apart(right, left)
    assert found == apart((left.times_us, left.boxes), (right.times_us, right.boxes), Rule())


def test_an_observation_makes_a_trail_of_its_usual_step() -> None:
    one = seen(0, (1, 0), frames=5, rate=5)
    assert Trail(one.times_us, one.boxes).step_us == 200_000
    assert Trail(one.times_us[:1], one.boxes[:1]).step_us == float("inf")

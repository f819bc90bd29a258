"""Many trails tested at once: the decisions of `Separation.apart`, pair by pair."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sightings import clip, seen

from biographer.state.apartness import Apartness
from biographer.state.association import Decision
from biographer.state.membership import Apart, Cause
from biographer.state.observation import Observation
from biographer.state.together import Together
from biographer.state.trail import Separation, Trail

RULES = st.builds(
    Separation,
    min_shared_us=st.sampled_from([0, 300_000, 450_000]),
    min_shared_frames=st.integers(1, 4),
    iou=st.sampled_from([0.3, 0.5, 1.0]),
    fraction=st.sampled_from([0.5, 2 / 3, 1.0]),
)
CORNERS = st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.5])


@st.composite
def trails(draw: st.DrawFn, jitter: int = 0) -> Trail:
    frames = sorted(draw(st.sets(st.integers(0, 12), min_size=1)))
    times = [frame * 100_000 + (draw(st.integers(0, jitter)) if jitter else 0) for frame in frames]
    corners = [(draw(CORNERS), draw(CORNERS)) for _ in frames]
    boxes = np.array([(x, y, x + 0.3, y + 0.4) for x, y in corners], np.float32)
    return Trail(np.array(times, np.int64), boxes)


@given(st.lists(trails(), min_size=2, max_size=6), RULES)
@settings(max_examples=150, deadline=None)
def test_each_pair_is_decided_as_alone(given_trails: list[Trail], rule: Separation) -> None:
    together = Together(given_trails, rule)
    for row, other in permutations(range(len(given_trails)), 2):
        found = together.apart(row, np.array([other, other]))
        assert found.tolist() == [rule.apart(given_trails[row], given_trails[other])] * 2


def test_times_that_nearly_agree_have_no_clock() -> None:
    box = np.array([(0, 0, 1, 1)], np.float32)
    with pytest.raises(ValueError, match="less than a frame"):
        Together([Trail(np.array([0]), box), Trail(np.array([700]), box)], Separation())


@given(
    st.lists(st.tuples(trails(0) | trails(1_500), st.integers(0, 3), st.integers(0, 1)), min_size=1, max_size=7),
    st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3))),
    RULES,
)
@settings(max_examples=150, deadline=None)
def test_what_a_clip_shows_apart_is_as_plainly_defined(
    drawn: list[tuple[Trail, int, int]], vetoes: set[tuple[int, int]], rule: Separation
) -> None:
    """With and without a clock that all trails share; the first evidence of each pair is kept."""
    observations = [
        Observation(track, f"kind {label}", 0.5, trail.times_us, trail.boxes, None, "")
        for track, (trail, _, label) in enumerate(drawn)
    ]
    decisions = [
        Decision(100 + n, entity, 1.0, Cause.MATCH, tuple(sorted(two for one, two in vetoes if one == entity)))
        for n, (_, entity, _) in enumerate(drawn)
    ]
    apartness = Apartness()
    apartness.add([Apart(0, 1, 5, 6, 0)])
    expected: dict[tuple[int, int], Apart] = {}
    for pair in combinations(range(len(drawn)), 2):
        low, high = sorted(pair, key=lambda n: drawn[n][1])
        key = (drawn[low][1], drawn[high][1])
        alike = drawn[low][2] == drawn[high][2] or key in vetoes or key[::-1] in vetoes
        is_new = key[0] != key[1] and key not in expected and key != (0, 1)
        if is_new and alike and rule.apart(drawn[low][0], drawn[high][0]):
            expected[key] = Apart(*key, 100 + low, 100 + high, 7)
    assert apartness.found(decisions, observations, 100, rule, 7) == tuple(expected.values())


def test_a_crowd_of_one_kind_is_tested_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("biographer.state.apartness._MOST_TESTS", 10)
    observations = clip("a", 0, *(seen(n, (1, 0), box=(n / 10, 0, n / 10 + 0.05, 1)) for n in range(9))).observations
    decisions = [Decision(n, n, 1.0, Cause.NEW) for n in range(9)]
    found = Apartness().found(decisions, observations, 0, Separation(), 0)
    assert len(found) == 8 + 7

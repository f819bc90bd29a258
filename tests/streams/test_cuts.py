from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biographer.streams.cuts import LONGEST, SHORTEST, Cuts
from biographer.streams.outline import Outline

SECOND = 1_000_000


def outline(seconds, group, rate=10):
    count = seconds * rate
    return Outline(
        pts=np.arange(count),
        keys=np.arange(count) % group == 0,
        shown=np.ones(count, dtype=bool),
        time_base=Fraction(1, rate),
        covered_us=seconds * SECOND,
        reached_us=seconds * SECOND,
        claimed_us=0,
    )


def test_the_nearest_key_frames_are_taken_without_drifting():
    cuts = Cuts.of(outline(100, 70), 30 * SECOND, copyable=True)
    assert [start // SECOND for start, _ in cuts.spans] == [0, 28, 63, 91]
    assert cuts.rows == (0, 280, 630, 910)


def test_key_frames_too_far_apart_give_exact_cuts_without_rows():
    cuts = Cuts.of(outline(100, 500), 30 * SECOND, copyable=True)
    assert cuts.rows == ()
    assert cuts.spans == (
        (0, 30 * SECOND),
        (30 * SECOND, 60 * SECOND),
        (60 * SECOND, 90 * SECOND),
        (90 * SECOND, 100 * SECOND),
    )
    assert Cuts.of(outline(100, 1), 30 * SECOND, copyable=False) == cuts


@pytest.mark.parametrize("copyable", [True, False])
@settings(max_examples=40)
@given(seconds=st.integers(1, 200), group=st.integers(1, 400), clip=st.integers(1, 60))
def test_clips_tile_the_recording(copyable, seconds, group, clip):
    seen = outline(seconds, group)
    cuts = Cuts.of(seen, clip * SECOND, copyable=copyable)
    assert cuts.spans[0][0] == 0
    assert cuts.spans[-1][1] == seen.length_us == seconds * SECOND
    assert all(left[1] == right[0] for left, right in pairwise(cuts.spans))
    assert all(0 < end - start <= max(LONGEST, 1 + SHORTEST) * clip * SECOND for start, end in cuts.spans)
    assert len(cuts.rows) in {0, len(cuts.spans)}
    assert all(seen.keys[row] for row in cuts.rows)

from fractions import Fraction

import numpy as np
import pytest

from biographer.state.errors import BadClipError
from biographer.streams.outline import Outline

SECOND = 1_000_000


def outline(pts, *, covered_us, reached_us=0, claimed_us=0, shown=None):
    count = len(pts)
    return Outline(
        pts=np.array(pts, dtype=np.int64),
        keys=np.ones(count, dtype=bool),
        shown=np.ones(count, dtype=bool) if shown is None else np.array(shown),
        time_base=Fraction(1, 30),
        covered_us=covered_us,
        reached_us=reached_us,
        claimed_us=claimed_us,
    )


def test_offsets_count_from_the_first_picture_shown_in_any_order():
    seen = outline([8, 10, 13, 11], covered_us=0, shown=[False, True, True, True])
    assert seen.offsets_us().tolist() == [-66667, 0, 100_000, 33_333]
    assert seen.offset_us(13) == 100_000


def test_the_last_picture_is_granted_a_common_time():
    assert outline(range(30), covered_us=0).length_us == SECOND
    assert outline([5], covered_us=40_000).length_us == 40_000
    assert outline([5], covered_us=0).length_us == 1


def test_an_end_that_is_missing_is_noticed():
    """blakeblackshear/frigate#14917."""
    ten = outline(range(300), covered_us=10 * SECOND)
    ten.check_whole(19 * SECOND)
    with pytest.raises(BadClipError, match=r"holds 10\.0 s, its message says 21\.0 s"):
        ten.check_whole(21 * SECOND)
    with pytest.raises(BadClipError, match=r"holds 10\.0 s, it says 12\.0 s"):
        outline(range(300), covered_us=10 * SECOND, claimed_us=12 * SECOND).check_whole(0)
    with pytest.raises(BadClipError, match=r"holds 0\.0 s, it says 12\.0 s"):
        outline([], covered_us=0, claimed_us=12 * SECOND).check_whole(0)


def test_a_length_that_counts_from_another_start_is_no_cut():
    outline(range(300), covered_us=10 * SECOND, reached_us=70 * SECOND, claimed_us=70 * SECOND).check_whole(0)


def test_few_and_uneven_pictures_are_no_cut():
    """amietn/vcsi#9."""
    outline([0], covered_us=0, claimed_us=30 * SECOND).check_whole(30 * SECOND)
    outline([0, 300, 600], covered_us=20 * SECOND, claimed_us=30 * SECOND).check_whole(0)


def test_times_that_no_recording_has_are_refused():
    """Damage of one byte put a picture ten million years off, which no array holds."""
    with pytest.raises(BadClipError, match="h off the first"):
        outline([0, 1, 2**60], covered_us=SECOND).check_whole(SECOND)
    assert outline([2**60, 2**60 + 3], covered_us=SECOND).offsets_us().tolist() == [0, 100_000]


def test_where_every_picture_is_left_out_there_is_no_first():
    assert len(outline([5, 6], covered_us=0, shown=[False, False]).offsets_us()) == 2

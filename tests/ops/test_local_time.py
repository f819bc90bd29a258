"""Times as people read and type them: in a stream's zone, and as short as they can be typed again."""

from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biographer.ops.local_time import LocalTime, asked_time, local_time, refuse_untimely
from biographer.state.errors import RefusedError

KATHMANDU = ZoneInfo("Asia/Kathmandu")
NOON_US = 1_777_636_800_000_000  # 2026-05-01T12:00:00Z


def test_people_read_the_zone_and_programs_utc():
    for fraction, told in ((0, ""), (200_000, ".2"), (133_334, ".133334"), (10, ".00001")):
        assert str(LocalTime(NOON_US + fraction, KATHMANDU)) == f"2026-05-01T17:45:00{told}+05:45"
    assert LocalTime(NOON_US, KATHMANDU).utc == "2026-05-01T12:00:00Z"
    assert str(LocalTime(NOON_US + 500_000, ZoneInfo("UTC"))) == "2026-05-01T12:00:00.5Z"


@given(st.integers(86_400_000_000, 253_402_200_000_000_000))
def test_what_is_printed_can_be_typed_with_and_without_its_offset(moment_us):
    printed = str(LocalTime(moment_us, KATHMANDU))
    for typed in (printed, printed[:-6]):
        assert local_time(typed, KATHMANDU).at_us == moment_us


def test_what_was_typed_is_asked_in_utc_and_refused_before_a_stream_is_known():
    assert asked_time(None, KATHMANDU) is None
    assert asked_time("2026-05-01 17:45:00", KATHMANDU) == "2026-05-01T12:00:00Z"
    refuse_untimely(None, "2026-05-01T17:45:00", "2026-05-01T17:45:00Z")
    for typed in ("noon", "", "2026-05-01"):
        with pytest.raises(RefusedError, match="not RFC 3339"):
            refuse_untimely(None, typed)

"""Clips from ahead of their arrival: a wrong clock would make all that follows late."""

from dataclasses import replace

import pytest

from biographer.state.errors import BadClipError, RefusedError
from biographer.state.line import Line, LineKind
from biographer.state.times import SECOND_US, parse_time
from biographer.streams.horizon import Horizon
from biographer.streams.message import ClipMessage, FlushMessage, encode
from biographer.streams.record import Record

NOW = parse_time("2026-05-01T12:00:00Z")
HOUR = Horizon.of_seconds(3600)


def clip(ends_after_s: float) -> ClipMessage:
    return ClipMessage("ann", "c", NOW + round((ends_after_s - 30) * SECOND_US), 30 * SECOND_US)


def record(message, timestamp_us=NOW):
    return Record("clips", 0, 0, b"ann", encode(message), timestamp_us)


def test_a_clip_may_end_so_far_beyond_its_arrival_and_no_further():
    assert HOUR.message(record(clip(3600))).clip == "c"
    with pytest.raises(BadClipError) as refused:
        HOUR.message(record(clip(3600.001)))
    told = str(refused.value)
    assert "ends at 2026-05-01T13:00:00.001000Z and arrived at 2026-05-01T12:00:00Z" in told
    assert "order.future_s=3600" in told
    assert "deadletter replay" in told


def test_a_line_may_reach_no_further_either():
    made = clip(0)
    line = Line(made.start_us, NOW + 7200 * SECOND_US, LineKind.SPEECH, "so on")
    with pytest.raises(BadClipError, match="ends at 2026-05-01T14:00:00Z"):
        HOUR.message(record(replace(made, lines=(line,))))


@pytest.mark.parametrize("timestamp_us", [-1, 0])
def test_a_record_without_a_time_has_none_to_compare_with(timestamp_us):
    assert HOUR.message(record(clip(10**9), timestamp_us)).clip == "c"


def test_no_bound_no_refusal_and_flushes_pass():
    assert Horizon.of_seconds(0).message(record(clip(10**9))).clip == "c"
    assert HOUR.message(record(FlushMessage("ann", NOW + 10**12))).stream == "ann"


def test_what_is_no_message_is_refused_as_ever():
    with pytest.raises(BadClipError, match="MessagePack"):
        HOUR.message(Record("clips", 0, 0, None, None, NOW))


def test_a_recording_of_tomorrow_is_refused_before_it_is_cut():
    HOUR.refuse_recording(NOW + 3600 * SECOND_US, NOW)
    with pytest.raises(RefusedError, match=r"would end at 2026-05-02T12:00:00Z and it is 2026-05-01T12.*--start"):
        HOUR.refuse_recording(NOW + 86_400 * SECOND_US, NOW)

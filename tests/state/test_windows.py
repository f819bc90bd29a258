"""Coarse episodes: aligned to the stream's midnight, closed by the watermark, re-opened by late clips."""

from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st
from sightings import us

from biographer.state.closing import Closing
from biographer.state.times import format_time, parse_time
from biographer.state.windows import SCALES, window_start, window_text

KATHMANDU = ZoneInfo("Asia/Kathmandu")


def closed(windows, clip, start, watermark):
    closing = windows.grow(clip, us(start), f"text {clip}", us(watermark), us(watermark))
    return [(one.scale, one.version, one.clips) for one in closing]


def test_a_window_closes_once_the_watermark_passes_it_and_holds_what_starts_in_it():
    windows = Closing()
    assert closed(windows, 0, 0, 30) == []
    assert closed(windows, 1, 170, 200) == [("3min", 0, (0, 1))]
    assert closed(windows, 2, 700, 730) == [("10min", 0, (0, 1)), ("3min", 0, (2,))]
    assert closed(windows, 3, 3600, 3630)[0] == ("1h", 0, (0, 1, 2))


def test_a_late_clip_re_opens_its_windows_as_further_versions():
    """bytewax/bytewax#413."""
    windows = Closing()
    closed(windows, 0, 0, 30)
    closed(windows, 1, 700, 730)
    again = closed(windows, 2, 60, 730)
    assert again == [("3min", 1, (0, 2)), ("10min", 1, (0, 2))]
    assert not any(one.late for one in windows.rest(us(730)))


def test_all_windows_close_once_the_stream_rests_and_re_open_for_what_follows():
    windows = Closing()
    closed(windows, 0, 0, 30)
    assert [(one.scale, one.clips, one.known_us) for one in windows.rest(us(30))] == [
        (scale, (0,), us(30)) for scale in ("3min", "10min", "1h")
    ]
    assert windows.rest(us(30)) == []
    assert closed(windows, 1, 30, 60) == []
    assert closed(windows, 2, 200, 230) == [("3min", 1, (0, 1))]
    rested = windows.rest(us(230))
    assert [(one.scale, one.version, one.clips, one.fresh) for one in rested] == [
        ("10min", 1, (0, 1, 2), (1, 2)), ("1h", 1, (0, 1, 2), (1, 2)), ("3min", 0, (2,), (2,))
    ]  # fmt: skip
    # What goes on after a rest came no later than it should; what belongs where the watermark has passed did.
    assert not any(one.late for one in rested)
    (again,) = windows.grow(3, us(90), "text 3", us(230), us(230))
    assert (again.scale, again.version, again.clips, again.late) == ("3min", 2, (0, 1, 3), True)
    assert windows.is_open


def test_windows_are_counted_from_the_midnight_of_the_zone():
    """Kathmandu is 5 h 45 min ahead: its hours begin at a quarter past in UTC."""
    moment = parse_time("2026-05-01T09:30:00Z")
    assert format_time(window_start(moment, SCALES["1h"], KATHMANDU)) == "2026-05-01T09:15:00Z"


@given(
    st.integers(0, 4 * 10**15),
    st.sampled_from(list(SCALES.values())),
    st.sampled_from(["UTC", "Asia/Kathmandu", "Europe/Berlin"]),
)
def test_every_moment_is_in_its_window(moment, size, zone):
    start = window_start(moment, size, ZoneInfo(zone))
    assert start <= moment < start + size


def test_a_text_takes_the_fullest_line_of_each_and_not_too_many():
    assert window_text(["a\nlonger one", "", "b"]) == "longer one\nb"
    assert len(window_text([f"line {n}" for n in range(100)]).splitlines()) == 12

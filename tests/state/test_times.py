"""getzep/graphiti#920: naive and aware times mixed. Here a time is accepted or refused with a reason, never guessed."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biographer.state.errors import RefusedError
from biographer.state.times import format_time, parse_time

NOON_US = 1_777_636_800_000_000  # 2026-05-01T12:00:00Z


@pytest.mark.parametrize(
    ("text", "moment_us"),
    [
        ("2026-05-01T12:00:00Z", NOON_US),
        ("2026-05-01t12:00:00z", NOON_US),
        ("2026-05-01 12:00:00Z", NOON_US),
        (" 2026-05-01T12:00:00Z\n", NOON_US),
        ("2026-05-01T19:00:00+07:00", NOON_US),
        ("2026-05-01T06:15:00-05:45", NOON_US),
        ("2026-05-02T11:59:00+23:59", NOON_US),
        ("2026-05-01T12:00:00-00:00", NOON_US),
        ("2026-05-01T12:00:00.5Z", NOON_US + 500_000),
        ("2026-05-01T12:00:00.000001Z", NOON_US + 1),
        ("2026-05-01T12:00:00.123456789Z", NOON_US + 123_456),
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:30:00-01:00", 1_800_000_000),
        ("2024-02-29T00:00:00Z", 1_709_164_800_000_000),
        ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
    ],
)
def test_times_that_name_one_moment(text: str, moment_us: int) -> None:
    assert parse_time(text) == moment_us


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2026-05-01T12:00:00", "no offset"),
        ("2026-05-01 12:00:00", "no offset"),
        ("0001-01-01T00:00:00Z", "before 1970"),
        ("1970-01-01T00:00:00+00:01", "before 1970"),
        ("9999-12-31T23:59:59-00:01", "after 9999"),
        ("0000-01-01T00:00:00Z", "does not exist"),
        ("2016-12-31T23:59:60Z", "does not exist"),
        ("2026-02-30T12:00:00Z", "does not exist"),
        ("2026-13-01T12:00:00Z", "does not exist"),
        ("2026-05-01T24:00:00Z", "does not exist"),
        ("2026-05-01T12:00:00+24:00", "offset"),
        ("2026-05-01T12:00:00+07:60", "offset"),
        ("2026-05-01T12:00:00+7:00", "not RFC 3339"),
        ("2026-05-01T12:00:00.Z", "not RFC 3339"),
        ("2026-05-01T12:00:00.1234567890Z", "not RFC 3339"),
        ("2026-05-01T12:00Z", "not RFC 3339"),
        ("2026-05-01", "not RFC 3339"),
        ("20260501T120000Z", "not RFC 3339"),
        ("\N{ARABIC-INDIC DIGIT TWO}026-05-01T12:00:00Z", "not RFC 3339"),
        ("1777636800", "not RFC 3339"),
        ("yesterday", "not RFC 3339"),
        ("", "not RFC 3339"),
        ("2026-05-01T12:00:00Z" * 500, "not RFC 3339"),
    ],
)
def test_what_is_refused_is_named_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(RefusedError, match=reason) as caught:
        parse_time(text)
    assert len(str(caught.value)) < 250


@given(st.integers(0, 253_402_300_799_999_999))
def test_a_moment_survives_being_written_and_read(moment_us: int) -> None:
    assert parse_time(format_time(moment_us)) == moment_us


@given(
    st.datetimes(datetime(1970, 1, 3), datetime(9999, 12, 29)),  # noqa: DTZ001 - hypothesis adds the zone below
    st.integers(-1439, 1439),
)
def test_any_offset_names_the_same_moment_as_the_standard_library_says(local: datetime, minutes: int) -> None:
    aware = local.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    expected = (aware - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    assert parse_time(aware.isoformat()) == expected


def test_a_whole_second_is_written_without_a_fraction() -> None:
    assert format_time(NOON_US) == "2026-05-01T12:00:00Z"
    assert format_time(NOON_US + 250_000) == "2026-05-01T12:00:00.250000Z"


BERLIN = ZoneInfo("Europe/Berlin")


def test_a_time_without_an_offset_is_of_the_zone_that_is_named() -> None:
    assert parse_time("2026-05-01T14:00:00", BERLIN) == NOON_US
    assert parse_time("2026-05-01 14:00:00.25", BERLIN) == NOON_US + 250_000
    for told in ("2026-05-01T12:00:00Z", "2026-05-01T19:00:00+07:00", "2026-05-01T12:00:00-00:00"):
        assert parse_time(told, BERLIN) == NOON_US


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2026-10-25T02:30:00", r"comes twice in Europe/Berlin, .* add the offset that is meant, \+02:00 or \+01:00"),
        ("2026-03-29T02:30:00", r"does not come in Europe/Berlin, .* \+01:00 or \+02:00"),
        ("1970-01-01T00:59:59", "before 1970"),
        ("0001-01-01T00:00:00", "before 1970"),
    ],
)
def test_what_the_clocks_of_a_zone_show_twice_or_never_is_refused(text: str, reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        parse_time(text, BERLIN)


def test_a_moment_is_written_in_a_zone_with_its_offset() -> None:
    assert format_time(NOON_US, BERLIN) == "2026-05-01T14:00:00+02:00"
    assert format_time(NOON_US + 250_000, ZoneInfo("America/St_Johns")) == "2026-05-01T09:30:00.250000-02:30"
    assert format_time(0, ZoneInfo("Africa/Monrovia")) == "1970-01-01T00:00:00Z"
    assert format_time(253_402_300_799_000_000, BERLIN) == "9999-12-31T23:59:59Z"


@given(
    st.integers(0, 253_402_300_799_999_999), st.sampled_from(["Europe/Berlin", "Africa/Monrovia", "America/St_Johns"])
)
def test_a_moment_survives_being_written_and_read_in_any_zone(moment_us: int, zone: str) -> None:
    assert parse_time(format_time(moment_us, ZoneInfo(zone))) == moment_us

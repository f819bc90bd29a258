"""Event time: integer microseconds of UTC inside, RFC 3339 with an offset at every edge.

No clock is read here; a time without an offset is refused, never guessed.
"""

import re
from datetime import UTC, datetime, timedelta

from biographer.state.errors import RefusedError

SECOND_US = 1_000_000
"""Microseconds in a second."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_END_US = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1) + 1
_RFC3339 = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:([Zz])|([+-])(\d{2}):(\d{2}))?", re.ASCII
)


def parse_time(text: str) -> int:
    """Return the microseconds of UTC that an RFC 3339 time names.

    Digits beyond the microsecond are cut. Raises RefusedError for what is no such time, lies before the
    epoch or after the year 9999, or bears no offset.
    """
    match = _RFC3339.fullmatch(text.strip())
    if match is None:
        raise RefusedError(f"time {text[:64]!r} is not RFC 3339; write it like 2026-05-01T09:30:00+02:00")
    year, month, day, hour, minute, second, fraction, zulu, sign, off_hour, off_minute = match.groups()
    if zulu is None and sign is None:
        raise RefusedError(f"time {text[:64]!r} has no offset; add Z or one like +02:00")
    offset = timedelta(hours=int(off_hour or 0), minutes=int(off_minute or 0))
    if offset >= timedelta(hours=24) or int(off_minute or 0) > 59:
        raise RefusedError(f"time {text[:64]!r} has an offset of a day or more; use one like +02:00")
    try:
        local = datetime(int(year), int(month), int(day), int(hour), int(minute), int(second), tzinfo=UTC)
    except ValueError as error:
        raise RefusedError(f"time {text[:64]!r} does not exist: {error}") from error
    whole = (local - _EPOCH) // timedelta(microseconds=1) + int((fraction or "0").ljust(6, "0")[:6])
    moment = whole - (-1 if sign == "-" else 1) * (offset // timedelta(microseconds=1))
    if not 0 <= moment < _END_US:
        raise RefusedError(f"time {text[:64]!r} lies before 1970 or after 9999 in UTC; check the year")
    return moment


def format_time(moment_us: int) -> str:
    """Return RFC 3339 in UTC for microseconds; the fraction is left out where it is zero."""
    moment = _EPOCH + timedelta(microseconds=moment_us)
    return moment.isoformat(timespec="microseconds" if moment.microsecond else "seconds").replace("+00:00", "Z")

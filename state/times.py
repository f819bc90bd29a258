"""Event time: integer microseconds of UTC inside, RFC 3339 with an offset at every edge.

No clock is read here; a time without an offset is refused, never guessed: whoever knows what zone it is of says so.
"""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from biographer.state.errors import RefusedError

SECOND_US = 1_000_000
"""Microseconds in a second."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_END_US = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1) + 1
_RFC3339 = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:([Zz])|([+-])(\d{2}):(\d{2}))?", re.ASCII
)


def parse_time(text: str, zone: tzinfo | None = None) -> int:
    """Return the microseconds of UTC that an RFC 3339 time names; one without an offset is of `zone`, where given.

    Digits beyond the microsecond are cut. Raises RefusedError for what is no such time, lies before the
    epoch or after the year 9999, bears no offset where no zone is given, or comes twice or never in the zone.
    """
    match = _RFC3339.fullmatch(text.strip())
    if match is None:
        raise RefusedError(f"time {text[:64]!r} is not RFC 3339; write it like 2026-05-01T09:30:00+02:00")
    year, month, day, hour, minute, second, fraction, *offset = match.groups()
    if not any(offset) and zone is None:
        raise RefusedError(f"time {text[:64]!r} has no offset; add Z or one like +02:00")
    try:
        local = datetime(int(year), int(month), int(day), int(hour), int(minute), int(second), tzinfo=UTC)
    except ValueError as error:
        raise RefusedError(f"time {text[:64]!r} does not exist: {error}") from error
    ahead = _ahead(text, *offset) if any(offset) or zone is None else _ahead_in(text, zone, local)
    whole = (local - _EPOCH) // timedelta(microseconds=1) + int((fraction or "0").ljust(6, "0")[:6])
    moment = whole - ahead // timedelta(microseconds=1)
    if not 0 <= moment < _END_US:
        raise RefusedError(f"time {text[:64]!r} lies before 1970 or after 9999 in UTC; check the year")
    return moment


def _ahead(text: str, zulu: str | None, sign: str | None, hours: str | None, minutes: str | None) -> timedelta:
    """Return how far the offset that a time was written with is ahead of UTC."""
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    if zulu is None and (offset >= timedelta(hours=24) or int(minutes or 0) > 59):
        raise RefusedError(f"time {text[:64]!r} has an offset of a day or more; use one like +02:00")
    return -offset if sign == "-" else offset


def _ahead_in(text: str, zone: tzinfo, local: datetime) -> timedelta:
    """Return how far a zone's clocks are ahead of UTC when they show a time, which they must do once."""
    wall = local.replace(tzinfo=zone)
    before, after = (wall.replace(fold=fold).utcoffset() or timedelta() for fold in (0, 1))
    if before == after:
        return before
    comes = "comes twice" if before > after else "does not come"
    raise RefusedError(
        f"time {text[:64]!r} {comes} in {zone}, whose clocks are changed then; add the offset that is meant, "
        f"{_signed(before)} or {_signed(after)}"
    )


def _signed(offset: timedelta) -> str:
    return datetime(2000, 1, 1, tzinfo=timezone(offset)).isoformat()[-6:]


def format_time(moment_us: int, zone: tzinfo = UTC) -> str:
    """Return RFC 3339 in a zone for microseconds; the fraction is left out where it is zero.

    It is in UTC where RFC 3339 cannot write the zone's offset then (one with seconds, as Monrovia had until 1972), or
    the year.
    """
    moment = _local(_EPOCH + timedelta(microseconds=moment_us), zone)
    return moment.isoformat(timespec="microseconds" if moment.microsecond else "seconds").replace("+00:00", "Z")


def _local(moment: datetime, zone: tzinfo) -> datetime:
    try:
        local = moment.astimezone(zone)
    except OverflowError:
        return moment
    return moment if (local.utcoffset() or timedelta()) % timedelta(minutes=1) else local

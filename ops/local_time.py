"""A time as the command line shows it: to people in the zone of its stream, with the offset; to programs in UTC.

What a person types without an offset is of the same zone, so that what was printed can be typed again without it.
"""

from dataclasses import dataclass
from datetime import UTC, tzinfo

from biographer.state.times import format_time, parse_time


@dataclass(frozen=True, slots=True)
class LocalTime:
    """A moment (microseconds of UTC) of a stream, and the stream's zone."""

    at_us: int
    zone: tzinfo

    def __str__(self) -> str:
        whole, _, rest = format_time(self.at_us, self.zone).partition(".")
        # A fifth of a second is .2: six digits do not fit into a table.
        return f"{whole}.{rest[:6].rstrip('0')}{rest[6:]}" if rest else whole

    @property
    def utc(self) -> str:
        """The moment as the API writes it."""
        return format_time(self.at_us)


def local_time(moment: str, zone: tzinfo) -> LocalTime:
    """Return a time that the API wrote, or that was typed, in a stream's zone. Raises RefusedError as `parse_time`."""
    return LocalTime(parse_time(moment, zone), zone)


def asked_time(typed: str | None, zone: tzinfo) -> str | None:
    """Return a typed time as the API takes it. Raises RefusedError as `parse_time`."""
    return None if typed is None else local_time(typed, zone).utc


def refuse_untimely(*typed: str | None) -> None:
    """Raise RefusedError for what is a time in no zone: before a stream, whose zone it is of, is looked for."""
    for moment in typed:
        if moment is not None:
            parse_time(moment, UTC)

"""Time zones by their names: where a stream's midnight is. A name that is unknown is refused, never guessed."""

from zoneinfo import ZoneInfo

from biographer.state.errors import RefusedError

UTC_ZONE = "UTC"
"""The zone of a stream that was begun without a word about it."""


def zone_of(name: str) -> ZoneInfo:
    """Return the zone that an IANA name stands for, such as Europe/Berlin; raises RefusedError for any other."""
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError) as error:
        raise RefusedError(f"timezone {name!r:.60} is unknown; write a name like Europe/Berlin, or UTC") from error

"""How far ahead of its arrival a clip may end: one whose device's clock is wrong would make all later clips late.

A clip's arrival is the time of its record in the log, so that a replay of the log decides alike; for clips that come
from no log it is told by whoever reads a clock. Nothing here reads one.
"""

from dataclasses import dataclass

from biographer.state.errors import BadClipError, RefusedError
from biographer.state.times import SECOND_US, format_time
from biographer.streams.message import ClipMessage, FlushMessage, decode
from biographer.streams.record import Record


@dataclass(frozen=True, slots=True)
class Horizon:
    """So many microseconds; 0 is no bound."""

    ahead_us: int = 0

    @classmethod
    def of_seconds(cls, seconds: float) -> "Horizon":
        """Return it as settings tell it."""
        return cls(round(seconds * SECOND_US))

    def message(self, record: Record) -> ClipMessage | FlushMessage:
        """Read a record. Raises BadClipError for what is no message, or of a clip beyond its arrival.

        A record without a time (-1, or 0 of producers that leave it out) has none to compare with.
        """
        message = decode(record.value or b"", record.key)
        if isinstance(message, ClipMessage) and record.timestamp_us > 0:
            self.refuse(message, record.timestamp_us)
        return message

    def refuse(self, message: ClipMessage, arrived_us: int) -> None:
        """Raise BadClipError for a clip that ends too far beyond its arrival, or has a line that does."""
        end_us = max([message.end_us, *(line.end_us for line in message.lines)])
        if self._beyond(end_us, arrived_us):
            raise BadClipError(
                f"clip {message.clip!r} ends at {format_time(end_us)} and arrived at {format_time(arrived_us)}, "
                f"{self._told}. Set the device's clock; if the clip's times are right, raise order.future_s, "
                "or `biographer deadletter replay` it later"
            )

    def refuse_recording(self, end_us: int, now_us: int) -> None:
        """Raise RefusedError for a recording that ends too far ahead of now: all of it would be set aside later."""
        if self._beyond(end_us, now_us):
            raise RefusedError(
                f"the recording would end at {format_time(end_us)} and it is {format_time(now_us)}, {self._told}. "
                "Check --start and its offset; if they are right, raise order.future_s (0: no bound)"
            )

    @property
    def _told(self) -> str:
        return f"more than order.future_s={self.ahead_us / SECOND_US:g} s ahead"

    def _beyond(self, end_us: int, arrived_us: int) -> bool:
        return bool(self.ahead_us) and end_us - arrived_us > self.ahead_us

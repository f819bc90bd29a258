"""The order in which a stream's clips are applied: what comes after a gap waits for what is missing (DESIGN section 5).

Decisions use event times and recorded flushes only, never a clock, so a replay of the same log decides alike.
"""

import heapq
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(order=True, slots=True)
class _Held(Generic[T]):
    start_us: int
    end_us: int
    arrival: int
    item: T = field(compare=False)


class Order(Generic[T]):
    """Clips of one stream that wait for their turn.

    A clip that begins at or before the watermark is released at once, and with it whatever then continues it. One
    that begins after the watermark waits until the latest end seen, less `lateness_us`, has reached its start, or
    until a flush, or until more than `limit` clips wait. A lateness of 0 releases everything in order of arrival.

    After a restart the clips that were let go together, and of which some had been applied, come again one by one:
    they are given to `gather`, and `due` is asked once the record that had let them go is back.
    """

    def __init__(self, lateness_us: int, limit: int, tolerance_us: int = 500_000) -> None:
        self._lateness_us = lateness_us
        self._limit = limit
        self._tolerance_us = tolerance_us
        self._held: list[_Held[T]] = []
        self._arrivals = 0
        self._seen_us: int | None = None

    def __len__(self) -> int:
        """Count the clips that wait."""
        return len(self._held)

    @property
    def patient(self) -> bool:
        """Whether anything ever waits here."""
        return self._lateness_us > 0

    def push(self, start_us: int, end_us: int, item: T, watermark_us: int | None) -> list[T]:
        """Take one clip; return those whose turn has come, in order of event time.

        `watermark_us` is the end of what has been applied and released so far, None for an empty stream, whose
        first clip waits for the lateness alone.
        """
        if self._lateness_us == 0:
            return [item]
        self.gather(start_us, end_us, item)
        self._seen_us = max(watermark_us or end_us, self._seen_us or end_us)
        return self.due(watermark_us)

    def gather(self, start_us: int, end_us: int, item: T) -> None:
        """Take one clip and let none go."""
        heapq.heappush(self._held, _Held(start_us, end_us, self._arrivals, item))
        self._arrivals += 1
        self._seen_us = max(end_us, self._seen_us or end_us)

    def flush(self) -> list[T]:
        """Return all that wait, in order of event time: the log says that nothing more will come before them."""
        released = [heapq.heappop(self._held).item for _ in range(len(self._held))]
        self._seen_us = None
        return released

    def due(self, watermark_us: int | None) -> list[T]:
        """Return the clips whose turn has come, in order of event time."""
        released: list[T] = []
        while self._held and self._ready(watermark_us):
            clip = heapq.heappop(self._held)
            watermark_us = max(clip.end_us, watermark_us or clip.end_us)
            released.append(clip.item)
        return released

    def _ready(self, watermark_us: int | None) -> bool:
        first = self._held[0]
        continues = watermark_us is not None and first.start_us <= watermark_us + self._tolerance_us
        due = self._seen_us is not None and first.start_us <= self._seen_us - self._lateness_us
        return continues or due or len(self._held) > self._limit

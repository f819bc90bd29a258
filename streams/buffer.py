"""Records that wait between broker and pipeline: bounded, in order within a partition, droppable by partition.

Plain and without a loop; `source` fills and drains it.
"""

from collections import Counter, deque
from collections.abc import Iterable

from biographer.streams.record import Record


class Buffer:
    """Holds at most `records` a partition, and takes no more once it holds `limit_bytes` (so one record over it)."""

    def __init__(self, records: int, limit_bytes: int) -> None:
        self._records = records
        self._limit_bytes = limit_bytes
        self._waiting: deque[Record] = deque()
        self._counts: Counter[int] = Counter()
        self._bytes = 0
        self._held: set[int] = set()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def size(self) -> int:
        """Bytes that wait."""
        return self._bytes

    def wants(self, partition: int) -> bool:
        """Whether one more record of a partition may be put."""
        return self._bytes < self._limit_bytes and self._counts[partition] < self._records

    def put(self, record: Record) -> None:
        """Append; the caller asked `wants` before it fetched."""
        self._waiting.append(record)
        self._counts[record.partition] += 1
        self._bytes += record.size

    def take(self) -> Record | None:
        """Return the oldest record of a partition that is not held, None where there is none."""
        for index, record in enumerate(self._waiting):
            if record.partition not in self._held:
                del self._waiting[index]
                self._forget(record)
                return record
        return None

    def hold(self, partitions: Iterable[int]) -> None:
        """Keep what these partitions have here until `release`."""
        self._held.update(partitions)

    def release(self, partitions: Iterable[int]) -> None:
        """Undo `hold`."""
        self._held.difference_update(partitions)

    def drop(self, partitions: Iterable[int]) -> None:
        """Forget everything of these partitions, that they were held included."""
        gone = frozenset(partitions)
        self._held -= gone
        for record in [record for record in self._waiting if record.partition in gone]:
            self._waiting.remove(record)
            self._forget(record)

    def _forget(self, record: Record) -> None:
        self._counts[record.partition] -= 1
        self._bytes -= record.size

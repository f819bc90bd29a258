"""What is in hand of one partition, and how far it is done: the low-water mark that may be committed.

Pure counting. Who does the work, and who commits, live elsewhere.
"""

from bisect import bisect_left
from dataclasses import dataclass, replace

from biographer.state.position import Position


@dataclass(slots=True)
class _Entry:
    offset: int
    position: Position
    size: int
    done: bool = False
    held: bool = False


class Ledger:
    """The records of one partition from the first that is not done to the last that was taken, in offset order.

    `queued` and `queued_bytes` count what waits for work; records that only wait for their turn in event time are
    *held* and count apart, since pausing the partition would keep from us the very record they wait for. Of done
    records behind one that is not, only the last of each run is kept: a clip that waits for days costs nothing more.
    """

    def __init__(self) -> None:
        self._entries: list[_Entry] = []
        self._mark: Position | None = None
        self._begin: Position | None = None
        self.queued = 0
        self.queued_bytes = 0

    def __len__(self) -> int:
        """Count the records in hand."""
        return sum(not entry.done for entry in self._entries)

    @property
    def mark(self) -> Position | None:
        """The low-water mark: every record before it is applied, known or set aside; None until the first is done."""
        return self._mark

    @property
    def begin(self) -> Position | None:
        """The position before the first record that was taken: what may be stored while there is no mark."""
        return self._begin

    def take(self, offset: int, position: Position, size: int) -> None:
        """Enter a record that was just read, with the position behind it; offsets rise, with gaps after compaction."""
        if self._begin is None:
            self._begin = replace(position, next_offset=offset, tail="")
        self._entries.append(_Entry(offset, position, size))
        self.queued += 1
        self.queued_bytes += size

    def hold(self, offset: int) -> None:
        """Note that a record is ready and waits only for its turn."""
        entry = self._entries[self._row(offset)]
        if not entry.held and not entry.done:
            entry.held = True
            self._unqueue(entry)

    def mark_after(self, offset: int) -> Position | None:
        """Return what the mark will be once `offset` is done: the position to write in the same transaction."""
        mark = self._mark
        for entry in self._entries:
            if not entry.done and entry.offset != offset:
                break
            mark = entry.position
        return mark

    def settle(self, offset: int) -> Position | None:
        """Note that a record is done for good; return the mark."""
        row = self._row(offset)
        entry = self._entries[row]
        entry.done = True
        if not entry.held:
            self._unqueue(entry)
        self._merge(row)
        if self._entries[0].done:
            self._mark = self._entries.pop(0).position
        return self._mark

    def _merge(self, row: int) -> None:
        if row + 1 < len(self._entries) and self._entries[row + 1].done:
            del self._entries[row]
        if row > 0 and self._entries[row - 1].done:
            del self._entries[row - 1]

    def _row(self, offset: int) -> int:
        return bisect_left(self._entries, offset, key=lambda entry: entry.offset)

    def _unqueue(self, entry: _Entry) -> None:
        self.queued -= 1
        self.queued_bytes -= entry.size

"""The partitions that are ours: what is in hand of each, when to pause it, what to commit."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from biographer.daemon.ends import Tap
from biographer.daemon.ledger import Ledger
from biographer.daemon.work import Work
from biographer.state.position import Position


@dataclass(frozen=True, slots=True)
class Limits:
    """At which number of records, or bytes, in hand a partition is paused; it is resumed at half."""

    records: int
    size: int


class Partitions:
    """Ledgers by partition. `settled` is set when there is something new to commit."""

    def __init__(self, limits: Limits) -> None:
        self._tap: Tap | None = None
        self._limits = limits
        self._ledgers: dict[int, Ledger] = {}
        self._paused: set[int] = set()
        self._committed: dict[int, int] = {}
        self._stored: dict[int, int] = {}
        self._terms: Counter[int] = Counter()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self.settled = asyncio.Event()

    def connect(self, tap: Tap) -> None:
        """Say where to pause and resume."""
        self._tap = tap

    def term(self, partition: int) -> int:
        """Return a number that changes whenever a partition is taken from us."""
        return self._terms[partition]

    def take(self, work: Work) -> None:
        """Enter a record; pause its partition where that fills its queue."""
        partition = work.record.partition
        ledger = self._ledgers.setdefault(partition, Ledger())
        ledger.take(work.record.offset, work.position, work.record.size)
        if self._full(ledger) and partition not in self._paused:
            self._paused.add(partition)
            if self._tap is not None:
                self._tap.pause([partition])
        if ledger.queued > 2 * self._limits.records:
            self._flowing.clear()

    async def flowing(self) -> None:
        """Wait while a source that was told to pause has still delivered twice the limit."""
        await self._flowing.wait()

    def hold(self, work: Work) -> None:
        """Note that a record only waits for its turn in event time."""
        if not work.abandoned:
            self._ledgers[work.record.partition].hold(work.record.offset)
            self._relieve(work.record.partition)

    def position_after(self, work: Work) -> Position | None:
        """Return the position to write together with this record's clip.

        Where an earlier record still waits and none is done, it says the least: what let this clip go is written with
        it, and a clip that comes before its turn in the log must not be without that.
        """
        ledger = self._ledgers[work.record.partition]
        return ledger.mark_after(work.record.offset) or ledger.begin

    def settle(self, work: Work) -> None:
        """Note that a record is applied, known or set aside."""
        if work.abandoned:
            return
        self._ledgers[work.record.partition].settle(work.record.offset)
        self._relieve(work.record.partition)
        self.settled.set()

    def marks(self) -> Mapping[int, Position]:
        """Return each partition's low-water mark."""
        return {number: ledger.mark for number, ledger in self._ledgers.items() if ledger.mark is not None}

    def uncommitted(self) -> dict[int, int]:
        """Return the next offsets that the group has not been told of."""
        nexts = {number: mark.next_offset for number, mark in self.marks().items()}
        return {number: offset for number, offset in nexts.items() if self._committed.get(number) != offset}

    def committed(self, offsets: Mapping[int, int]) -> None:
        """Note what the group was told."""
        self._committed.update({number: offset for number, offset in offsets.items() if number in self._ledgers})

    def stored(self, position: Position | None) -> None:
        """Note a position that some stream's store holds now."""
        if position is not None:
            self._stored[position.partition] = max(position.next_offset, self._stored.get(position.partition, 0))

    def unstored(self) -> list[Position]:
        """Return the marks that no store holds: those behind records that changed nothing."""
        return [mark for number, mark in self.marks().items() if mark.next_offset > self._stored.get(number, 0)]

    def drop(self, partitions: Iterable[int]) -> None:
        """Forget partitions that are another's now."""
        for number in partitions:
            self._ledgers.pop(number, None)
            self._committed.pop(number, None)
            self._stored.pop(number, None)
            self._terms[number] += 1
            self._paused.discard(number)
        self._flow()

    def queued(self) -> Mapping[int, int]:
        """Return how many records of each partition wait for work."""
        return {number: ledger.queued for number, ledger in self._ledgers.items()}

    def _full(self, ledger: Ledger, share: float = 1.0) -> bool:
        return ledger.queued >= self._limits.records * share or ledger.queued_bytes >= self._limits.size * share

    def _relieve(self, partition: int) -> None:
        ledger = self._ledgers[partition]
        if partition in self._paused and (ledger.queued == 0 or not self._full(ledger, 0.5)):
            self._paused.discard(partition)
            if self._tap is not None:
                self._tap.resume([partition])
        self._flow()

    def _flow(self) -> None:
        if all(ledger.queued <= 2 * self._limits.records for ledger in self._ledgers.values()):
            self._flowing.set()

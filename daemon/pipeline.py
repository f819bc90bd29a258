"""The straight line: Kafka record -> clip -> frames -> detections -> tracks -> observations -> memory -> commit.

Read `_admit`, `perceive`, `apply` and `_commit_marks` in this order: each is one step of every record. What may fail
is called through the boundary, what blocks runs in worker threads, and only the low-water mark is ever committed.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

from structlog.typing import FilteringBoundLogger

from biographer.daemon.attempts import Attempts
from biographer.daemon.boundary import Boundary, Failure
from biographer.daemon.ends import Flushes, Letters, Memories, Perceives, Source
from biographer.daemon.in_turn import InTurn
from biographer.daemon.journal import Journal
from biographer.daemon.lane import Lane
from biographer.daemon.metrics import Metrics
from biographer.daemon.partitions import Limits, Partitions
from biographer.daemon.retry import Backoff
from biographer.daemon.sections import Order as OrderSection
from biographer.daemon.sections import Pipeline as PipelineSection
from biographer.daemon.threads import Threads
from biographer.daemon.upkeep import Upkeep
from biographer.daemon.work import Known, Work
from biographer.state.errors import BadClipError, FatalError
from biographer.state.order import Order
from biographer.state.perceived import Perceived
from biographer.state.position import Position
from biographer.state.stream import Applied
from biographer.state.times import SECOND_US
from biographer.streams.dead_letter import letter
from biographer.streams.horizon import Horizon
from biographer.streams.message import ClipMessage
from biographer.streams.record import Record


class Pipeline:
    """Everything between a source of records and the memories; `rests` has flushes noted in these."""

    def __init__(
        self,
        memories: Memories,
        perception: Perceives,
        letters: Letters,
        flushes: Flushes,
        attempts: Attempts,
        threads: Threads,
        settings: PipelineSection,
        order: OrderSection,
        metrics: Metrics,
        waiting: Callable[[str, str | None], None],
        now_us: Callable[[], int],
        log: FilteringBoundLogger,
        *,
        journal: Journal,
        committed: Callable[[str], None] = lambda _: None,
        rests: bool = False,
    ) -> None:
        self._committed, self._rests = committed, rests
        self._memories, self._perception, self._letters = memories, perception, letters
        self._attempts, self._threads, self._settings, self._order_settings = attempts, threads, settings, order
        self._metrics, self._now_us, self._log, self._journal = metrics, now_us, log, journal
        self._boundary = Boundary(Backoff(settings.retry_first_s, settings.retry_last_s), waiting, log)
        self._horizon = Horizon.of_seconds(order.future_s)
        self._partitions = Partitions(Limits(settings.queue_records, settings.queue_bytes))
        self._lanes: dict[str, Lane] = {}
        beside = (threads, settings, now_us, journal.tell, memories.advance)
        self._upkeep = Upkeep(self._lanes, self._partitions, flushes, self._boundary, *beside)
        self._opening, self._sending = asyncio.Lock(), asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._group: asyncio.TaskGroup | None = None
        self.in_turn = InTurn(self, threads, committed)
        self._companions: list[Callable[[], Coroutine[Any, Any, None]]] = []
        self._stop = asyncio.Event()

    @property
    def partitions(self) -> Partitions:
        """What is in hand, by partition."""
        return self._partitions

    @property
    def lanes(self) -> Iterable[Lane]:
        """The lanes of the streams that were seen since the start."""
        return self._lanes.values()

    @property
    def running(self) -> bool:
        """Whether it takes records, and its streams may be changed."""
        return self._group is not None and not self._stop.is_set()

    def stop(self) -> None:
        """Ask `run` to end: what is being written is finished, what is being perceived is left for the next start."""
        self._stop.set()

    def accompany(self, companion: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run this beside the clips, and end it with them."""
        self._companions.append(companion)

    async def claims(self, partition: int) -> Sequence[Position]:
        """Return where the memories stand in a partition; no transaction is under way meanwhile."""
        async with self._opening, AsyncExitStack() as stack:
            for lane in list(self._lanes.values()):
                await stack.enter_async_context(lane.writing)
            positions = await self._threads.write(self._memories.positions)
        return [position for position in positions if position.partition == partition]

    async def revoked(self, partitions: Iterable[int]) -> None:
        """Let go of partitions: once this returns, nothing of theirs in hand is written any more."""
        gone = frozenset(partitions)
        self._partitions.drop(gone)
        for lane in list(self._lanes.values()):
            await lane.abandon(gone)

    async def run(self, source: Source) -> None:
        """Take records until `stop`. Raises FatalError (in a group) where going on would be wrong."""
        self._source = source
        self._partitions.connect(source)
        async with asyncio.TaskGroup() as group:
            self._group = group
            for step in (self._read(), self._commit_marks(), self._upkeep.run(), *(one() for one in self._companions)):
                self._spawn(step)
            await self._stop.wait()
            await self._wind_down()
        self._journal.close()
        await self._upkeep.store_marks()
        await self._boundary.call("commit", self._commit_once, tries_max=1)

    async def _wind_down(self) -> None:
        """Cancel everything at a moment at which no transaction is under way."""
        async with AsyncExitStack() as stack:
            for lane in list(self._lanes.values()):
                await stack.enter_async_context(lane.writing)
            self.in_turn.end()
            for task in self._tasks:
                task.cancel()

    async def _read(self) -> None:
        async for record in self._source.records():
            await self._admit(record)
            await self._partitions.flowing()

    async def _admit(self, record: Record) -> None:
        """Kafka record -> clip."""
        term = self._partitions.term(record.partition)
        position = await self._threads.write(self._source.position, record)
        message = await self._boundary.call("decode", lambda: self._threads.write(self._horizon.message, record))
        if self._partitions.term(record.partition) != term:
            return
        work = Work(record, position, message)
        self._partitions.take(work)
        if isinstance(message, Failure):
            self._spawn(self.bury(work, message))
        else:
            self._upkeep.streams[record.partition] = message.stream
            self.lane(message.stream).put(work, self._spawn)

    async def perceive(self, lane: Lane, work: Work) -> Perceived | Known | Failure:
        """Clip -> frames -> detections -> tracks -> observations, in a worker thread."""
        stream, message = await lane.opened(), work.message
        if isinstance(stream, Failure) or not isinstance(message, ClipMessage):
            return stream if isinstance(stream, Failure) else Known()
        if stream.knows(message.clip):
            return Known()
        crashes = self._attempts.crashes(work.origin)
        if crashes >= self._settings.crashes_max:
            return Failure("crashes", BadClipError(f"the daemon died {crashes} times at work on clip {message.clip!r}"))

        async def perceived() -> Perceived | Known:
            if work.abandoned:
                return Known()
            return await self._threads.perceive(self._perception.perceive, message, lambda: self._left(work))

        async with self._threads.seat(alone=crashes > 0), self._at_work(work):
            return await self._boundary.call(f"clip {message.clip}", perceived, self._settings.fetch_tries)

    async def apply(self, lane: Lane, work: Work, perceived: Perceived) -> None:
        """Observations -> memory and position, in one transaction; only then is the record done."""

        async def written() -> Applied | None:
            stream = await lane.opened()
            async with lane.writing:
                if work.abandoned or isinstance(stream, Failure):
                    return None
                position = self._partitions.position_after(work)
                position = position and replace(position, through=work.let_go_by)
                applied = await self._threads.write(stream.apply, perceived, position)
                self._partitions.stored(position)
                self._partitions.settle(work)
                return applied

        began = self._journal.clock()
        async with AsyncExitStack() as stack:
            if self._attempts.crashes(work.origin):
                await stack.enter_async_context(self._threads.seat(alone=True))
            await stack.enter_async_context(self._at_work(work))
            applied = await self._boundary.call(f"stream {lane.name}", written)
        if isinstance(applied, Failure):
            await self.bury(work, applied)
        elif applied is not None:
            self._metrics.applied(lane.name, applied)
            if applied.change is not None:
                spent = self._journal.clock() - began
                self._metrics.stages({"apply": spent})
                self._journal.remembered(work, applied.change, spent)
            self._committed(lane.name)
            await self._forget_crashes(work)

    async def bury(self, work: Work, failure: Failure) -> None:
        """Set a record aside on the dead-letter topic; only then is it done."""

        async def sent() -> None:
            sheet = await self._threads.write(letter, work.record, failure.error, self._now_us())
            # One at a time: of a batch of several, the embedded broker tells readers an end that is too early.
            async with self._sending:
                await self._letters.send(sheet)

        outcome = await self._boundary.call("dead letters", sent)
        if isinstance(outcome, Failure):
            raise FatalError(f"a dead letter can't be sent: {outcome.error}; see the dead-letter topic's settings")
        origin = {"topic": work.record.topic, "partition": work.record.partition, "offset": work.record.offset}
        self._log.warning("clip set aside", kind=failure.kind, reason=str(failure.error), **origin)
        self._metrics.set_aside(failure.kind)
        self._partitions.settle(work)
        await self._forget_crashes(work)

    async def rest(self, lane: Lane) -> None:
        """Flush -> memory: what waits for more clips goes on without."""
        if self._rests:
            await self._boundary.call(f"stream {lane.name}", lambda: self.in_turn.end_of(lane.name))

    def hold(self, work: Work) -> None:
        """Note that a record only waits for its turn in event time."""
        self._partitions.hold(work)

    def settle(self, work: Work) -> None:
        """Note that a record is done."""
        if isinstance(work.message, ClipMessage):
            self._metrics.known(work.message.stream)
        self._partitions.settle(work)

    async def _commit_marks(self) -> None:
        while True:
            await self._partitions.settled.wait()
            self._partitions.settled.clear()
            await self._boundary.call("commit", self._commit_once)

    async def _commit_once(self) -> None:
        offsets = self._partitions.uncommitted()
        # First here, then there: what the group is told of is not read again.
        await self._upkeep.store_streamless()
        if offsets:
            await self._source.commit(offsets)
            self._partitions.committed(offsets)

    def _spawn(self, step: Coroutine[Any, Any, None]) -> None:
        if self._group is None:
            raise RuntimeError("the pipeline does not run; call run first")
        task = self._group.create_task(step)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def lane(self, name: str) -> Lane:
        """Return a stream's lane, begun if there is none."""
        if name not in self._lanes:
            order = Order[Work](round(self._order_settings.lateness_s * SECOND_US), self._order_settings.held_clips)
            self._lanes[name] = Lane(name, self, order, self._settings.ahead)
            self._spawn(self._open(self._lanes[name]))
            self._spawn(self._lanes[name].run())
        return self._lanes[name]

    async def _open(self, lane: Lane) -> None:
        async with self._opening:
            name, opened = lane.name, self._memories.stream
            stream = await self._boundary.call(f"stream {name}", lambda: self._threads.write(opened, name))
            if isinstance(stream, Failure):
                lane.open(stream)
            else:
                lane.open(stream, await self._threads.write(stream.positions))

    @asynccontextmanager
    async def _at_work(self, work: Work) -> AsyncIterator[None]:
        """Keep a durable note meanwhile, by which the next start knows what was at work if this one dies."""
        await self._boundary.call("attempts", lambda: self._threads.write(self._attempts.begin, work.origin))
        self._journal.begin(work)
        try:
            yield
        finally:
            self._journal.end(work)
            await self._boundary.call("attempts", lambda: self._threads.write(self._attempts.end, work.origin), 1)

    async def _forget_crashes(self, work: Work) -> None:
        if self._attempts.crashes(work.origin):
            await self._boundary.call("attempts", lambda: self._threads.write(self._attempts.settle, work.origin), 1)

    def _left(self, work: Work) -> bool:
        return work.abandoned or self._stop.is_set()

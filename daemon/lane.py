"""One stream's lane: its clips perceived ahead, put in order, and applied by one writer.

What a clip is perceived to, and where failures go, are the pipeline's; the rules of order are the state's.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Container, Coroutine, Sequence
from typing import Any, Protocol

from biographer.daemon.boundary import Failure
from biographer.daemon.ends import StreamMemory
from biographer.daemon.work import Known, Work
from biographer.state.order import Order
from biographer.state.perceived import Perceived
from biographer.state.position import Position
from biographer.streams.message import ClipMessage, FlushMessage
from biographer.streams.record import Record


class Steps(Protocol):
    """What the pipeline does for every lane."""

    async def perceive(self, lane: "Lane", work: Work) -> Perceived | Known | Failure:
        """Make a clip ready, or say why not."""

    async def apply(self, lane: "Lane", work: Work, perceived: Perceived) -> None:
        """Write a clip with its position, or set it aside."""

    async def bury(self, work: Work, failure: Failure) -> None:
        """Set a record aside."""

    async def rest(self, lane: "Lane") -> None:
        """Note in the memory that nothing follows for now."""

    def hold(self, work: Work) -> None:
        """Note that a record only waits for its turn in event time."""

    def settle(self, work: Work) -> None:
        """Note that a record changes nothing and is done."""


class Lane:
    """Takes the records of one stream in log order, and applies them in the order of event time.

    `writing` is held while the store is written: who holds it knows that no transaction of this stream is under way.
    """

    def __init__(self, name: str, steps: Steps, order: Order[Work], ahead: int) -> None:
        self.name = name
        self.writing = asyncio.Lock()
        self.quiet_since: float | None = None
        self._stream: asyncio.Future[StreamMemory | Failure] = asyncio.get_running_loop().create_future()
        self._steps = steps
        self._order = order
        self._stood: dict[int, Position] = {}
        self._arrivals: deque[Work] = deque()
        self._arrived = asyncio.Event()
        self._ahead = asyncio.Semaphore(ahead)
        self._in_hand: set[Work] = set()
        self._names: Counter[str] = Counter()
        self._caught_up: bool | None = None
        """Whether the newest clip was met since the start; None while no clip was."""

    @property
    def stream(self) -> StreamMemory | Failure | None:
        """The stream's memory, why it can't be opened, or None while that is not known yet."""
        return self._stream.result() if self._stream.done() else None

    @property
    def held(self) -> int:
        """How many clips wait for their turn in event time."""
        return len(self._order)

    def open(self, stream: StreamMemory | Failure, positions: Sequence[Position] = ()) -> None:
        """Give the lane its memory and where that stood; until then it only gathers."""
        self._stood = {position.partition: position for position in positions}
        self._stream.set_result(stream)

    async def opened(self) -> StreamMemory | Failure:
        """Return the stream's memory, or why it can't be opened."""
        return await asyncio.shield(self._stream)

    def put(self, work: Work, spawn: Callable[[Coroutine[Any, Any, None]], object]) -> None:
        """Take a record; a clip is perceived ahead of its turn, unless another of its name is in hand already."""
        self.quiet_since = None
        self._in_hand.add(work)
        self._arrivals.append(work)
        self._arrived.set()
        if isinstance(work.message, ClipMessage):
            self._names[work.message.clip] += 1
            if self._names[work.message.clip] == 1:
                work.outcome = asyncio.get_running_loop().create_future()
                spawn(self._perceive_ahead(work, work.outcome))

    async def run(self) -> None:
        """Apply what arrives until cancelled."""
        await self.opened()
        while True:
            for turn in self._turns(await self._next()):
                await self._take(turn)
                self._in_hand.discard(turn)

    async def abandon(self, partitions: Container[int]) -> None:
        """Let go of all records of these partitions; returns once none of them is being written."""
        for work in self._in_hand:
            work.abandoned = work.abandoned or work.record.partition in partitions
        waiting = sorted(self._order.flush(), key=lambda work: (work.record.partition, work.record.offset))
        self._arrivals.extendleft(reversed(waiting))
        async with self.writing:
            self._arrived.set()

    async def _next(self) -> Work:
        while not self._arrivals:
            self.quiet_since = asyncio.get_running_loop().time()
            self._arrived.clear()
            await self._arrived.wait()
        return self._arrivals.popleft()

    def _turns(self, work: Work) -> list[Work]:
        message, stream = work.message, self.stream
        if work.abandoned or not isinstance(message, ClipMessage):
            flushed = [] if work.abandoned else self._order.flush()
            for turn in flushed:
                turn.let_go_by = work.record.offset
            return [*flushed, work]
        if isinstance(stream, Failure) or stream is None:
            return [work]
        if stream.knows(message.clip):
            due = [] if self._is_read_again(work.record) else self._order.due(stream.watermark_us)
            turns = [*due, work]
        elif self._is_read_again(work.record):
            self._order.gather(message.start_us, message.end_us, work)
            turns = []
        else:
            turns = self._order.push(message.start_us, message.end_us, work, stream.watermark_us)
        if work not in turns:
            self._steps.hold(work)
        for turn in turns:
            turn.let_go_by = work.record.offset
        return turns

    def _is_read_again(self, record: Record) -> bool:
        """Whether clips up to here were let go together before a restart, and some of them not applied any more."""
        stood = self._stood.get(record.partition)
        return self._order.patient and stood is not None and stood.next_offset <= record.offset < stood.through

    async def _take(self, work: Work) -> None:
        outcome = await self._outcome(work)
        if work.abandoned:
            return
        match outcome:
            case Perceived():
                self._caught_up = True
                await self._steps.apply(self, work, outcome)
            case Failure():
                await self._steps.bury(work, outcome)
            case Known():
                await self._note(work.message)
                self._steps.settle(work)

    async def _note(self, message: object) -> None:
        """Note that nothing follows for now, but for a flush that is read again: what followed it is known already.

        The next is heeded whatever is known: a log that has only some of the known clips would never be at rest.
        """
        if isinstance(message, ClipMessage):
            self._caught_up = self._caught_up or self._is_newest(message.clip)
        elif isinstance(message, FlushMessage):
            if self._caught_up is not False:
                await self._steps.rest(self)
            else:
                self._caught_up = None

    def _is_newest(self, clip: str) -> bool:
        stream = self.stream
        return stream is None or isinstance(stream, Failure) or stream.newest == clip

    async def _outcome(self, work: Work) -> Perceived | Known | Failure:
        if work.abandoned or not isinstance(work.message, ClipMessage):
            return Known()
        self._names[work.message.clip] -= 1
        if not self._names[work.message.clip]:
            del self._names[work.message.clip]
        return await (work.outcome or self._steps.perceive(self, work))

    async def _perceive_ahead(self, work: Work, outcome: "asyncio.Future[Perceived | Known | Failure]") -> None:
        async with self._ahead:
            outcome.set_result(await self._steps.perceive(self, work))

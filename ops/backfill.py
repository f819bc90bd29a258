"""A log of clips put into the memory without a broker: perceived ahead in threads, applied in the daemon's order.

The same perception, the same rules of order and the same store as in the daemon, so that the same clips make the same
memory. Only where it stands in a Kafka log is not written: there is none.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

from biographer.daemon.perception import Perception
from biographer.daemon.sections import Order as OrderSection
from biographer.state.errors import BadClipError, RefusedError
from biographer.state.folder import StateFolder
from biographer.state.order import Order
from biographer.state.perceived import Perceived
from biographer.state.times import SECOND_US
from biographer.streams.horizon import Horizon
from biographer.streams.message import ClipMessage, FlushMessage


@dataclass(frozen=True, slots=True, eq=False)
class Turn:
    """A clip and what it is perceived to."""

    message: ClipMessage
    perceived: Future[Perceived]


@dataclass(slots=True)
class Outcome:
    """What became of the clips; `aside` maps those that could not be applied to the reason."""

    applied: int = 0
    known: int = 0
    observations: int = 0
    aside: dict[str, str] = field(default_factory=dict)


class Backfill:
    """Applies clips to a state folder; `done` is told after each that is settled. A clip arrives when it is read."""

    def __init__(
        self,
        folder: StateFolder,
        perception: Perception,
        order: OrderSection,
        perceivers: int,
        done: Callable[[], None],
        now_us: Callable[[], int],
    ) -> None:
        self._horizon, self._now_us = Horizon.of_seconds(order.future_s), now_us
        self.outcome = Outcome()
        self._folder, self._perception, self._done = folder, perception, done
        self._order_section, self._perceivers = order, perceivers
        self._orders: dict[str, Order[Turn]] = {}
        self._stopped = threading.Event()

    def knows(self, stream: str, clip: str) -> bool:
        """Whether a clip is in the memory; a stream that is not there is not begun for asking."""
        return self._folder.knows(stream) and self._folder.stream(stream).knows(clip)

    def aside(self, name: str, reason: str) -> None:
        """Note what can't be applied."""
        self.outcome.aside[name] = reason
        self._done()

    def run(self, log: Iterable[ClipMessage | FlushMessage | None]) -> None:
        """Take the log to its end, and let go of what waits then; None counts as known.

        Raises TransientError where the disk refuses; what is applied stays, and running it again goes on from there.
        """
        ahead: deque[Turn | FlushMessage] = deque()
        with self._threads() as threads:
            for message in log:
                if message is None or (isinstance(message, ClipMessage) and self.knows(message.stream, message.clip)):
                    self._count_known()
                    continue
                if isinstance(message, ClipMessage) and self._refused(message):
                    continue
                ahead.append(message if isinstance(message, FlushMessage) else self._begin(threads, message))
                if len(ahead) > self._perceivers:
                    self._take(ahead.popleft())
            for turn in ahead:
                self._take(turn)
            for stream in self._orders:
                self._take(FlushMessage(stream, 0))

    def _refused(self, message: ClipMessage) -> bool:
        try:
            self._horizon.refuse(message, self._now_us())
        except BadClipError as error:
            self.aside(f"{message.stream}/{message.clip}", str(error))
            return True
        return False

    @contextmanager
    def _threads(self) -> Iterator[ThreadPoolExecutor]:
        """Yield the perceiving threads; on an interrupt they are told to leave what is at work."""
        threads = ThreadPoolExecutor(self._perceivers, "perceive")
        try:
            yield threads
        finally:
            self._stopped.set()
            threads.shutdown(cancel_futures=True)

    def _begin(self, threads: ThreadPoolExecutor, message: ClipMessage) -> Turn:
        return Turn(message, threads.submit(self._perception.perceive, message, self._stopped.is_set))

    def _take(self, item: Turn | FlushMessage) -> None:
        for turn in self._turns(item):
            try:
                self._apply(turn)
            except (BadClipError, RefusedError) as error:
                self.aside(f"{turn.message.stream}/{turn.message.clip}", str(error))

    def _turns(self, item: Turn | FlushMessage) -> list[Turn]:
        if isinstance(item, FlushMessage):
            return self._order(item.stream).flush()
        clip = item.message
        watermark_us = self._folder.stream(clip.stream).watermark_us
        return self._order(clip.stream).push(clip.start_us, clip.end_us, item, watermark_us)

    def _order(self, stream: str) -> Order[Turn]:
        section = self._order_section
        return self._orders.setdefault(stream, Order(round(section.lateness_s * SECOND_US), section.held_clips))

    def _apply(self, turn: Turn) -> None:
        perceived = turn.perceived.result()
        applied = self._folder.stream(turn.message.stream).apply(perceived)
        if applied.known:
            self._count_known()
            return
        self.outcome.applied += 1
        self.outcome.observations += len(perceived.observations)
        self._done()

    def _count_known(self) -> None:
        self.outcome.known += 1
        self._done()

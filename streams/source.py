"""The clips' topic as a stream of records: joining, starting at the store's position, pausing, committing, health.

No decoding and no memory here: what a record means, and when it is applied, is the pipeline's.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from types import TracebackType
from typing import Self

import structlog

from biographer.state.errors import BiographerError, TransientError
from biographer.state.position import Position
from biographer.streams.buffer import Buffer
from biographer.streams.identity import UNREACHABLE, Identity
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.member import Member, Revoked
from biographer.streams.placement import Claims
from biographer.streams.record import Record, position_behind
from biographer.streams.security import connection_options
from biographer.streams.topics import ensure_topic

_AGAIN_S = 0.25
"""Seconds before joining again after a failure; twice as long each time, up to `_AGAIN_MAX_S`."""

_AGAIN_MAX_S = 5.0
_ANSWER_S = 3.0
"""A broker that takes longer over asking for metadata and offsets is not well."""

_LEAVE_S = 5.0
_STUCK_SESSIONS = 4
"""A join that takes so many session timeouts will not end: all members that died have been forgotten by then."""


class KafkaSource:
    """A member of the consumer group on `settings.topic`; use as an async context manager.

    Entering only starts to connect (FatalError where the security settings cannot be used): a broker that is away
    makes `health()` red and is awaited. `claims(partition)` gives the stores' positions when a partition is assigned;
    `revoked(partitions)` is awaited before partitions are given up (records of theirs not yet applied will come again,
    to whoever has them next, which may be this source). Take `records()` in one place only.
    """

    def __init__(self, settings: KafkaSettings, claims: Claims, revoked: Revoked | None = None) -> None:
        self._settings = settings
        self._claims = claims
        self._on_revoked = revoked
        self._buffer = Buffer(settings.buffer_records, settings.buffer_bytes)
        self._arrived = asyncio.Event()
        self._member: Member | None = None
        self._serving: asyncio.Task[None] | None = None
        self._troubles: dict[str, str] = {"broker": "not connected yet"}
        self._ends: Mapping[int, int] = {}
        self._failure: BaseException | None = None
        self._log = structlog.get_logger(__name__).bind(topic=settings.topic, group=settings.group)

    async def __aenter__(self) -> Self:
        connection_options(self._settings)  # raises now what would never be right
        self._serving = asyncio.create_task(self._serve(), name="kafka-source")
        self._serving.add_done_callback(self._note_end)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._serving is not None:
            self._serving.cancel()
            await asyncio.wait([self._serving])

    async def records(self) -> AsyncIterator[Record]:
        """Yield records, each partition's in order; ends when the source closes; raises FatalError."""
        while True:
            if self._failure is not None:
                raise self._failure
            record = self._buffer.take()
            if record is not None:
                if self._member is not None:
                    self._member.delivered(record.partition, record.offset)
                yield record
                continue
            if self._serving is None or self._serving.done():
                return
            self._arrived.clear()
            await self._arrived.wait()

    def position(self, record: Record) -> Position:
        """Return the position behind a delivered record (hashes its value: call in a worker thread)."""
        return position_behind(record)

    async def commit(self, next_offsets: Mapping[int, int]) -> None:
        """Tell the group {partition: next offset}; only for others to see, the store's position decides.

        Raises TransientError where it is refused or not ours any more: nothing is lost, the group is joined again and
        the records that are not stored come again.
        """
        member = self._member
        foreign = sorted(set(next_offsets) - (member.placed.keys() if member else set()))
        if member is None or foreign:
            raise TransientError(f"partitions {foreign or sorted(next_offsets)} are not assigned to this member now")
        try:
            async with asyncio.timeout(self._settings.request_timeout_ms / 1000):
                await member.commit(next_offsets)
        except UNREACHABLE as error:
            reason = f"commit of {dict(next_offsets)} refused: {_words(error)}"
            self._trouble("commit", reason)
            raise TransientError(reason) from error
        self._troubles.pop("commit", None)

    def pause(self, partitions: Iterable[int]) -> None:
        """Stop fetching and delivering; what already waits here stays here until `resume`. Ends with a rebalance."""
        if self._member is not None:
            self._member.pause(partitions)

    def resume(self, partitions: Iterable[int]) -> None:
        """Undo `pause`."""
        if self._member is not None:
            self._member.resume(partitions)
            self._arrived.set()

    @property
    def partitions(self) -> frozenset[int]:
        """Partitions that are assigned and placed now."""
        return frozenset(self._member.placed) if self._member is not None else frozenset()

    def lag(self) -> Mapping[int, int]:
        """Return {partition: records not yet delivered}, as of the last check of the broker."""
        placed = self._member.placed if self._member is not None else {}
        return {
            number: max(0, self._ends[number] - offset) for number, offset in placed.items() if number in self._ends
        }

    def health(self) -> tuple[str, ...]:
        """Return why this source is not well; empty when it is."""
        reasons = list(self._troubles.values())
        if self._member is not None and self._member.joining_since is not None:
            seconds = time.monotonic() - self._member.joining_since
            reasons.append(f"joining consumer group {self._settings.group!r} for {seconds:.0f} s")
        if self._failure is not None:
            reasons.append(f"stopped: {_words(self._failure)}")
        return tuple(reasons)

    async def _serve(self) -> None:
        """Be a member, and a new one whenever that breaks, until cancelled or FatalError."""
        again_s = _AGAIN_S
        while True:
            since = time.monotonic()
            try:
                await self._be_member()
            except (BiographerError, *UNREACHABLE, ExceptionGroup) as error:
                cause = _cause(error)
                if not isinstance(cause, (TransientError, *UNREACHABLE)):
                    raise cause from error
                self._trouble("broker", _words(cause))
            again_s = _AGAIN_S if time.monotonic() - since > _AGAIN_MAX_S else min(2 * again_s, _AGAIN_MAX_S)
            await asyncio.sleep(again_s)

    async def _be_member(self) -> None:
        identity = await ensure_topic(self._settings, self._settings.topic)
        member = Member(self._settings, identity, self._claims, self._give_up, self._buffer)
        try:
            await member.start()
            self._member = member
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._pump(member))
                tasks.create_task(self._watch(member))
        finally:
            self._member = None
            await self._leave(member)

    async def _leave(self, member: Member) -> None:
        try:
            async with asyncio.timeout(_LEAVE_S):
                await member.close()
        except UNREACHABLE as error:
            self._log.warning("left the group without a word", reason=_words(error))

    async def _pump(self, member: Member) -> None:
        while True:
            if await member.turn():
                self._arrived.set()

    async def _watch(self, member: Member) -> None:
        """Look at the broker now and then, since aiokafka retries in silence (aio-libs/aiokafka#727).

        Raises TransientError where only a new membership helps.
        """
        while True:
            try:
                async with asyncio.timeout(_ANSWER_S):
                    identity = await ensure_topic(self._settings, self._settings.topic)
                    self._ends = await member.ends()
            except TimeoutError:
                self._trouble("broker", f"broker at {self._settings.bootstrap} gives no answer in {_ANSWER_S:g} s")
            except (TransientError, *UNREACHABLE) as error:
                self._trouble("broker", _words(error))
            else:
                self._troubles.pop("broker", None)
                await self._check(member, identity)
            await asyncio.sleep(self._settings.check_interval_ms / 1000)

    async def _check(self, member: Member, identity: Identity) -> None:
        if not identity.is_same_log(member.identity):
            await member.move(identity)
        since = member.joining_since
        if since is not None and time.monotonic() - since > _STUCK_SESSIONS * self._settings.session_timeout_ms / 1000:
            raise TransientError(f"the broker answers but does not let us join group {self._settings.group!r}")

    async def _give_up(self, partitions: frozenset[int]) -> None:
        self._troubles.pop("commit", None)
        if self._on_revoked is not None:
            await self._on_revoked(partitions)

    def _trouble(self, about: str, reason: str) -> None:
        if self._troubles.get(about) != reason:
            self._log.warning("not well", about=about, reason=reason)
        self._troubles[about] = reason

    def _note_end(self, task: "asyncio.Task[None]") -> None:
        self._failure = None if task.cancelled() else task.exception()
        self._arrived.set()


def _cause(error: Exception) -> Exception:
    """Return the exception inside groups that matters most: one that is not to be retried, if there is any."""
    if not isinstance(error, ExceptionGroup):
        return error
    causes = [_cause(one) for one in error.exceptions]
    return next((one for one in causes if not isinstance(one, (TransientError, *UNREACHABLE))), causes[0])


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__

"""One membership of the consumer group, from joining until it is closed or broken; `source` makes the next.

Joins, places what it is assigned, fetches what the buffer wants. It polls without pause, whatever the pipeline does:
aiokafka counts a member as dead after max.poll.interval without a poll (aio-libs/aiokafka#848).
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Set
from contextlib import suppress
from typing import TypeAlias

import structlog
from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, OffsetAndMetadata, TopicPartition, errors

from biographer.state.errors import FatalError
from biographer.streams.buffer import Buffer
from biographer.streams.identity import Identity, read_identity
from biographer.streams.kafka_record import from_kafka
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.placement import Claims, place
from biographer.streams.security import connection_options

Revoked: TypeAlias = Callable[[frozenset[int]], Awaitable[None]]

_POLL_MS = 50
_METADATA_MAX_AGE_MS = 5_000
_BACKOFF_MS = 200
"""aiokafka logs several lines at each try while a broker is away."""
_BEYOND_SESSION_MS = 5_000
_NOWHERE = TopicPartition("", -1)
"""Asked for when nothing is wanted: aiokafka takes an empty list of partitions to mean all."""


class Member(ConsumerRebalanceListener):  # type: ignore[misc] # aiokafka ships no types
    """Fills `buffer` from the partitions of `settings.topic` that the group gives this member."""

    def __init__(
        self, settings: KafkaSettings, identity: Identity, claims: Claims, revoked: Revoked, buffer: Buffer
    ) -> None:
        self.identity = identity
        self.joining_since: float | None = time.monotonic()
        self.placed: dict[int, int] = {}
        self._settings = settings
        self._claims = claims
        self._revoked = revoked
        self._buffer = buffer
        self._unplaced: set[int] = set()
        self._paused: set[int] = set()
        self._generation = 0
        self._room = asyncio.Event()
        self._log = structlog.get_logger(__name__).bind(topic=settings.topic, group=settings.group)
        self._consumer = AIOKafkaConsumer(
            group_id=settings.group,
            group_instance_id=settings.member or None,
            enable_auto_commit=False,
            auto_offset_reset="none",  # ours is the only decision about where to read
            fetch_max_wait_ms=settings.fetch_max_wait_ms,
            max_partition_fetch_bytes=settings.fetch_bytes,
            fetch_max_bytes=settings.buffer_bytes,
            session_timeout_ms=settings.session_timeout_ms,
            heartbeat_interval_ms=settings.heartbeat_interval_ms,
            max_poll_interval_ms=settings.max_poll_interval_ms,
            metadata_max_age_ms=_METADATA_MAX_AGE_MS,
            retry_backoff_ms=_BACKOFF_MS,
            **connection_options(settings) | {"request_timeout_ms": _patience_ms(settings)},
        )

    async def start(self) -> None:
        """Connect; joining goes on in the background."""
        await self._consumer.start()
        self._consumer.subscribe([self._settings.topic], listener=self)

    async def close(self) -> None:
        """Give up every partition and leave the group."""
        await self._give_up()
        await self._consumer.stop()

    async def turn(self) -> bool:
        """Place what is new, fetch at most one record that the buffer wants; return whether one came.

        Raises FatalError, TransientError and aiokafka's errors; after them only `close` makes sense.
        """
        await self._place_new()
        wanted = [self._place_of(number) for number in self.placed if self._wants(number)]
        wait_ms = _POLL_MS if wanted or not self.placed else 0
        if not wait_ms:
            await self._wait_for_room()
        try:
            batch = await self._consumer.getmany(*(wanted or [_NOWHERE]), timeout_ms=wait_ms, max_records=1)
        except errors.OffsetOutOfRangeError as error:
            lost = {place_of.partition for place_of in error.args[0]}
            self._log.warning("position out of range", partitions=sorted(lost))
            self._displace(lost & self.placed.keys())
            return False
        except errors.NoOffsetForPartitionError:
            return False  # assigned while aiokafka waited in there; the next turn places it
        except errors.RecordTooLargeError as error:
            raise FatalError(f"this broker cannot give out a record over fetch_bytes; raise that: {error}") from error
        return self._keep(batch)

    async def move(self, identity: Identity) -> None:
        """Go on with another log under the same name, by the same rule as at the start."""
        self._log.warning("topic made anew", cluster=identity.cluster, topic_id=identity.topic_id)
        self.identity = identity
        self._generation += 1
        lost = frozenset(self.placed)
        self._displace(lost)
        if lost:
            await self._revoked(lost)

    def delivered(self, partition: int, offset: int) -> None:
        """Note that the pipeline has this record."""
        if partition in self.placed:
            self.placed[partition] = offset + 1
        self._room.set()

    async def ends(self) -> Mapping[int, int]:
        """Return {partition: end of its log} of all that are placed."""
        places = [self._place_of(number) for number in self.placed]
        found = await self._consumer.end_offsets(places) if places else {}
        return {place_of.partition: end for place_of, end in found.items()}

    async def commit(self, next_offsets: Mapping[int, int]) -> None:
        """Tell the group. Raises aiokafka's errors."""
        await self._consumer.commit(
            {self._place_of(number): OffsetAndMetadata(offset, "") for number, offset in next_offsets.items()}
        )

    def pause(self, partitions: Iterable[int]) -> None:
        """Fetch and deliver nothing of these until `resume`."""
        mine = [number for number in partitions if number in self.placed]
        self._paused.update(mine)
        self._buffer.hold(mine)
        self._consumer.pause(*map(self._place_of, mine))

    def resume(self, partitions: Iterable[int]) -> None:
        """Undo `pause`."""
        mine = [number for number in partitions if number in self.placed]
        self._paused.difference_update(mine)
        self._buffer.release(mine)
        self._consumer.resume(*map(self._place_of, mine))
        self._room.set()

    async def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        """Be told by aiokafka that the group is re-joined."""
        self._log.info("partitions revoked", partitions=sorted(place_of.partition for place_of in revoked))
        await self._give_up()

    async def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        """Be told by aiokafka what is ours; heartbeats rest until this returns, so placing is left to `turn`."""
        places = list(assigned)
        self._consumer.pause(*places)
        self._unplaced = {place_of.partition for place_of in places}
        self._generation += 1
        self.joining_since = None
        self._log.info("partitions assigned", partitions=sorted(self._unplaced))

    async def _wait_for_room(self) -> None:
        """Wait until the pipeline takes or resumes something, or it is time to poll again."""
        self._room.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(_POLL_MS / 1000):
                await self._room.wait()

    async def _give_up(self) -> None:
        gone = frozenset(self.placed)
        self.joining_since = time.monotonic()
        self.placed.clear()
        self._unplaced.clear()
        self._paused.clear()
        self._buffer.drop(gone)
        if gone:
            await self._revoked(gone)

    async def _place_new(self) -> None:
        while self._unplaced:
            number, generation = min(self._unplaced), self._generation
            self.identity = await self._look()
            start = await place(self._consumer, self._settings, self.identity, number, self._claims)
            if generation != self._generation or number not in self._unplaced:
                continue
            self._log.info("partition placed", partition=number, offset=start.offset, reason=start.reason)
            self._consumer.seek(self._place_of(number), start.offset)
            self._consumer.resume(self._place_of(number))
            self._unplaced.discard(number)
            self.placed[number] = start.offset

    async def _look(self) -> Identity:
        timeout_s = self._settings.request_timeout_ms / 1000
        return await read_identity(self._settings, self._settings.topic, timeout_s)

    def _displace(self, partitions: Set[int]) -> None:
        """Have the next turn place these again."""
        for number in partitions:
            del self.placed[number]
            self._consumer.pause(self._place_of(number))
        self._paused -= partitions
        self._buffer.drop(partitions)
        self._unplaced |= partitions

    def _keep(self, batch: Mapping[TopicPartition, list[object]]) -> bool:
        for place_of, records in batch.items():
            for found in records:
                if place_of.partition in self.placed:
                    self._buffer.put(from_kafka(found, self.identity))
        return bool(batch)

    def _wants(self, number: int) -> bool:
        return number not in self._paused and self._buffer.wants(number)

    def _place_of(self, number: int) -> TopicPartition:
        return TopicPartition(self._settings.topic, number)


def _patience_ms(settings: KafkaSettings) -> int:
    """Return how long to wait for an answer: a broker may hold a request to join until the others' sessions end."""
    return max(settings.request_timeout_ms, settings.session_timeout_ms + _BEYOND_SESSION_MS)

"""Reading a topic beside the group: one record again, or all there is now. Commits nothing, joins nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer, TopicPartition

from biographer.state.errors import TransientError
from biographer.streams.identity import UNREACHABLE, read_identity
from biographer.streams.kafka_record import from_kafka
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.record import Record
from biographer.streams.security import connection_options

_POLL_MS = 100
_REST_MS = 300
"""How long the embedded broker is given to show what it did not tell of."""


async def read_record(settings: KafkaSettings, topic: str, partition: int, offset: int) -> Record | None:
    """Return the record at exactly that place, None where it is not there (any more). Raises TransientError."""
    place = TopicPartition(topic, partition)
    async with _reader(settings, [place]) as consumer:
        first, end = await _bounds(consumer, [place])
        if offset < first[place] or (settings.idempotent and offset >= end[place]):
            return None
        consumer.seek(place, offset)
        known = offset < end[place]
        found = _until(consumer, end, settings.request_timeout_ms / 1000) if known else _rest(consumer, [place])
        async for record in found:
            # Compaction leaves gaps: the next one that is left is another record.
            return record if record.offset == offset else None
    return None


async def read_topic(settings: KafkaSettings, topic: str) -> AsyncIterator[Record]:
    """Yield what the topic holds at this moment, each partition in order. Raises TransientError."""
    identity = await read_identity(settings, topic, settings.request_timeout_ms / 1000)
    places = [TopicPartition(topic, number) for number in range(identity.partitions)]
    if not places:
        return
    async with _reader(settings, places) as consumer:
        first, end = await _bounds(consumer, places)
        for place in places:
            consumer.seek(place, first[place])
        async for record in _until(consumer, end, settings.request_timeout_ms / 1000):
            yield record
        if not settings.idempotent:
            async for record in _rest(consumer, places):
                yield record


@asynccontextmanager
async def _reader(settings: KafkaSettings, places: list[TopicPartition]) -> AsyncIterator[AIOKafkaConsumer]:
    consumer = AIOKafkaConsumer(
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        fetch_max_wait_ms=settings.fetch_max_wait_ms,
        max_partition_fetch_bytes=settings.fetch_bytes,
        **connection_options(settings),
    )
    try:
        await consumer.start()
        consumer.assign(places)
        yield consumer
    except UNREACHABLE as error:
        raise TransientError(f"reading {places[0].topic!r} at {settings.bootstrap} failed: {error}") from error
    finally:
        await consumer.stop()


async def _bounds(
    consumer: AIOKafkaConsumer, places: list[TopicPartition]
) -> tuple[dict[TopicPartition, int], dict[TopicPartition, int]]:
    return await consumer.beginning_offsets(places), await consumer.end_offsets(places)


async def _rest(consumer: AIOKafkaConsumer, places: list[TopicPartition]) -> AsyncIterator[Record]:
    """Yield what comes from the consumer's places on, until nothing does for a moment.

    For the embedded broker, which tells as the end the place behind the first record of the last batch, whatever
    follows in it.
    """
    while batch := await consumer.getmany(*places, timeout_ms=_REST_MS, max_records=1):
        for records in batch.values():
            for found in records:
                yield from_kafka(found)


async def _until(
    consumer: AIOKafkaConsumer, end: dict[TopicPartition, int], patience_s: float
) -> AsyncIterator[Record]:
    """Yield until each partition's position is at its end; TimeoutError where nothing comes for `patience_s`."""
    clock = asyncio.get_running_loop()
    heard = clock.time()
    while open_places := [place for place, stop in end.items() if await consumer.position(place) < stop]:
        batch = await consumer.getmany(*open_places, timeout_ms=_POLL_MS, max_records=1)
        for records in batch.values():
            heard = clock.time()
            for found in records:
                yield from_kafka(found)
        if clock.time() - heard > patience_s:
            raise TimeoutError(f"nothing came for {patience_s:g} s")

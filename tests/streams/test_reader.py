import asyncio

import pytest

from biographer.ops.broker import free_port
from biographer.state.errors import TransientError
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.reader import read_record, read_topic
from biographer.streams.sink import KafkaSink


async def test_topic_is_read_to_its_end(broker, settings_for):
    settings = settings_for(broker, partitions=3)
    sent = {str(number).encode() for number in range(12)}
    async with KafkaSink(settings) as sink:
        for value in sorted(sent):
            await sink.send(value, value)
    read = [record async for record in read_topic(settings, settings.topic)]
    assert {record.value for record in read} == sent
    assert len(read) == 12


async def test_all_of_a_last_batch_is_read(broker, settings_for):
    """The embedded broker tells an end that is too early by all of it but its first record."""
    settings = settings_for(broker)
    async with KafkaSink(settings) as sink:
        sent = await asyncio.gather(*(sink.send("anna", str(number).encode()) for number in range(7)))
    read = [record async for record in read_topic(settings, settings.topic)]
    assert [record.offset for record in read] == list(range(7))
    for place in sent:
        record = await read_record(settings, settings.topic, *place)
        assert record is not None
        assert record.offset == place.offset
    assert await read_record(settings, settings.topic, 0, 7) is None


async def test_record_that_is_not_there_is_none(settings):
    async with KafkaSink(settings) as sink:
        await sink.send("anna", b"x")
    record = await read_record(settings, settings.topic, 0, 0)
    assert record is not None
    assert record.value == b"x"
    assert await read_record(settings, settings.topic, 0, 1) is None


async def test_no_broker_is_transient():
    settings = KafkaSettings(bootstrap=f"127.0.0.1:{free_port()}", request_timeout_ms=500)
    with pytest.raises(TransientError):
        await read_record(settings, "clips", 0, 0)

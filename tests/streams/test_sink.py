import asyncio

import pytest

from biographer.ops.broker import EmbeddedBroker, free_port
from biographer.state.errors import FatalError, RefusedError, TransientError
from biographer.streams.kafka_record import framed_size
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.reader import read_record, read_topic
from biographer.streams.sink import KafkaSink


async def test_what_is_sent_can_be_read_back(settings):
    async with KafkaSink(settings) as sink:
        sent = await sink.send("anna", b"clip", (("kind", b"test"),))
    record = await read_record(settings, settings.topic, *sent)
    assert record is not None
    assert (record.key, record.value, record.headers) == (b"anna", b"clip", (("kind", b"test"),))
    assert record.timestamp_us > 1_700_000_000_000_000


async def test_records_of_one_stream_stay_in_order_in_one_partition(broker, settings_for):
    settings = settings_for(broker, partitions=3)
    async with KafkaSink(settings) as sink:
        sent = [await sink.send("anna", str(number).encode()) for number in range(5)]
    assert {one.partition for one in sent} == {sent[0].partition}
    assert [one.offset for one in sent] == list(range(5))
    assert [record.value async for record in read_topic(settings, settings.topic)] == [b"0", b"1", b"2", b"3", b"4"]


async def test_tombstone_is_sent_as_such(settings):
    async with KafkaSink(settings) as sink:
        sent = await sink.send("anna", None)
    record = await read_record(settings, settings.topic, *sent)
    assert record is not None
    assert record.value is None


async def test_over_the_limit_names_the_limit_and_the_uri_form(broker, settings_for):
    """confluentinc/confluent-kafka-python#290."""
    settings = settings_for(broker, max_bytes=200_000)
    async with KafkaSink(settings) as sink:
        with pytest.raises(RefusedError, match=r"200000.*`uri` \+ `sha256`"):
            await sink.send("anna", bytes(200_001))
        assert (await sink.send("anna", b"next")).offset == 0


async def test_record_exactly_at_the_limit_goes_through(broker, settings_for):
    settings = settings_for(broker, max_bytes=200_000)
    value = bytes(200_000 - framed_size(b"anna", b"", ()))
    # A longer value takes a longer length before it, which the estimate has in it already.
    assert framed_size(b"anna", value, ()) <= 200_000 + 3
    while framed_size(b"anna", value, ()) > 200_000:
        value = value[:-1]
    assert framed_size(b"anna", value + b"x", ()) > 200_000
    async with KafkaSink(settings) as sink:
        sent = await sink.send("anna", value)
    record = await read_record(settings, settings.topic, *sent)
    assert record is not None
    assert record.value == value


async def test_clip_of_megabytes_passes_a_stock_broker(settings):
    async with KafkaSink(settings) as sink:
        sent = await sink.send("anna", bytes(7_000_000))
    record = await read_record(settings, settings.topic, *sent)
    assert record is not None
    assert len(record.value or b"") == 7_000_000


@pytest.mark.kafka
async def test_topic_with_a_lower_limit_is_explained(kafka_broker, settings_for):
    """confluentinc/confluent-kafka-python#290: the limit that the topic has, not only ours."""
    small = settings_for(kafka_broker, max_bytes=100_000)
    async with KafkaSink(small):
        pass
    large = KafkaSettings(bootstrap=small.bootstrap, topic=small.topic, dead_letter_topic="other")
    async with KafkaSink(large) as sink:
        with pytest.raises(RefusedError, match=r"max\.message\.bytes.*`uri` \+ `sha256`"):
            await sink.send("anna", bytes(150_000))


async def test_no_broker_is_transient_and_named():
    settings = KafkaSettings(bootstrap=f"127.0.0.1:{free_port()}", request_timeout_ms=500)
    with pytest.raises(TransientError, match=settings.bootstrap):
        await KafkaSink(settings).__aenter__()


async def test_missing_topic_that_may_not_be_made_is_fatal(broker, settings_for):
    settings = settings_for(broker, create_topics=False)
    with pytest.raises(FatalError, match=settings.topic):
        await KafkaSink(settings).__aenter__()


async def test_broker_that_goes_is_transient_and_comes_back(settings_for):
    """The embedded broker forgets its topics: the sink makes them again rather than waiting for ever."""
    with EmbeddedBroker() as broker:
        settings = settings_for(broker, request_timeout_ms=1_500)
        async with KafkaSink(settings) as sink:
            await sink.send("anna", b"one")
            broker.kill()
            with pytest.raises(TransientError):
                await sink.send("anna", b"two")
            broker.start()
            sent = await until_taken(sink, "anna", b"two")
        record = await read_record(settings, settings.topic, *sent)
        assert record is not None
        assert record.value == b"two"


async def until_taken(sink, key, value):
    """Send as a feeder does: again while the broker is away."""
    async with asyncio.timeout(20):
        while True:
            try:
                return await sink.send(key, value)
            except TransientError:
                await asyncio.sleep(0.05)


async def test_a_broker_without_idempotent_producers_is_refused_with_the_setting(embedded_broker, settings_for):
    with pytest.raises(TransientError, match=r"kafka\.idempotent = false"):
        async with KafkaSink(settings_for(embedded_broker, idempotent=True)):
            pass

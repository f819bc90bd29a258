"""KafkaSource against real brokers.

Joining a group takes Apache Kafka some 0.2 s and the embedded broker 3 s, so what tests the source rather than the
broker runs at once on the former, and on the latter among the slow tests.
"""

import asyncio
import signal
from contextlib import aclosing

import pytest
from aiokafka import TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, RecordsToDelete
from aiokafka.conn import create_conn
from aiokafka.protocol.group import LeaveGroupRequest

from biographer.ops.broker import EmbeddedBroker, free_port
from biographer.ops.kafka_broker import KafkaBroker, missing
from biographer.state.errors import FatalError, TransientError
from biographer.streams.kafka_settings import OnPositionGone
from biographer.streams.sink import KafkaSink
from biographer.streams.source import KafkaSource

both_brokers = pytest.mark.parametrize(
    "broker",
    [pytest.param("kafka", marks=pytest.mark.kafka), pytest.param("embedded", marks=pytest.mark.slow)],
    indirect=True,
)


class Store:
    """What a state folder tells a source: the positions behind what was applied."""

    def __init__(self):
        self.positions = {}
        self.revoked = []

    async def claims(self, partition):
        return [self.positions[partition]] if partition in self.positions else []

    async def give_up(self, partitions):
        self.revoked.append(partitions)

    def apply(self, source, record):
        self.positions[record.partition] = source.position(record)


@pytest.fixture
def store():
    return Store()


async def fill(settings, values, key="anna"):
    async with KafkaSink(settings) as sink:
        for value in values:
            await sink.send(key, value)


async def take(source, count, timeout_s=30):
    """Return the next `count` records."""
    taken = []
    async with asyncio.timeout(timeout_s), aclosing(source.records()) as records:
        async for record in records:
            taken.append(record)
            if len(taken) == count:
                return taken
    raise AssertionError(f"the source ended after {len(taken)} of {count} records")


async def until(condition, timeout_s=30):
    async with asyncio.timeout(timeout_s):
        while not condition():  # noqa: ASYNC110 - what is waited for is the broker's, which sets no event
            await asyncio.sleep(0.01)


def values(records):
    return [record.value for record in records]


def numbered(count, start=0):
    return [str(number).encode() for number in range(start, start + count)]


async def test_every_record_arrives_in_order_and_health_says_so(settings, store):
    async with KafkaSource(settings, store.claims) as source:
        assert source.health()
        await fill(settings, [*numbered(20), None])
        records = await take(source, 21)
        assert values(records) == [*numbered(20), None]
        assert [record.offset for record in records] == list(range(21))
        assert {record.key for record in records} == {b"anna"}
        assert records[0].cluster
        assert records[0].topic_id
        await source.commit({0: 21})
        await until(lambda: not source.health())
        await until(lambda: source.lag() == {0: 0})
    assert source.partitions == frozenset()


@both_brokers
async def test_store_decides_where_to_begin_and_not_the_group(broker, settings_for, store):
    settings = settings_for(broker)
    await fill(settings, numbered(6))
    async with KafkaSource(settings, store.claims) as source:
        records = await take(source, 6)
        store.apply(source, records[1])
        await source.commit({0: 6})
    async with KafkaSource(settings, store.claims) as source:
        assert values(await take(source, 4)) == numbered(4, start=2)
    async with KafkaSource(settings, Store().claims) as source:
        assert values(await take(source, 6)) == numbered(6)


@both_brokers
async def test_partitions_are_shared_and_handed_over(broker, settings_for, store):
    settings = settings_for(broker, partitions=2)
    async with KafkaSource(settings, store.claims, store.give_up) as stays:
        await until(lambda: stays.partitions == {0, 1})
        async with KafkaSource(settings, store.claims) as leaves:
            await until(lambda: len(stays.partitions) == len(leaves.partitions) == 1)
            assert stays.partitions | leaves.partitions == {0, 1}
            assert frozenset({0, 1}) in store.revoked
            [lost] = leaves.partitions
            with pytest.raises(TransientError, match="not assigned"):
                await stays.commit({lost: 0})
        await until(lambda: stays.partitions == {0, 1})
        await fill(settings, [b"x"])
        assert values(await take(stays, 1)) == [b"x"]


async def fence(settings, source):
    """Have the broker throw a member out, as it does with one that it thinks dead."""
    member_id = source._member._consumer._coordinator.member_id
    host, port = settings.bootstrap.split(":")
    connection = await create_conn(host, int(port))
    response = await connection.send(LeaveGroupRequest(settings.group, member_id))
    assert response.error_code == 0
    connection.close()


@both_brokers
async def test_refused_commit_is_said_and_joined_again(broker, settings_for, store):
    """aio-libs/aiokafka#727: no silent hang; red at once, green again, and what was not applied comes again."""
    settings = settings_for(broker, heartbeat_interval_ms=2_900)
    await fill(settings, numbered(3))
    async with KafkaSource(settings, store.claims, store.give_up) as source:
        records = await take(source, 3)
        store.apply(source, records[0])
        await fence(settings, source)
        with pytest.raises(TransientError, match="commit of"):
            await source.commit({0: 1})
        assert source.health()
        assert values(await take(source, 2)) == numbered(2, start=1)
        assert store.revoked == [frozenset({0})]
        await source.commit({0: 3})
        await until(lambda: not source.health())


@both_brokers
async def test_work_beyond_max_poll_interval_keeps_the_partition(broker, settings_for, store):
    """aio-libs/aiokafka#848 and #678: each record once, one assignment, whatever the work in between takes."""
    settings = settings_for(broker, max_poll_interval_ms=600, session_timeout_ms=6_000)
    await fill(settings, numbered(3))
    async with KafkaSource(settings, store.claims, store.give_up) as source:
        seen = []
        for _ in range(3):
            seen += await take(source, 1)
            await asyncio.sleep(1.2)  # the slow model itself: twice the limit
            await source.commit({0: seen[-1].offset + 1})
        assert values(seen) == numbered(3)
        assert store.revoked == []
        assert source._member._generation == 1


@both_brokers
async def test_paused_partition_is_neither_fetched_nor_delivered(broker, settings_for, store):
    settings = settings_for(broker, partitions=2)
    by_partition = {}
    async with KafkaSink(settings) as sink:
        number = 0
        while len(by_partition) < 2:
            by_partition[(await sink.send(f"stream-{number}", b"first")).partition] = f"stream-{number}"
            number += 1
    async with KafkaSource(settings, store.claims) as source:
        await take(source, number)
        source.pause([0])
        await fill(settings, [b"held"] * 5, by_partition[0])
        await fill(settings, [b"passes"] * 3, by_partition[1])
        assert values(await take(source, 3)) == [b"passes"] * 3
        await until(lambda: source.lag().get(0) == 5)
        assert len(source._buffer) == 0
        source.resume([0])
        assert values(await take(source, 5)) == [b"held"] * 5


@both_brokers
async def test_what_waits_is_bounded_while_nobody_takes(broker, settings_for, store):
    settings = settings_for(broker, buffer_records=3)
    await fill(settings, numbered(30))
    async with KafkaSource(settings, store.claims) as source:
        await until(lambda: len(source._buffer) == 3)
        await until(lambda: source.lag() == {0: 30})
        for start in range(0, 30, 3):
            assert len(source._buffer) <= 3
            assert values(await take(source, 3)) == numbered(3, start)


async def test_record_over_the_fetch_limit_does_not_wedge(broker, settings_for, store):
    """Parsely/pykafka#102."""
    settings = settings_for(broker, fetch_bytes=1_000_000)
    await fill(settings, [b"before", bytes(2_000_000), b"after"])
    async with KafkaSource(settings, store.claims) as source:
        assert [len(value) for value in values(await take(source, 3))] == [6, 2_000_000, 5]


@pytest.mark.kafka
async def test_named_member_that_was_killed_has_its_partitions_back_at_once(kafka_broker, settings_for, store):
    settings = settings_for(kafka_broker, member="the-wearable", session_timeout_ms=60_000)
    await fill(settings, numbered(2))
    async with KafkaSource(settings, store.claims) as killed:
        store.apply(killed, (await take(killed, 1))[0])
        # Nothing is said to the broker: to it this is what a kill looks like.
        async with KafkaSource(settings, store.claims) as again:
            assert values(await take(again, 1, timeout_s=10)) == numbered(1, start=1)


@both_brokers
async def test_second_member_without_partitions_is_well(broker, settings_for, store):
    settings = settings_for(broker)
    async with KafkaSource(settings, store.claims) as one, KafkaSource(settings, store.claims) as other:
        await until(lambda: len(one.partitions) + len(other.partitions) == 1 and not one.health() + other.health())


async def test_broker_that_comes_later_is_awaited(settings_for, store):
    with EmbeddedBroker() as broker:
        settings = settings_for(broker)
        broker.kill()
        async with KafkaSource(settings, store.claims) as source:
            await until(lambda: any(settings.bootstrap in reason for reason in source.health()))
            broker.start()
            await fill(settings, [b"x"])
            assert values(await take(source, 1)) == [b"x"]
            await until(lambda: not source.health())


@pytest.mark.slow
async def test_broker_that_hangs_is_red_within_seconds_and_does_not_hold_up_the_end(settings_for, store):
    """aio-libs/aiokafka#727: connected, and no answer."""
    with EmbeddedBroker() as broker:
        settings = settings_for(broker)
        await fill(settings, [b"x"])
        async with KafkaSource(settings, store.claims) as source:
            await take(source, 1)
            await until(lambda: not source.health())
            broker._child.send_signal(signal.SIGSTOP)
            await until(source.health, timeout_s=10)
            assert "no answer" in source.health()[0]
        broker._child.send_signal(signal.SIGCONT)
    assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]


async def test_embedded_broker_that_forgot_is_read_from_the_beginning(settings_for, store):
    with EmbeddedBroker() as broker:
        settings = settings_for(broker)
        await fill(settings, numbered(3))
        async with KafkaSource(settings, store.claims, store.give_up) as source:
            store.apply(source, (await take(source, 3))[-1])
            broker.kill()
            await until(source.health)
            broker.start()
            await until(lambda: frozenset({0}) in store.revoked)
            await fill(settings, [b"new"])
            [record] = await take(source, 1)
            assert (record.value, record.offset) == (b"new", 0)
            assert record.cluster != store.positions[0].cluster
            await until(lambda: not source.health())


async def test_embedded_broker_that_forgot_stops_by_setting(settings_for, store):
    with EmbeddedBroker() as broker:
        settings = settings_for(broker, on_position_gone=OnPositionGone.STOP)
        await fill(settings, numbered(3))
        async with KafkaSource(settings, store.claims) as source:
            store.apply(source, (await take(source, 3))[-1])
            broker.kill()
            broker.start()
            with pytest.raises(FatalError, match="on_position_gone"):
                await take(source, 1)
            assert any("stopped" in reason for reason in source.health())


@pytest.mark.kafka
async def test_kafka_killed_and_started_again_goes_on(tmp_path, settings_for, store):
    if missing():
        pytest.skip(missing())
    with KafkaBroker(tmp_path) as broker:
        settings = settings_for(broker)
        await fill(settings, numbered(3))
        async with KafkaSource(settings, store.claims) as source:
            for record in await take(source, 3):
                store.apply(source, record)
            await asyncio.to_thread(broker.kill)
            await until(source.health)
            await asyncio.to_thread(broker.start)
            await fill(settings, numbered(3, start=3))
            assert values(await take(source, 3, timeout_s=60)) == numbered(3, start=3)
            await until(lambda: not source.health())
            await source.commit({0: 6})


@pytest.mark.kafka
async def test_topic_made_anew_under_the_same_name_is_seen(kafka_broker, settings_for, store):
    settings = settings_for(kafka_broker)
    await fill(settings, numbered(3))
    async with KafkaSource(settings, store.claims, store.give_up) as source:
        store.apply(source, (await take(source, 2))[-1])
        admin = AIOKafkaAdminClient(bootstrap_servers=settings.bootstrap)
        await admin.start()
        await admin.delete_topics([settings.topic])
        await admin.close()
        await until(lambda: store.revoked)
        await fill(settings, numbered(4, start=10))
        records = await take(source, 4)
        assert values(records) == numbered(4, start=10)
        assert records[0].topic_id != store.positions[0].topic_id


@pytest.mark.kafka
async def test_records_removed_unread_are_left_behind(kafka_broker, settings_for, store):
    settings = settings_for(kafka_broker, buffer_records=1, fetch_bytes=1)
    await fill(settings, numbered(10))
    async with KafkaSource(settings, store.claims) as source:
        store.apply(source, (await take(source, 1))[0])
        source.pause([0])
        admin = AIOKafkaAdminClient(bootstrap_servers=settings.bootstrap)
        await admin.start()
        await admin.delete_records({TopicPartition(settings.topic, 0): RecordsToDelete(8)})
        await admin.close()
        source.resume([0])
        async with asyncio.timeout(20), aclosing(source.records()) as records:
            async for record in records:
                if record.offset >= 8:
                    break
        assert record.offset == 8


async def test_wrong_address_stays_red_and_closes(settings_for, store):
    with EmbeddedBroker() as broker:
        settings = settings_for(broker, bootstrap=f"127.0.0.1:{free_port()}")
    async with KafkaSource(settings, store.claims) as source:
        await until(lambda: any("no broker at" in reason for reason in source.health()))
        assert source.lag() == {}
        with pytest.raises(TransientError, match="not assigned"):
            await source.commit({0: 1})


async def test_error_of_the_store_ends_the_source_with_that_error(broker, settings_for):
    async def broken(_partition):
        raise RuntimeError("the store is gone")

    async with KafkaSource(settings_for(broker), broken) as source:
        with pytest.raises(RuntimeError, match="the store is gone"):
            await take(source, 1)
        assert any("the store is gone" in reason for reason in source.health())

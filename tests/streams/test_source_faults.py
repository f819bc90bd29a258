"""KafkaSource when brokers, groups, topics or the store are not as they should be; each on a real broker."""

import asyncio
import signal
from contextlib import aclosing

import pytest
from aiokafka import TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, RecordsToDelete
from aiokafka.conn import create_conn
from aiokafka.protocol.group import LeaveGroupRequest
from brokers import both_brokers, fill, need_kafka, numbered, take, until, values

from biographer.ops.broker import EmbeddedBroker, free_port
from biographer.ops.kafka_broker import KafkaBroker
from biographer.state.errors import FatalError, TransientError
from biographer.streams.kafka_settings import OnPositionGone
from biographer.streams.source import KafkaSource


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
    settings = settings_for(broker, heartbeat_interval_ms=1_500)
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


async def test_record_over_the_fetch_limit_does_not_wedge(broker, settings_for, store):
    """Parsely/pykafka#102."""
    settings = settings_for(broker, fetch_bytes=1_000_000)
    await fill(settings, [b"before", bytes(2_000_000), b"after"])
    async with KafkaSource(settings, store.claims) as source:
        assert [len(value) for value in values(await take(source, 3))] == [6, 2_000_000, 5]


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


@pytest.mark.slow
@pytest.mark.kafka
async def test_kafka_killed_and_started_again_goes_on(tmp_path, settings_for, store):
    need_kafka()
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


async def test_join_that_takes_longer_than_a_request_is_awaited(embedded_broker, settings_for, store):
    """The embedded broker holds a first join for half a session; giving up before would mean joining for ever."""
    settings = settings_for(embedded_broker, request_timeout_ms=1_000, session_timeout_ms=5_000)
    await fill(settings, [b"x"])
    async with KafkaSource(settings, store.claims) as source:
        assert values(await take(source, 1, timeout_s=15)) == [b"x"]


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

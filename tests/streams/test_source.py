"""KafkaSource against real brokers, when nothing is amiss; `test_source_faults` has the rest.

Joining a group takes Apache Kafka some 0.2 s and the embedded broker 3 s, so what tests the source rather than the
broker runs at once on the former, and on the latter among the slow tests.
"""

import asyncio
from dataclasses import replace

import pytest
from brokers import Store, both_brokers, fill, numbered, take, until, values

from biographer.state.errors import TransientError
from biographer.streams.kafka_settings import OnPositionGone
from biographer.streams.sink import KafkaSink
from biographer.streams.source import KafkaSource


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
async def test_a_position_within_the_last_batch_holds(broker, settings_for, store):
    """The embedded broker tells an end before it: that the broker forgot records must not be concluded from that."""
    settings = settings_for(broker, on_position_gone=OnPositionGone.STOP)
    async with KafkaSink(settings) as sink:
        await asyncio.gather(*(sink.send("anna", value) for value in numbered(7)))
        async with KafkaSource(settings, store.claims) as source:
            store.apply(source, (await take(source, 7))[-1])
        async with KafkaSource(replace(settings, group=f"{settings.group}-2"), store.claims) as source:
            await until(lambda: source.partitions == {0})
            await sink.send("anna", b"7")
            assert values(await take(source, 1)) == [b"7"]


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

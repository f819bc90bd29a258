"""The pipeline as a member of a real consumer group: slow work, brokers that die and brokers that forget."""

import asyncio
import time
from dataclasses import replace

import pytest
from brokers import need_kafka
from daemon_doubles import Scripted, clip, real_perception, running_on_kafka, until

from biographer.daemon.loop_lag import LoopLag
from biographer.ops.broker import EmbeddedBroker
from biographer.ops.kafka_broker import KafkaBroker
from biographer.streams.message import encode
from biographer.streams.sink import KafkaSink

POLL_S = 1.0


class Laborious(Scripted):
    """Each clip takes over twice the poll interval, all of it in Python's own code, which holds the GIL."""

    def perceive(self, message, stop):
        until = time.monotonic() + 2.2 * POLL_S
        while time.monotonic() < until:
            sum(range(1000))
        return super().perceive(message, stop)


async def send(kafka, numbers):
    async with KafkaSink(kafka) as sink:
        for number in numbers:
            await sink.send("a", encode(clip("a", number)))


async def test_work_longer_than_the_poll_interval_keeps_the_group_stable(embedded_broker, settings_for, tmp_path):
    """aio-libs/aiokafka#848, aio-libs/aiokafka#678: each clip once, no partition lost, no late loop."""
    kafka = settings_for(embedded_broker, max_poll_interval_ms=int(POLL_S * 1000), session_timeout_ms=3_000)
    await send(kafka, range(2))
    perception, lag = Laborious(), LoopLag(0.05)
    watch = asyncio.create_task(lag.watch())
    async with running_on_kafka(tmp_path, kafka, perception, perceivers=1, queue_records=1) as (rig, source):
        await until(lambda: len(rig.clips("a")) == 2, 0.05)
        assert rig.lost == []
        assert source.partitions == {0}
        assert rig.letters.items == []
    watch.cancel()
    assert perception.began == ["clip-00000", "clip-00001"]
    assert lag.worst_s < 1.0


async def test_a_broker_that_forgot_its_topics_is_read_from_the_start_and_nothing_is_doubled(settings_for, tmp_path):
    with EmbeddedBroker() as broker:
        kafka = settings_for(broker)
        await send(kafka, range(4))
        async with running_on_kafka(tmp_path, kafka, real_perception()) as (rig, _):
            await until(lambda: len(rig.clips("a")) == 4, 0.05)
            await asyncio.to_thread(broker.kill)
            await asyncio.to_thread(broker.start)
            await send(kafka, range(2, 6))
            await until(lambda: len(rig.clips("a")) == 6, 0.05)
            assert rig.letters.items == []


@pytest.mark.kafka
@pytest.mark.slow
async def test_a_broker_that_is_killed_in_mid_stream_is_awaited(settings_for, tmp_path):
    need_kafka()
    with KafkaBroker() as broker:
        kafka = replace(settings_for(broker), partitions=1)
        await send(kafka, range(10))
        perception = Scripted()
        async with running_on_kafka(tmp_path, kafka, perception) as (rig, source):
            await until(lambda: len(rig.clips("a")) == 10, 0.05)
            perception.gate.clear()
            await send(kafka, range(10, 20))
            await until(lambda: perception.together, 0.05)
            await asyncio.to_thread(broker.kill)
            perception.gate.set()
            await until(source.health, 0.05)
            await asyncio.to_thread(broker.start)
            await until(lambda: len(rig.clips("a")) == 20, 0.05)
            await send(kafka, range(20, 22))
            await until(lambda: len(rig.clips("a")) == 22, 0.05)
            await until(lambda: not source.health(), 0.05)
            assert rig.letters.items == []

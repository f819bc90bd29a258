"""Brokers for tests: the embedded one and Apache Kafka, each started once a session, each test on topics of its own.

tests/conftest.py makes the fixtures known; what else a test of sources needs is imported from here by name.
"""

import asyncio
import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import aclosing
from dataclasses import replace

import pytest

from biographer.ops.broker import Broker, EmbeddedBroker
from biographer.ops.kafka_broker import KafkaBroker, missing
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.sink import KafkaSink


def need_kafka() -> None:
    """Skip where Java or Maven is missing; with CI_REQUIRE_KAFKA set, as continuous integration has it, fail."""
    reason = missing()
    if reason is not None and os.environ.get("CI_REQUIRE_KAFKA"):
        pytest.fail(reason)
    if reason is not None:
        pytest.skip(reason)


@pytest.fixture(scope="session")
def embedded_broker() -> Iterator[Broker]:
    with EmbeddedBroker() as broker:
        yield broker


@pytest.fixture(scope="session")
def kafka_broker() -> Iterator[Broker]:
    need_kafka()
    with KafkaBroker() as broker:
        yield broker


@pytest.fixture(params=["embedded", pytest.param("kafka", marks=pytest.mark.kafka)])
def broker(request: pytest.FixtureRequest) -> Broker:
    """One broker of each kind in turn; shared, so never stop it."""
    shared: Broker = request.getfixturevalue(f"{request.param}_broker")
    return shared


@pytest.fixture
def settings_for() -> Callable[..., KafkaSettings]:
    """Return a function from a broker (and overrides) to settings on fresh topics and a fresh group."""

    def build(broker: Broker, **overrides: object) -> KafkaSettings:
        mark = uuid.uuid4().hex[:10]
        base = KafkaSettings(
            bootstrap=broker.bootstrap,
            topic=f"clips-{mark}",
            dead_letter_topic=f"dead-{mark}",
            group=f"group-{mark}",
            partitions=1,
            idempotent=broker.idempotent,
            session_timeout_ms=3_000,  # the embedded broker lets a first member in after half of it
            heartbeat_interval_ms=300,
            check_interval_ms=200,
        )
        return replace(base, **overrides)  # type: ignore[arg-type]

    return build


@pytest.fixture
def settings(broker: Broker, settings_for: Callable[..., KafkaSettings]) -> KafkaSettings:
    return settings_for(broker)


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

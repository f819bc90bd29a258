"""Brokers for tests: the embedded one and Apache Kafka, each started once a session, each test on topics of its own.

`from biographer...` nothing here is imported by production code; tests/conftest.py makes these fixtures known.
"""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from biographer.ops.broker import Broker, EmbeddedBroker
from biographer.ops.kafka_broker import KafkaBroker, missing
from biographer.streams.kafka_settings import KafkaSettings


@pytest.fixture(scope="session")
def embedded_broker() -> Iterator[Broker]:
    with EmbeddedBroker() as broker:
        yield broker


@pytest.fixture(scope="session")
def kafka_broker() -> Iterator[Broker]:
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
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
            session_timeout_ms=6_000,
            heartbeat_interval_ms=300,
            check_interval_ms=200,
        )
        return replace(base, **overrides)  # type: ignore[arg-type]

    return build


@pytest.fixture
def settings(broker: Broker, settings_for: Callable[..., KafkaSettings]) -> KafkaSettings:
    return settings_for(broker)

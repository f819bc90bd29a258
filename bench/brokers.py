"""Which broker a bench runs against: a running one by its address, or one that the layer above knows how to start."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from biographer.state.errors import RefusedError
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.sink import KafkaSink


class Broker(Protocol):
    """A broker that answers."""

    @property
    def name(self) -> str:
        """What it is, for the report."""

    @property
    def bootstrap(self) -> str:
        """Its address, host:port."""

    @property
    def idempotent(self) -> bool:
        """Whether it takes idempotent producers."""


@dataclass(frozen=True, slots=True)
class Running:
    """A broker that is somebody else's; what it supports is assumed to be Kafka's."""

    bootstrap: str
    idempotent: bool = True
    name: str = "a running broker"


Brokers: TypeAlias = Mapping[str, Callable[[], AbstractContextManager[Broker]]]
"""By name, what starts a broker of one's own and stops it after."""


@contextmanager
def broker_of(name: str, brokers: Brokers) -> Iterator[Broker]:
    """Start the broker of this name, or take the one at this host:port; raises RefusedError for neither."""
    if ":" in name:
        yield Running(name)
    elif name in brokers:
        with brokers[name]() as broker:
            yield broker
    else:
        raise RefusedError(f"broker {name!r} is unknown; use host:port or one of: {', '.join(brokers) or 'none here'}")


def broker_settings(broker: Broker, name: str) -> dict[str, str]:
    """Return settings for a daemon at this broker, on topics and in a group of that name."""
    # A named member that was killed has its place back at once, where the broker knows such; the embedded one lets
    # members wait for half a session before they may join.
    patience = {} if broker.idempotent else {"SESSION_TIMEOUT_MS": "6000", "HEARTBEAT_INTERVAL_MS": "300"}
    return {
        "BIOGRAPHER_KAFKA_MEMBER": "bench",
        **{f"BIOGRAPHER_KAFKA_{key}": value for key, value in patience.items()},
        "BIOGRAPHER_KAFKA_BOOTSTRAP": broker.bootstrap,
        "BIOGRAPHER_KAFKA_IDEMPOTENT": str(broker.idempotent).lower(),
        "BIOGRAPHER_KAFKA_TOPIC": f"{name}.clips",
        "BIOGRAPHER_KAFKA_DEAD_LETTER_TOPIC": f"{name}.dead-letters",
        "BIOGRAPHER_KAFKA_GROUP": name,
        # A bench's recording has times of its own.
        "BIOGRAPHER_ORDER_FUTURE_S": "0",
    }


async def send(broker: Broker, settings: Mapping[str, str], stream: str, values: Sequence[bytes]) -> float:
    """Send messages of a stream to the topic of these settings, each once the one before is acknowledged.

    Returns when the first was handed over, by `time.perf_counter`: a camera is connected already.
    """
    kafka = KafkaSettings(
        bootstrap=broker.bootstrap,
        idempotent=broker.idempotent,
        topic=settings["BIOGRAPHER_KAFKA_TOPIC"],
        dead_letter_topic=settings["BIOGRAPHER_KAFKA_DEAD_LETTER_TOPIC"],
        group=settings["BIOGRAPHER_KAFKA_GROUP"],
    )
    async with KafkaSink(kafka) as sink:
        began = time.perf_counter()
        for value in values:
            await sink.send(stream, value)
    return began

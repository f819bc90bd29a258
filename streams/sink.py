"""Records to a topic, acknowledged by all replicas; refused up front where they could never be taken."""

from types import TracebackType
from typing import NamedTuple, Self

from biographer.streams.kafka_settings import KafkaSettings

type Headers = tuple[tuple[str, bytes], ...]


class Sent(NamedTuple):
    """Where the broker put a record."""

    partition: int
    offset: int


class KafkaSink:
    """A producer to one topic (`settings.topic` unless named); use as an async context manager.

    Entering raises TransientError where no broker answers, FatalError where the security settings cannot be used.
    """

    def __init__(self, settings: KafkaSettings, topic: str | None = None) -> None: ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    async def send(self, key: str | bytes | None, value: bytes | None, headers: Headers = ()) -> Sent:
        """Send and await the acknowledgement. Records of one key (the stream) stay in one partition, in order.

        Raises RefusedError over `max_bytes`, TransientError where the broker does not take it for now.
        """
        raise NotImplementedError

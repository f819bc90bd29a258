"""Records to a topic, acknowledged by all replicas; refused up front where they could never be taken."""

import asyncio
from types import TracebackType
from typing import NamedTuple, Self

from aiokafka import AIOKafkaProducer, errors

from biographer.state.errors import RefusedError, TransientError
from biographer.streams.identity import UNREACHABLE
from biographer.streams.kafka_record import Headers, framed_size
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.security import connection_options
from biographer.streams.topics import ensure_topic

_URI_FORM = "send the clip as `uri` + `sha256` with its video elsewhere"

_NOT_IDEMPOTENT = "; a broker without idempotent producers, such as the embedded one, needs kafka.idempotent = false"


class Sent(NamedTuple):
    """Where the broker put a record."""

    partition: int
    offset: int


class KafkaSink:
    """A producer to one topic (`settings.topic` unless named); use as an async context manager.

    Entering creates the topic where it is missing and may be; it raises TransientError where no broker answers and
    FatalError where the security settings or the topic cannot be used.
    """

    def __init__(self, settings: KafkaSettings, topic: str | None = None) -> None:
        self._settings = settings
        self._topic = topic or settings.topic
        self._producer: AIOKafkaProducer | None = None
        self._topic_in_doubt = True

    async def __aenter__(self) -> Self:
        await self._ensure_topic()
        # Our own check of the size is the one that explains; aiokafka's counts otherwise and must not come first.
        producer = AIOKafkaProducer(
            acks="all",
            enable_idempotence=self._settings.idempotent,
            max_request_size=2 * self._settings.max_bytes,
            metadata_max_age_ms=10_000,
            **connection_options(self._settings),
        )
        try:
            await producer.start()
        except UNREACHABLE as error:
            await producer.stop()
            reason = _words(error) + (_NOT_IDEMPOTENT if isinstance(error, errors.UnknownError) else "")
            raise TransientError(f"no producer to {self._settings.bootstrap}: {reason}") from error
        self._producer = producer
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        producer, self._producer = self._producer, None
        if producer is not None:
            await producer.stop()

    async def send(self, key: str | bytes | None, value: bytes | None, headers: Headers = ()) -> Sent:
        """Send and await the acknowledgement. Records of one key (the stream) stay in one partition, in order.

        Raises RefusedError over `max_bytes`, TransientError where the broker does not take it for now (it may have
        arrived nevertheless; clips are known by their names, so sending again is safe).
        """
        key_bytes = key.encode() if isinstance(key, str) else key
        size = framed_size(key_bytes, value, headers)
        if size > self._settings.max_bytes:
            raise RefusedError(
                f"record of {size} bytes with framing is over the limit max_bytes {self._settings.max_bytes} "
                f"of topic {self._topic!r}; {_URI_FORM}, or raise the limit here and at the topic"
            )
        if self._topic_in_doubt:
            await self._ensure_topic()
        return await self._send(key_bytes, value, headers)

    async def _send(self, key: bytes | None, value: bytes | None, headers: Headers) -> Sent:
        if self._producer is None:
            raise RefusedError(f"sink to {self._topic!r} is not open; enter it first")
        try:
            async with asyncio.timeout(self._settings.request_timeout_ms / 1000):
                sent = await self._producer.send_and_wait(self._topic, value, key=key, headers=list(headers))
        except errors.MessageSizeTooLargeError as error:
            raise RefusedError(
                f"topic {self._topic!r} takes less (max.message.bytes) than max_bytes {self._settings.max_bytes}; "
                f"raise the topic's limit, or lower max_bytes and {_URI_FORM}"
            ) from error
        except UNREACHABLE as error:
            # A broker that forgot its topics answers so too; look before the next one.
            self._topic_in_doubt = True
            raise TransientError(f"topic {self._topic!r} did not take a record: {_words(error)}") from error
        return Sent(sent.partition, sent.offset)

    async def _ensure_topic(self) -> None:
        await ensure_topic(self._settings, self._topic)
        self._topic_in_doubt = False


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__

"""The dead-letter topic: write, list, replay."""

from collections.abc import AsyncIterator
from dataclasses import replace
from types import TracebackType
from typing import NamedTuple, Self

from biographer.state.errors import RefusedError
from biographer.streams.dead_letter import ROOM_BYTES, DeadLetter, from_record, sha256_of, to_headers
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.reader import read_record, read_topic
from biographer.streams.sink import KafkaSink, Sent


class Listed(NamedTuple):
    """A letter and its own place on the dead-letter topic."""

    partition: int
    offset: int
    letter: DeadLetter


class DeadLetterSink:
    """Sends letters to `settings.dead_letter_topic`; use as an async context manager (raises as KafkaSink does).

    The topic is created with room for the largest clip and its headers. Where it has less (made by someone else, or
    the clip came over a limit of its own), the value is left out, so that a letter always gets through.
    """

    def __init__(self, settings: KafkaSettings) -> None:
        roomy = replace(settings, max_bytes=settings.max_bytes + ROOM_BYTES)
        self._sink = KafkaSink(roomy, settings.dead_letter_topic)

    async def __aenter__(self) -> Self:
        await self._sink.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._sink.__aexit__(kind, error, trace)

    async def send(self, letter: DeadLetter) -> Sent:
        """Send one; it always fits. Raises TransientError."""
        try:
            return await self._sink.send(letter.key, letter.payload, to_headers(letter))
        except RefusedError:
            small = letter.without_payload()
            return await self._sink.send(small.key, small.payload, to_headers(small))


async def read_letters(settings: KafkaSettings) -> AsyncIterator[Listed]:
    """Yield the letters that lie on the topic now, each partition in order. Raises TransientError."""
    async for record in read_topic(settings, settings.dead_letter_topic):
        yield Listed(record.partition, record.offset, from_record(record))


async def replay(letter: DeadLetter, settings: KafkaSettings, sink: KafkaSink) -> Sent:
    """Send a letter's clip to `sink` again, fetching a left-out value from its origin.

    Raises RefusedError where the value is no longer to be had or is another one, TransientError from the broker.
    """
    key, value = letter.key, letter.payload
    if letter.payload_left_out:
        key, value = await _from_origin(letter, settings)
    if value is None:
        raise RefusedError(f"{_origin(letter)} is a tombstone without a value; there is nothing to send again")
    if letter.sha256 and sha256_of(value) != letter.sha256:
        raise RefusedError(f"the value of {_origin(letter)} is not the one that was set aside (sha256); send it anew")
    return await sink.send(key, value)


async def _from_origin(letter: DeadLetter, settings: KafkaSettings) -> tuple[bytes | None, bytes | None]:
    record = await read_record(settings, letter.topic, letter.partition, letter.offset)
    if record is None:
        raise RefusedError(f"{_origin(letter)} is gone from its topic and its value was left out; send it anew")
    return record.key, record.value


def _origin(letter: DeadLetter) -> str:
    return f"{letter.topic}/{letter.partition}/{letter.offset}"

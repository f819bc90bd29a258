"""The dead-letter topic: write, list, replay."""

from collections.abc import AsyncIterator
from types import TracebackType
from typing import Self

from biographer.streams.dead_letter import DeadLetter
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.sink import Sent


class DeadLetterSink:
    """Sends letters to `settings.dead_letter_topic`; use as an async context manager (raises as KafkaSink does)."""

    def __init__(self, settings: KafkaSettings) -> None: ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    async def send(self, letter: DeadLetter) -> Sent:
        """Send one; it always fits. Raises TransientError."""
        raise NotImplementedError


def read_letters(settings: KafkaSettings) -> AsyncIterator[tuple[int, int, DeadLetter]]:
    """Yield (partition, offset, letter) to the topic's end as of now. Raises TransientError."""
    raise NotImplementedError

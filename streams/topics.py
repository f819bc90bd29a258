"""Topics made as the settings say where they are missing; nothing of existing topics is changed."""

import asyncio

from aiokafka import errors
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from biographer.state.errors import FatalError, TransientError
from biographer.streams.identity import UNREACHABLE, Identity, read_identity
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.security import connection_options

_APPEARS_S = 0.05
"""Seconds between looks for a topic that was just made: brokers tell of it a little later."""


async def ensure_topic(settings: KafkaSettings, topic: str) -> Identity:
    """Return the topic's identity, after creating it where it is missing and `create_topics` allows.

    Raises TransientError where the broker is away, FatalError where it is missing and must not or cannot be made.
    """
    timeout_s = settings.request_timeout_ms / 1000
    identity = await read_identity(settings, topic, timeout_s)
    if identity.partitions:
        return identity
    if not settings.create_topics:
        raise FatalError(f"topic {topic!r} does not exist at {settings.bootstrap}; create it, or allow create_topics")
    await _create(settings, topic)
    try:
        async with asyncio.timeout(timeout_s):
            return await _appearance(settings, topic, timeout_s)
    except TimeoutError as error:
        raise TransientError(f"topic {topic!r} was created but did not appear in {timeout_s:g} s") from error


async def _appearance(settings: KafkaSettings, topic: str, timeout_s: float) -> Identity:
    while True:
        identity = await read_identity(settings, topic, timeout_s)
        if identity.partitions:
            return identity
        await asyncio.sleep(_APPEARS_S)


async def _create(settings: KafkaSettings, topic: str) -> None:
    # The limit belongs to the topic, so that a stock broker (1 MB a record) takes clips as well.
    limit = {"max.message.bytes": str(settings.max_bytes)}
    wanted = NewTopic(topic, settings.partitions, settings.replication, topic_configs=limit)
    admin = AIOKafkaAdminClient(**connection_options(settings))
    try:
        await admin.start()
        response = await admin.create_topics([wanted])
    except UNREACHABLE as error:
        raise TransientError(f"topic {topic!r} could not be created at {settings.bootstrap}: {error}") from error
    finally:
        await admin.close()
    _check(topic, response)


def _check(topic: str, response: object) -> None:
    for row in getattr(response, "topic_errors", ()):
        error = errors.for_code(row[1])
        if error in {errors.NoError, errors.TopicAlreadyExistsError}:
            continue
        text = f"topic {topic!r} could not be created: {error.__name__} {row[2] if len(row) > 2 else ''}".rstrip()
        raise TransientError(text) if error.retriable else FatalError(f"{text}; create it by hand")

"""Putting a freshly assigned partition where the stores say: gathers what `resume.decide` needs to know."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from aiokafka import AIOKafkaConsumer, TopicPartition

from biographer.state.position import Position
from biographer.streams.identity import Identity
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.reader import read_record
from biographer.streams.record import fingerprint
from biographer.streams.resume import Log, Start, decide, unverified

Claims: TypeAlias = Callable[[int], Awaitable[Sequence[Position]]]
"""Gives the stores' positions in a partition: whatever any stream of this state folder has stored for it."""


async def place(
    consumer: AIOKafkaConsumer, settings: KafkaSettings, identity: Identity, partition: int, claims: Claims
) -> Start:
    """Return where to begin. Raises FatalError by setting, TransientError or aiokafka's errors from the broker."""
    place_of = TopicPartition(settings.topic, partition)
    begin = await consumer.beginning_offsets([place_of])
    end = await consumer.end_offsets([place_of])
    log = Log(identity.cluster, settings.topic, identity.topic_id, partition, begin[place_of], end[place_of])
    claimed = await claims(partition)
    tails: dict[int, str] = {}
    while (offset := unverified(claimed, log, tails)) is not None:
        record = await read_record(settings, settings.topic, partition, offset)
        tails[offset] = "" if record is None else fingerprint(record)
    return decide(claimed, log, tails, settings.on_position_gone)

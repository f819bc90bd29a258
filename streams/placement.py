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
    claimed = await claims(partition)
    end = await _end(consumer, settings, place_of, claimed)
    log = Log(identity.cluster, settings.topic, identity.topic_id, partition, begin[place_of], end)
    tails: dict[int, str] = {}
    while (offset := unverified(claimed, log, tails)) is not None:
        record = await read_record(settings, settings.topic, partition, offset)
        tails[offset] = "" if record is None else fingerprint(record)
    return decide(claimed, log, tails, settings.on_position_gone)


async def _end(
    consumer: AIOKafkaConsumer, settings: KafkaSettings, place_of: TopicPartition, claimed: Sequence[Position]
) -> int:
    """Return where the log ends, as far as it matters to the claims.

    The embedded broker tells the place behind the first record of the last batch: a claim within that batch would be
    taken for one on records that are lost. So there it is looked whether they are.
    """
    told: int = (await consumer.end_offsets([place_of]))[place_of]
    beyond = {claim.next_offset for claim in claimed if claim.next_offset > told and not settings.idempotent}
    for end in sorted(beyond, reverse=True):
        if await read_record(settings, place_of.topic, place_of.partition, end - 1) is not None:
            return end
    return told

"""Between aiokafka's records and ours, and how many bytes the broker will count for one."""

from typing import TypeAlias

from aiokafka import ConsumerRecord
from aiokafka.record.default_records import DefaultRecordBatchBuilder

from biographer.streams.identity import Identity
from biographer.streams.record import Record

Headers: TypeAlias = tuple[tuple[str, bytes], ...]

NOWHERE = Identity("", "", 0)
"""Of no log that is known."""


def from_kafka(found: ConsumerRecord, identity: Identity = NOWHERE) -> Record:
    """Return the record of the log that `identity` names; a header without a value becomes an empty one."""
    headers = tuple((name, value or b"") for name, value in found.headers)
    timestamp_us = found.timestamp * 1000 if found.timestamp >= 0 else -1
    place = (found.topic, found.partition, found.offset)
    return Record(*place, found.key, found.value, timestamp_us, headers, identity.cluster, identity.topic_id)


def framed_size(key: bytes | None, value: bytes | None, headers: Headers) -> int:
    """Return the bytes of a batch that holds this record alone, which is what brokers limit; at most 21 too many."""
    size: int = DefaultRecordBatchBuilder.estimate_size_in_bytes(key, value, list(headers))
    return size

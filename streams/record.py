"""One record of a Kafka log as the pipeline sees it, and the fingerprint that tells two logs apart.

Nothing here knows what a value means; `message` decodes it.
"""

import hashlib
from dataclasses import dataclass

from biographer.state.position import Position


@dataclass(frozen=True, slots=True)
class Record:
    """A record at (topic, partition, offset).

    `value` is None for a tombstone. `timestamp_us` is the record's own time in microseconds of UTC (Kafka keeps
    milliseconds), -1 where the broker has none. `cluster` and `topic_id` say which log it is of, "" where unknown.
    """

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    timestamp_us: int
    headers: tuple[tuple[str, bytes], ...] = ()
    cluster: str = ""
    topic_id: str = ""

    @property
    def size(self) -> int:
        """Bytes of key, value and headers: what this record holds in memory, near enough for bounds."""
        headers = sum(len(name) + len(value) for name, value in self.headers)
        return len(self.key or b"") + len(self.value or b"") + headers


def fingerprint(record: Record) -> str:
    """Return the SHA-256 (hex) of a record's time, key and value: the `tail` of a Position behind it.

    Some milliseconds for a record of megabytes, so call it in a worker thread.
    """
    digest = hashlib.sha256(record.timestamp_us.to_bytes(8, "big", signed=True))
    for part in (record.key, record.value):
        digest.update(b"\0" if part is None else b"\1" + len(part).to_bytes(8, "big"))
        digest.update(part or b"")
    return digest.hexdigest()


def position_behind(record: Record) -> Position:
    """Return the position that says this record is dealt with (hashes its value: call in a worker thread)."""
    return Position(
        record.cluster, record.topic, record.topic_id, record.partition, record.offset + 1, fingerprint(record)
    )

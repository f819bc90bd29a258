"""A record that could not become a clip: what is kept of it, and its form on the dead-letter topic.

On the topic a letter's key and value are the record's own and everything else stands in headers, so that any Kafka
tool can read it. A value that would not fit beside the headers is left out: its hash and origin remain.
"""

import hashlib
from dataclasses import dataclass, replace

from biographer.streams.kafka_record import Headers
from biographer.streams.record import Record

_PREFIX = "biographer."
_REASON_BYTES = 4_000
_KEY_BYTES = 4_000

ROOM_BYTES = 64 * 1024
"""More than headers and framing of a letter ever take: by so much its topic's limit is above that of the clips'."""


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A record set aside. `payload` is its value, None where it was left out (`payload_left_out`) or a tombstone.

    `error` is the class of the error, `reason` its text, `at_us` when it was set aside (of the caller's clock), both
    times in microseconds of UTC. `sha256` (hex) is the value's, "" for a tombstone.
    """

    reason: str
    error: str
    topic: str
    partition: int
    offset: int
    timestamp_us: int
    key: bytes | None
    sha256: str
    at_us: int
    payload: bytes | None
    payload_left_out: bool = False

    def without_payload(self) -> "DeadLetter":
        """Return the letter that always fits: a long key goes too."""
        key = self.key if self.key is None or len(self.key) <= _KEY_BYTES else None
        return replace(self, key=key, payload=None, payload_left_out=self.payload is not None or self.payload_left_out)


def letter(record: Record, error: Exception, at_us: int) -> DeadLetter:
    """Return the letter for a record that failed with `error` (hashes the value: call in a worker thread)."""
    return DeadLetter(
        reason=str(error) or type(error).__name__,
        error=type(error).__name__,
        topic=record.topic,
        partition=record.partition,
        offset=record.offset,
        timestamp_us=record.timestamp_us,
        key=record.key,
        sha256="" if record.value is None else sha256_of(record.value),
        at_us=at_us,
        payload=record.value,
    )


def sha256_of(value: bytes) -> str:
    """Return the SHA-256 of a value in hex."""
    return hashlib.sha256(value).hexdigest()


def to_headers(sent: DeadLetter) -> Headers:
    """Return what is written beside key and value; a reason is cut at 4,000 bytes."""
    fields = {
        "reason": _cut(sent.reason),
        "error": sent.error,
        "topic": sent.topic,
        "partition": str(sent.partition),
        "offset": str(sent.offset),
        "timestamp_us": str(sent.timestamp_us),
        "sha256": sent.sha256,
        "at_us": str(sent.at_us),
        "payload": "left-out" if sent.payload_left_out else "kept",
    }
    return tuple((_PREFIX + name, text.encode()) for name, text in fields.items())


def from_record(record: Record) -> DeadLetter:
    """Read a letter back; what a foreign record lacks is said to be unknown, so that listing never stops."""
    fields = {name.removeprefix(_PREFIX): value.decode(errors="replace") for name, value in record.headers}
    return DeadLetter(
        reason=fields.get("reason", "unknown: this record was not written as a dead letter of biographer"),
        error=fields.get("error", "unknown"),
        topic=fields.get("topic", ""),
        partition=_number(fields.get("partition")),
        offset=_number(fields.get("offset")),
        timestamp_us=_number(fields.get("timestamp_us")),
        key=record.key,
        sha256=fields.get("sha256", ""),
        at_us=_number(fields.get("at_us")),
        payload=record.value,
        payload_left_out=fields.get("payload") == "left-out",
    )


def _cut(text: str) -> str:
    return text.encode(errors="replace")[:_REASON_BYTES].decode(errors="ignore")


def _number(text: str | None) -> int:
    try:
        return int(text or "")
    except ValueError:
        return -1

"""A record that could not become a clip: what is kept of it, and its form on the dead-letter topic."""

from dataclasses import dataclass

from biographer.streams.record import Record


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A record set aside. `payload` is its value, None where that did not fit (then `sha256` and origin find it).

    `error` is the class of the error, `reason` its text, `at_us` when it was set aside (of the caller's clock).
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


def letter(record: Record, error: Exception, at_us: int) -> DeadLetter:
    """Return the letter for a record that failed with `error` (hashes the value: call in a worker thread)."""
    raise NotImplementedError

"""Where in a Kafka log a memory stands: everything before it is applied, known or in the dead letters."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Position:
    """Resume at `next_offset` of (cluster, topic, partition).

    `cluster` and `topic_id` are the broker's own identities ("" where it has none), so that a position is never
    applied to another log. `tail` is the SHA-256 (hex) of the record at `next_offset - 1` ("" if unknown): a
    broker that forgot its topics and took new records under the same name is told apart by it. `through` is the offset
    whose record let the last applied clip go: after a restart clips only gather until it has been read again, so that
    those which were let go together are applied in the same order.
    """

    cluster: str
    topic: str
    topic_id: str
    partition: int
    next_offset: int
    tail: str = ""
    through: int = 0

"""What the Kafka side is told: where the broker is, which topics, how much, how secured.

Plain records; `daemon/settings.py` fills them, nothing here reads a file or an environment.
"""

import re
from dataclasses import dataclass, field, fields
from enum import StrEnum

from biographer.state.errors import RefusedError

_MIB = 1024 * 1024
_TOPIC = re.compile(r"(?!\.{1,2}\Z)[a-zA-Z0-9._-]{1,249}")
"""What brokers take; of another name they say so only once asked, which looks like a broker that is away."""
_INT32_MAX = 2**31 - 1
"""Kafka's protocol has no room for more in any of these numbers."""
_MOST = {"partitions": 10_000, "max_bytes": 1023 * _MIB}
"""A topic of millions of partitions ends the broker; a producer is told twice the size of a record."""
_LEAST_BYTES = 64 * 1024
"""Any smaller limit would be in the way of lines and of dead letters."""


class Protocol(StrEnum):
    """How the connection is secured."""

    PLAINTEXT = "PLAINTEXT"
    SSL = "SSL"
    SASL_PLAINTEXT = "SASL_PLAINTEXT"
    SASL_SSL = "SASL_SSL"


class Mechanism(StrEnum):
    """How SASL proves who we are."""

    PLAIN = "PLAIN"
    SCRAM_SHA_256 = "SCRAM-SHA-256"
    SCRAM_SHA_512 = "SCRAM-SHA-512"


class OnPositionGone(StrEnum):
    """What to do where the store's position is no place in the broker's log."""

    EARLIEST = "earliest"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class KafkaSecurity:
    """TLS and SASL of the connection; files are paths to PEM.

    `ca_file` "" takes the system's authorities; `certificate_file` and `key_file` are for mutual TLS.
    """

    protocol: Protocol = Protocol.PLAINTEXT
    mechanism: Mechanism = Mechanism.PLAIN
    user: str = ""
    password: str = field(default="", repr=False)
    ca_file: str = ""
    certificate_file: str = ""
    key_file: str = ""
    key_password: str = field(default="", repr=False)
    check_hostname: bool = True


@dataclass(frozen=True, slots=True)
class KafkaSettings:
    """Everything that source, sink and dead letters need to know of a broker.

    `max_bytes` is the largest record that is sent, with key, headers and framing, and the limit that topics are
    created with. `idempotent` must be False on the embedded broker, which refuses such producers. Records that wait
    between broker and pipeline are bounded by `buffer_records` a partition and `buffer_bytes` in all; beside them
    aiokafka holds at most one fetched batch a partition (`fetch_bytes`, or one record where that is larger).

    `member` names this member for good (Kafka's group.instance.id): one that was killed and starts again has its
    partitions back at once, where a nameless one waits until its former self's session ends. The price: after an
    orderly stop the others wait as long for its partitions. No two daemons of a group may share a name.
    """

    bootstrap: str = "127.0.0.1:9092"
    topic: str = "biographer.clips"
    dead_letter_topic: str = "biographer.dead-letters"
    group: str = "biographer"
    member: str = ""
    security: KafkaSecurity = field(default_factory=KafkaSecurity)
    max_bytes: int = 8 * _MIB
    create_topics: bool = True
    partitions: int = 4
    replication: int = 1
    idempotent: bool = True
    on_position_gone: OnPositionGone = OnPositionGone.EARLIEST
    fetch_max_wait_ms: int = 20
    fetch_bytes: int = 2 * _MIB
    buffer_records: int = 8
    buffer_bytes: int = 64 * _MIB
    session_timeout_ms: int = 30_000
    heartbeat_interval_ms: int = 3_000
    max_poll_interval_ms: int = 300_000
    request_timeout_ms: int = 15_000
    check_interval_ms: int = 2_000

    def __post_init__(self) -> None:
        """Refuse what could never work, naming the setting."""
        for name in ("bootstrap", "topic", "dead_letter_topic", "group"):
            if not getattr(self, name):
                raise RefusedError(f"kafka setting {name!r} is empty; name one")
        self._check_topics()
        self._check_numbers()
        if self.heartbeat_interval_ms * 2 > self.session_timeout_ms:
            raise RefusedError(
                f"heartbeat_interval_ms {self.heartbeat_interval_ms} is over half of session_timeout_ms "
                f"{self.session_timeout_ms}; lower the one or raise the other"
            )

    def _check_topics(self) -> None:
        for name in ("topic", "dead_letter_topic"):
            if not _TOPIC.fullmatch(getattr(self, name)):
                raise RefusedError(
                    f"kafka setting {name!r} is {getattr(self, name)!r:.300}; a topic's name is up to 249 of the "
                    "letters a-z and A-Z, digits, '.', '_' and '-', and not '.' or '..'"
                )
        if self.topic == self.dead_letter_topic:
            raise RefusedError(f"topic and dead_letter_topic are both {self.topic!r}; name two topics")

    def _check_numbers(self) -> None:
        for name in ("max_bytes", "partitions", "fetch_bytes", "buffer_records", "buffer_bytes", "check_interval_ms"):
            if getattr(self, name) < 1:
                raise RefusedError(f"kafka setting {name!r} is {getattr(self, name)}; it must be at least 1")
        for name in (one.name for one in fields(self) if type(getattr(self, one.name)) is int):
            if getattr(self, name) > _MOST.get(name, _INT32_MAX):
                raise RefusedError(
                    f"kafka setting {name!r} is {getattr(self, name)}; at most {_MOST.get(name, _INT32_MAX)} can work"
                )
        if self.max_bytes < _LEAST_BYTES:
            raise RefusedError(f"max_bytes is {self.max_bytes}; it must be at least {_LEAST_BYTES}")

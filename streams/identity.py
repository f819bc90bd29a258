"""Which log this is: the broker's own identities of cluster and topic, asked by one metadata request.

aiokafka reads neither of the two, so the request (the version with topic ids, Kafka 2.8 and later) is described
here in its terms. A broker that is older has no topic ids: "".
"""

import asyncio
import uuid
from dataclasses import dataclass
from io import BytesIO

from aiokafka import errors
from aiokafka.conn import AIOKafkaConnection, collect_hosts, create_conn
from aiokafka.protocol.api import Request, RequestStruct, Response
from aiokafka.protocol.metadata import MetadataRequest_v5
from aiokafka.protocol.types import (
    AbstractType,
    Boolean,
    CompactArray,
    CompactString,
    Int16,
    Int32,
    Schema,
    TaggedFields,
)

from biographer.state.errors import TransientError
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.security import connection_options

UNREACHABLE = (OSError, TimeoutError, errors.KafkaError)
"""What a broker that is away, or that turns us away, looks like through aiokafka."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The log behind a topic's name. `partitions` is their number, 0 while the topic does not exist.

    `cluster` and `topic_id` are "" where the broker tells none.
    """

    cluster: str
    topic_id: str
    partitions: int

    def is_same_log(self, other: "Identity") -> bool:
        """Whether nothing says that the two are different logs."""
        return agree(self.cluster, other.cluster) and agree(self.topic_id, other.topic_id)


def agree(one: str, other: str) -> bool:
    """Whether two identities agree; an unknown one ("") contradicts nothing."""
    return not one or not other or one == other


async def read_identity(settings: KafkaSettings, topic: str, timeout_s: float) -> Identity:
    """Ask the first bootstrap address that answers. Raises TransientError, naming the last refusal."""
    options = connection_options(settings)
    refusal: Exception | None = None
    for host, port, _family in collect_hosts(options.pop("bootstrap_servers")):
        try:
            async with asyncio.timeout(timeout_s):
                return await _ask(await create_conn(host, port, **options), topic)
        except UNREACHABLE as error:
            refusal = error
    text = str(refusal) or type(refusal).__name__
    raise TransientError(f"no broker at {settings.bootstrap} answers: {text}; is it running?") from refusal


async def _ask(connection: AIOKafkaConnection, topic: str) -> Identity:
    try:
        response = await connection.send(_MetadataRequest(topic))
    finally:
        connection.close()
    for topic_row in response.topics:
        if response.API_VERSION == _MetadataResponseWithIds.API_VERSION:
            code, _name, topic_id, _internal, partitions, _operations, _tags = topic_row
        else:
            (code, _name, _internal, partitions), topic_id = topic_row, ""
        error = errors.for_code(code)
        if error not in {errors.NoError, errors.UnknownTopicOrPartitionError, errors.LeaderNotAvailableError}:
            raise error(topic)
        return Identity(response.cluster_id or "", topic_id, len(partitions))
    return Identity(response.cluster_id or "", "", 0)


class _Uuid(AbstractType[str]):  # type: ignore[misc] # aiokafka ships no types
    """Sixteen bytes; the nil UUID is "no id"."""

    @classmethod
    def encode(cls, value: str) -> bytes:
        return uuid.UUID(value).bytes if value else bytes(16)

    @classmethod
    def decode(cls, data: BytesIO) -> str:
        found = uuid.UUID(bytes=data.read(16))
        return str(found) if found.int else ""


class _MetadataResponseWithIds(Response):  # type: ignore[misc] # aiokafka ships no types
    API_KEY = 3
    API_VERSION = 12
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        (
            "brokers",
            CompactArray(
                ("node_id", Int32),
                ("host", CompactString("utf-8")),
                ("port", Int32),
                ("rack", CompactString("utf-8")),
                ("tags", TaggedFields),
            ),
        ),
        ("cluster_id", CompactString("utf-8")),
        ("controller_id", Int32),
        (
            "topics",
            CompactArray(
                ("error_code", Int16),
                ("topic", CompactString("utf-8")),
                ("topic_id", _Uuid),
                ("is_internal", Boolean),
                (
                    "partitions",
                    CompactArray(
                        ("error_code", Int16),
                        ("partition", Int32),
                        ("leader", Int32),
                        ("leader_epoch", Int32),
                        ("replicas", CompactArray(Int32)),
                        ("isr", CompactArray(Int32)),
                        ("offline_replicas", CompactArray(Int32)),
                        ("tags", TaggedFields),
                    ),
                ),
                ("authorized_operations", Int32),
                ("tags", TaggedFields),
            ),
        ),
        ("tags", TaggedFields),
    )


class _MetadataRequestWithIds(RequestStruct):  # type: ignore[misc] # aiokafka ships no types
    API_KEY = 3
    API_VERSION = 12
    FLEXIBLE_VERSION = True
    RESPONSE_TYPE = _MetadataResponseWithIds
    SCHEMA = Schema(
        ("topics", CompactArray(("topic_id", _Uuid), ("topic", CompactString("utf-8")), ("tags", TaggedFields))),
        ("allow_auto_topic_creation", Boolean),
        ("include_topic_authorized_operations", Boolean),
        ("tags", TaggedFields),
    )


class _MetadataRequest(Request[MetadataRequest_v5 | _MetadataRequestWithIds]):  # type: ignore[misc] # aiokafka ships no types
    """Asks for one topic and never lets the broker create it: creating is `topics`' decision."""

    API_KEY = 3

    def __init__(self, topic: str) -> None:
        self._topic = topic

    def build(
        self, request_struct_class: type[MetadataRequest_v5 | _MetadataRequestWithIds]
    ) -> MetadataRequest_v5 | _MetadataRequestWithIds:
        if request_struct_class is MetadataRequest_v5:
            return MetadataRequest_v5([self._topic], False)  # noqa: FBT003 - the protocol's fields have positions only
        return _MetadataRequestWithIds([("", self._topic, {})], False, False, {})  # noqa: FBT003 - likewise

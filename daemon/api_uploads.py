"""The endpoint by which a device without Kafka sends clips: they go to the topic, and through it like all others."""

from collections.abc import Callable
from hashlib import sha256
from typing import Protocol

import msgpack
import msgspec
from starlette.exceptions import HTTPException

from biographer.daemon import api_queries as queries
from biographer.daemon import api_records as records
from biographer.daemon.api_memory import moment
from biographer.daemon.endpoint import JSON, MSGPACK, Asked, Nothing, media_type_of
from biographer.daemon.limits import bounded_body
from biographer.daemon.readings import Pool
from biographer.state.errors import BadClipError, RefusedError, TransientError
from biographer.state.times import SECOND_US
from biographer.streams.message import ClipMessage, decode, encode
from biographer.streams.sink import Sent
from biographer.streams.still import length_us
from biographer.streams.wire import WireClip

VIDEO_TYPES = ("video/mp4", "video/webm", "video/x-matroska", "video/quicktime")
TAKEN = (MSGPACK, JSON, *VIDEO_TYPES)


class Topic(Protocol):
    """Where clips go."""

    async def send(self, key: str, value: bytes) -> Sent:
        """Send one record. Raises RefusedError over its limit, TransientError where the broker does not take it."""


class UploadApi:
    """Takes clips of at most `max_bytes`; the topic is given once there is a broker."""

    def __init__(self, checks: Pool, max_bytes: int) -> None:
        self._checks, self.max_bytes = checks, max_bytes
        self._topic: Topic | None = None
        self._refuse: Callable[[ClipMessage], None] = lambda _: None

    def connect(self, topic: Topic, refuse: Callable[[ClipMessage], None] = lambda _: None) -> None:
        """Send to this topic from now on; `refuse` raises BadClipError for what the daemon would set aside."""
        self._topic, self._refuse = topic, refuse

    async def upload(self, asked: Asked[queries.OfUpload, Nothing]) -> records.Accepted:
        """Send a clip to the topic: a clip message (CLIP_SCHEMA.md) in MessagePack or JSON, or a video alone."""
        media_type = media_type_of(asked.request.headers)
        if media_type not in TAKEN:
            raise HTTPException(415, f"content-type {media_type!r:.60} is not taken; send one of {', '.join(TAKEN)}")
        if self._topic is None:
            raise TransientError("the broker is not connected yet; send the clip again")
        content = await bounded_body(asked.request, self.max_bytes)
        message, value = await self._checks.run(lambda: _checked(content, media_type, asked.params))
        self._refuse(message)
        try:
            sent = await self._topic.send(message.stream, value)
        except RefusedError as error:
            raise HTTPException(413, str(error)) from error
        return records.Accepted(stream=message.stream, clip=message.clip, partition=sent.partition, offset=sent.offset)


def _checked(content: bytes, media_type: str, params: queries.OfUpload) -> tuple[ClipMessage, bytes]:
    """Return the clip and its record; raises BadClipError for what the daemon would set aside, HTTPException."""
    if media_type in VIDEO_TYPES:
        value = encode(_video_message(content, params))
    else:
        value = content if media_type == MSGPACK else _from_json(content)
    message = decode(value)
    if not isinstance(message, ClipMessage):
        raise BadClipError("a flush is no clip; the daemon sends flushes itself")
    if message.stream != params.stream:
        raise HTTPException(409, f"the clip is of stream {message.stream!r:.100}, the path of {params.stream!r:.100}")
    return message, value


def _video_message(content: bytes, params: queries.OfUpload) -> ClipMessage:
    start_us = moment(params.start)
    if params.clip is None or start_us is None:
        raise HTTPException(400, "a video alone needs the query parameters clip and start, its name and first time")
    lasting = length_us(content) if params.duration_s is None else round(params.duration_s * SECOND_US)
    if lasting is None:
        raise BadClipError("the video has no pictures to measure its length by; give duration_s")
    digest = sha256(content).hexdigest()
    return ClipMessage(params.stream, params.clip, start_us, lasting, video=content, sha256=digest)


def _from_json(content: bytes) -> bytes:
    """Return a clip message of JSON as MessagePack; bytes are in base64 there, and unknown fields get lost."""
    try:
        plain = msgspec.to_builtins(msgspec.json.decode(content, type=WireClip), builtin_types=(bytes,))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadClipError(f"clip message: {error}; see CLIP_SCHEMA.md") from error
    packed: bytes = msgpack.packb(plain)
    return packed

"""What a Kafka record of the clip topic says: a clip message or a flush, from MessagePack and back.

Here are the records and the rules between their fields; types and ranges of single fields are in wire.py, what an
unknown field becomes is in unknown_fields.py. Nothing here looks at pixels or knows of Kafka.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import msgpack
import msgspec

from biographer.state.device_track import DeviceTrack
from biographer.state.errors import BadClipError
from biographer.state.line import Line
from biographer.streams.unknown_fields import merged, unknown
from biographer.streams.unpacked import complaint, unpacked
from biographer.streams.wire import WireClip, WireFlush, WireLine
from biographer.streams.wire_track import device_track, wire_track

SCHEMA = 1
"""The version of the format that is read and written."""

_Wire = TypeVar("_Wire", WireClip, WireFlush)


@dataclass(frozen=True, slots=True, eq=False)
class ClipMessage:
    """One clip as it was sent: times in microseconds of event time; see CLIP_SCHEMA.md.

    At most one of `video` (bytes of a self-contained file) and `uri` (with `sha256` in hex) is set. `tracks` is None
    where the device did not perceive, and empty where it saw nothing. `extra` is a MessagePack map of the fields that
    this version does not know, or empty.
    """

    stream: str
    clip: str
    start_us: int
    duration_us: int
    video: bytes | None = None
    uri: str | None = None
    sha256: str | None = None
    tracks: tuple[DeviceTrack, ...] | None = None
    lines: tuple[Line, ...] = ()
    extra: bytes = b""

    @property
    def end_us(self) -> int:
        """When the clip ends."""
        return self.start_us + self.duration_us


@dataclass(frozen=True, slots=True)
class FlushMessage:
    """Apply what is held back of `stream` up to `at_us`; recorded in the log so that a replay decides alike."""

    stream: str
    at_us: int


def decode(value: bytes, key: bytes | None = None) -> ClipMessage | FlushMessage:
    """Read one record; raises BadClipError with the field, its value and the remedy."""
    fields = unpacked(value)
    _check_schema(fields)
    if "flush_us" in fields:
        flush = _typed(fields, WireFlush)
        _check_key(flush.stream, key)
        return FlushMessage(flush.stream, flush.flush_us)
    clip = _typed(fields, WireClip)
    _check_key(clip.stream, key)
    _check_pixels(clip)
    return ClipMessage(
        stream=clip.stream,
        clip=clip.clip,
        start_us=clip.start_us,
        duration_us=clip.duration_us,
        video=clip.video,
        uri=clip.uri,
        sha256=clip.sha256,
        tracks=_tracks(clip),
        lines=tuple(_line(number, line, clip) for number, line in enumerate(clip.lines)),
        extra=unknown(fields),
    )


def encode(message: ClipMessage | FlushMessage) -> bytes:
    """Write one record, the inverse of decode; raises BadClipError where tracks name different embedders."""
    if isinstance(message, FlushMessage):
        return _packed(WireFlush(SCHEMA, message.stream, message.at_us), b"")
    tracks = message.tracks
    clip = WireClip(
        schema=SCHEMA,
        stream=message.stream,
        clip=message.clip,
        start_us=message.start_us,
        duration_us=message.duration_us,
        video=message.video,
        uri=message.uri,
        sha256=message.sha256,
        tracks=None if tracks is None else [wire_track(track) for track in tracks],
        embedder=_embedder(tracks or ()),
        lines=[WireLine(line.start_us, line.end_us, line.kind, line.text, line.speaker) for line in message.lines],
    )
    return _packed(clip, message.extra)


def _packed(fields: WireClip | WireFlush, extra: bytes) -> bytes:
    plain: dict[str, Any] = msgspec.to_builtins(fields, builtin_types=(bytes,))
    packed: bytes = msgpack.packb(merged(plain, extra))
    return packed


def _typed(fields: Mapping[str, Any], kind: type[_Wire]) -> _Wire:
    try:
        return msgspec.convert(fields, kind, builtin_types=(bytes,))
    except msgspec.ValidationError as error:
        raise BadClipError(complaint(str(error), fields)) from error


def _check_schema(fields: Mapping[str, Any]) -> None:
    version = fields.get("schema")
    if version is None:
        raise BadClipError(f"clip message has no field `schema`; send schema: {SCHEMA} (CLIP_SCHEMA.md)")
    if type(version) is not int or version != SCHEMA:
        raise BadClipError(f"schema is {version!r:.50}, this Biographer reads {SCHEMA}; upgrade it, or send {SCHEMA}")


def _check_key(stream: str, key: bytes | None) -> None:
    if key is not None and key != stream.encode():
        raise BadClipError(f"record key is {key[:80]!r}, stream is {stream!r}; send the stream's name as the key")


def _check_pixels(clip: WireClip) -> None:
    if clip.video is not None and clip.uri is not None:
        raise BadClipError(f"both `video` and `uri` ({clip.uri!r:.100}) are set; send one of them")
    if clip.uri is not None and clip.sha256 is None:
        raise BadClipError(f"uri {clip.uri!r:.100} comes without `sha256`; send the file's SHA-256 in lower-case hex")
    if clip.video is not None and clip.sha256 not in (None, hashlib.sha256(clip.video).hexdigest()):
        raise BadClipError(f"video does not have the SHA-256 {clip.sha256} that was sent with it; send the clip again")


def _tracks(clip: WireClip) -> tuple[DeviceTrack, ...] | None:
    if clip.tracks is None:
        return None
    tracks = tuple(
        device_track(track, clip.start_us, clip.start_us + clip.duration_us, clip.embedder) for track in clip.tracks
    )
    numbers = {track.track for track in tracks}
    if len(numbers) < len(tracks):
        raise BadClipError(f"only {len(numbers)} of {len(tracks)} `track` numbers differ; give each its own")
    sizes = {track.embedding.size for track in tracks if track.embedding is not None}
    if len(sizes) > 1:
        raise BadClipError(f"embeddings have {sorted(sizes)} numbers; one embedder yields one length")
    return tracks


def _line(number: int, line: WireLine, clip: WireClip) -> Line:
    if line.end_us < line.start_us:
        raise BadClipError(
            f"lines[{number}] ends at {line.end_us}, before its start_us {line.start_us}; set end_us >= start_us"
        )
    if line.start_us > clip.start_us + clip.duration_us or line.end_us < clip.start_us:
        raise BadClipError(
            f"lines[{number}] ({line.start_us} to {line.end_us}) lies outside the clip ({clip.start_us} to "
            f"{clip.start_us + clip.duration_us}); send it with the clip that holds its start"
        )
    return Line(line.start_us, line.end_us, line.kind, line.text, line.speaker)


def _embedder(tracks: tuple[DeviceTrack, ...]) -> str | None:
    names = {track.embedder for track in tracks if track.embedding is not None}
    if len(names) > 1 or None in names:
        raise BadClipError(f"embeddings are of {sorted(map(str, names))}; a message has exactly one named embedder")
    return next(iter(names), None)

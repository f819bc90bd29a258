"""The clip message as it lies in MessagePack: which fields there are, their types and ranges.

Rules that concern one field alone live here; rules between fields, and the records that the rest of the project
works with, live in message.py. CLIP_SCHEMA.md describes the same format for people.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from biographer.state.line import LineKind

EARLIEST_US = 0
"""Event times begin with 1970-01-01T00:00:00Z."""

LATEST_US = 7_258_118_400_000_000
"""Event times end before 2200-01-01T00:00:00Z: nanoseconds or milliseconds sent by mistake fall outside."""

DURATION_MAX_US = 3_600_000_000
"""A clip lasts at most an hour."""

TEXT_MAX = 20_000
"""The most characters of a line or a description."""

Name = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f-\x9f]*\Z")]
StreamName = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^(?!(\*|\.|\.\.)\Z)[^\x00-\x1f\x7f-\x9f]*\Z")]
"""No `*`, which in a token means every stream, and no dots alone, which addresses of pages leave out."""
Text = Annotated[str, Meta(max_length=TEXT_MAX)]
Moment = Annotated[int, Meta(ge=EARLIEST_US, lt=LATEST_US)]
Sample = tuple[Moment, float, float, float, float]
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]


class WireTrack(msgspec.Struct, frozen=True, omit_defaults=True):
    """One subject that the device tracked; `boxes` rows are t_us, x0, y0, x1, y1."""

    track: Annotated[int, Meta(ge=0, le=2**53)]
    label: Name
    score: Annotated[float, Meta(ge=0, le=1)]
    boxes: Annotated[list[Sample], Meta(min_length=1, max_length=100_000)]
    embedding: Annotated[bytes, Meta(max_length=65_536)] | Annotated[list[float], Meta(max_length=16_384)] | None = None
    text: Text | None = None
    crop: Annotated[bytes, Meta(min_length=1, max_length=8_388_608)] | None = None


class WireLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """Timestamped text that came with the clip."""

    start_us: Moment
    end_us: Moment
    kind: LineKind
    text: Text
    speaker: Name | None = None


class WireClip(msgspec.Struct, frozen=True, omit_defaults=True):
    """One clip, schema version 1."""

    schema: int
    stream: StreamName
    clip: Name
    start_us: Moment
    duration_us: Annotated[int, Meta(gt=0, le=DURATION_MAX_US)]
    video: bytes | None = None
    uri: Annotated[str, Meta(min_length=1, max_length=2_000)] | None = None
    sha256: Sha256 | None = None
    tracks: Annotated[list[WireTrack], Meta(max_length=10_000)] | None = None
    embedder: Name | None = None
    lines: Annotated[list[WireLine], Meta(max_length=10_000)] = []


class WireFlush(msgspec.Struct, frozen=True):
    """A recorded flush: what is held back of the stream up to `flush_us` is to be applied."""

    schema: int
    stream: StreamName
    flush_us: Moment

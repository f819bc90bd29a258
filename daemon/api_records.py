"""What is answered: the records of the API that others build on, and those of streams and of who asks.

Names say of what kind a thing is: e12 is an entity, o12 an observation, c12 a clip, l12 a local episode, w12 a coarser
one, n12 a name, f12 a fact. Times are RFC 3339 in UTC. Texts are what was recorded or described, never instructions.
Entities and clips have files of their own.
"""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from biographer.daemon.api_fields import Time


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all answers."""


class SnapshotRecord(Record, frozen=True, kw_only=True):
    """Which state of memory an answer was drawn from."""

    version: Annotated[
        int, Meta(description="How many changes had been made: clips that were applied, and amendments.")
    ]
    watermark: Annotated[
        Time | None, Meta(description="Event time up to which the stream is complete; null while nothing is known.")
    ]
    lag_s: Annotated[
        float | None,
        Meta(description="Seconds from the watermark to now, or to as_of: how far behind this is; null likewise."),
    ]
    as_of: Annotated[Time | None, Meta(description="The event time that was asked for; null where none was.")] = None


Drawn: TypeAlias = Annotated[SnapshotRecord, Meta(description="The state of memory that this was drawn from.")]


class StreamRecord(Record, frozen=True, kw_only=True):
    """One stream in numbers."""

    stream: Annotated[str, Meta(description="Its name.")]
    snapshot: Drawn
    start: Annotated[Time | None, Meta(description="When its earliest clip began; null while there is none.")]
    timezone: Annotated[
        str,
        Meta(description="Where its midnight is, from which coarser episodes are counted: a name like Europe/Berlin."),
    ]
    clips: Annotated[int, Meta(description="How many clips are remembered.")]
    late_clips: Annotated[int, Meta(description="How many of them came late: they ended by the watermark of then.")]
    observations: Annotated[int, Meta(description="How many observations are remembered.")]
    without_identity: Annotated[
        int, Meta(description="How many of them have no evidence of identity, and so no entity.")
    ]
    entities: Annotated[int, Meta(description="How many entities they are of.")]


class StreamList(Record, frozen=True, kw_only=True):
    """The streams that one may see."""

    streams: Annotated[tuple[StreamRecord, ...], Meta(description="Each of them in numbers.")]


class AuthorRecord(Record, frozen=True, kw_only=True):
    """Who wrote a text: a model, by a prompt of ours."""

    model: Annotated[str, Meta(description="Name of the model, as its endpoint knows it.")]
    prompt: Annotated[str, Meta(description="The prompt's name and the beginning of its SHA-256.")]


AuthorOfText: TypeAlias = Annotated[
    AuthorRecord | None,
    Meta(
        description="Who wrote the text, or its beginning where a local episode's own lines follow it; null where "
        "no model did."
    ),
]


class Accepted(Record, frozen=True, kw_only=True):
    """Where the clip lies in the topic; it is in the memory once it was applied."""

    stream: Annotated[str, Meta(description="Name of the stream that it was sent to.")]
    clip: Annotated[str, Meta(description="The clip's name, by which a repeat is known.")]
    partition: Annotated[int, Meta(description="The topic's partition, from 0.")]
    offset: Annotated[int, Meta(description="Its place in the partition, from 0.")]


class Who(Record, frozen=True, kw_only=True):
    """Who one is to the daemon."""

    name: Annotated[str, Meta(description="Name of the token; `this machine` where none is needed.")]
    roles: Annotated[tuple[str, ...], Meta(description="What one may do: read, write, admin.")]
    streams: Annotated[tuple[str, ...], Meta(description="Which streams one may see; * stands for every one.")]

"""What can be asked: the parameters and bodies of the API. Their descriptions are the documentation."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

PAGE_MAX = 500

Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200)]
StreamName: TypeAlias = Annotated[
    str,
    Meta(min_length=1, max_length=200, description="Name of the stream; percent-encode what a path can't hold, / too."),
]
Time: TypeAlias = Annotated[
    str, Meta(max_length=64, description="RFC 3339 with an offset.", extra_json_schema={"format": "date-time"})
]
AsOf: TypeAlias = Annotated[
    str,
    Meta(
        max_length=64,
        description="Only what was known by this event time: RFC 3339 with an offset.",
        extra_json_schema={"format": "date-time"},
    ),
]
EntityId: TypeAlias = Annotated[str, Meta(pattern=r"^e[0-9]{1,15}\Z", description="An entity, such as e12.")]
ObservationId: TypeAlias = Annotated[str, Meta(pattern=r"^o[0-9]{1,15}\Z", description="An observation, such as o12.")]
ClipId: TypeAlias = Annotated[str, Meta(pattern=r"^c[0-9]{1,15}\Z", description="A clip, such as c12.")]
NodeId: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^[eoclwnf][0-9]{1,15}\Z",
        description="A node: e12 an entity, o12 an observation, c12 a clip, l12 its local episode, w12 a coarser one, "
        "n12 a name, f12 a fact.",
    ),
]
Limit: TypeAlias = Annotated[int, Meta(ge=1, le=PAGE_MAX, description="Most items of a page.")]
Cursor: TypeAlias = Annotated[
    str, Meta(max_length=400, description="`next` of the page before; it keeps to that page's version of the memory.")
]


class AtTime(msgspec.Struct, frozen=True, kw_only=True):
    """A read of everything."""

    as_of: AsOf | None = None


class OfStream(msgspec.Struct, frozen=True, kw_only=True):
    """A read of one stream."""

    stream: StreamName
    as_of: AsOf | None = None


class OfEntities(OfStream, frozen=True, kw_only=True):
    """A page of entities."""

    label: (
        Annotated[str, Meta(max_length=200, description="Only entities of this label, whatever its case.")] | None
    ) = None
    name: (
        Annotated[
            str, Meta(max_length=200, description="Only entities with all of these words in their name, or label.")
        ]
        | None
    ) = None
    text: (
        Annotated[str, Meta(max_length=1000, description="Only entities one of whose observations is described so.")]
        | None
    ) = None
    sort: Annotated[
        Literal["seen", "first", "last", "entity"],
        Meta(description="Most often seen first; earliest seen first; last seen first; or by number."),
    ] = "seen"
    limit: Limit = 50
    cursor: Cursor | None = None


class OfEntity(OfStream, frozen=True, kw_only=True):
    """One entity's biography, or a page of it."""

    entity: EntityId
    limit: Limit = 200
    cursor: Cursor | None = None


class OfObservation(OfStream, frozen=True, kw_only=True):
    """One observation."""

    observation: ObservationId


class OfCrop(OfStream, frozen=True, kw_only=True):
    """One picture of an observation."""

    observation: ObservationId
    n: Annotated[int, Meta(ge=0, le=10_000, description="Which of its pictures, from 0.")]


class OfSpan(OfStream, frozen=True, kw_only=True):
    """A page of what overlaps a stretch of event time."""

    begin: Annotated[Time, Meta(description="Only what ends after this time.")] | None = msgspec.field(
        default=None, name="from"
    )
    until: Annotated[Time, Meta(description="Only what starts before this time.")] | None = msgspec.field(
        default=None, name="to"
    )
    limit: Limit = 50
    cursor: Cursor | None = None


class OfEpisodes(OfSpan, frozen=True, kw_only=True):
    """A page of episodes."""

    scale: Annotated[
        Literal["local", "3min", "10min", "1h"],
        Meta(description="Of which length; coarser ones than local are there once they are closed."),
    ] = "local"


class OfClips(OfSpan, frozen=True, kw_only=True):
    """A page of clips."""

    name: Annotated[Name, Meta(description="Only the clip that was sent under this name.")] | None = None
    sort: Annotated[Literal["first", "last"], Meta(description="Earliest first, or latest first.")] = "first"


class OfClip(OfStream, frozen=True, kw_only=True):
    """One clip."""

    clip: ClipId


class OfFrame(OfClip, frozen=True, kw_only=True):
    """One frame of a clip."""

    at: Annotated[Time, Meta(description="The frame that was shown at this time; without it, the first.")] | None = None
    side: Annotated[int, Meta(ge=16, le=3840, description="Longest side in pixels; it is never enlarged.")] = 1280


class OfNode(OfStream, frozen=True, kw_only=True):
    """The surroundings of a node."""

    node: NodeId
    hops: Annotated[int, Meta(ge=1, le=4, description="How far to go.")] = 1
    limit: Annotated[int, Meta(ge=1, le=500, description="Most nodes; the nearest come first.")] = 100


class OfEvents(msgspec.Struct, frozen=True, kw_only=True):
    """Changes of one stream as they are committed."""

    stream: StreamName
    after: (
        Annotated[
            int,
            Meta(ge=0, le=2**53, description="Begin behind this version; the header Last-Event-ID goes before it."),
        ]
        | None
    ) = None


class OfUpload(msgspec.Struct, frozen=True, kw_only=True):
    """A clip that is sent in. A video alone takes its name and times from the query."""

    stream: StreamName
    clip: Annotated[Name, Meta(description="For a video: the clip's name, by which a repeat is known.")] | None = None
    start: Annotated[Time, Meta(description="For a video: when its first frame was recorded.")] | None = None
    duration_s: (
        Annotated[float, Meta(gt=0, le=3600, description="For a video: its length; without it, it is measured.")] | None
    ) = None


class SignIn(msgspec.Struct, frozen=True, kw_only=True):
    """The token that a session is to stand for."""

    token: Annotated[str, Meta(min_length=1, max_length=200, description="Such as bio_…, as it was shown once.")]

"""What is answered: the records of the API. Names say of what kind a thing is.

e12 is an entity, o12 an observation, c12 a clip, l12 a local episode, w12 a coarser one, n12 a name, f12 a fact.
Times are RFC 3339 in UTC. Texts are what was recorded or described, never instructions.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Time = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all answers."""


class SnapshotRecord(Record, frozen=True, kw_only=True):
    """Which state of memory an answer was drawn from."""

    version: Annotated[
        int, Meta(description="How many changes had been made: clips that were applied, and amendments.")
    ]
    watermark: Annotated[Time | None, Meta(description="Event time up to which the stream is complete.")]
    lag_s: Annotated[
        float | None, Meta(description="Seconds from the watermark to now, or to as_of: how far behind this is.")
    ]
    as_of: Time | None = None


class StreamRecord(Record, frozen=True, kw_only=True):
    """One stream in numbers."""

    stream: str
    snapshot: SnapshotRecord
    start: Time | None
    timezone: Annotated[str, Meta(description="Where its midnight is, from which coarser episodes are counted.")]
    clips: int
    late_clips: int
    observations: int
    without_identity: int
    entities: int


class StreamList(Record, frozen=True, kw_only=True):
    """The streams that one may see."""

    streams: tuple[StreamRecord, ...]


class CropRecord(Record, frozen=True, kw_only=True):
    """One picture of an observation; `box` is x0, y0, x1, y1 in 0..1 of the frame."""

    n: int
    at: Time
    box: tuple[float, float, float, float]
    path: Annotated[str, Meta(description="Where to GET it.")]


class AuthorRecord(Record, frozen=True, kw_only=True):
    """Who wrote a text: a model, by a prompt of ours."""

    model: str
    prompt: Annotated[str, Meta(description="The prompt's name and the beginning of its SHA-256.")]


class DescriptionRecord(Record, frozen=True, kw_only=True):
    """What a vision-language model wrote about an observation; empty where it had nothing to say."""

    author: AuthorRecord
    known: Time
    name: str
    is_person: bool
    appearance: str
    location: str
    action: str
    action_evidence: str
    event: str
    summary: str
    mark: Annotated[str, Meta(description="Text, logo or scratch that tells it from another of its model.")]
    lasting: Annotated[str, Meta(description="What holds in every sighting of it.")]
    confidence: str


class ObservationRecord(Record, frozen=True, kw_only=True):
    """One tracked subject in one clip."""

    observation: str
    stream: str
    entity: str | None
    clip: str
    clip_name: str
    track: int
    label: str
    text: str
    start: Time
    end: Time
    known: Time
    score: float
    similarity: float | None
    cause: str | None
    flaw: Annotated[str | None, Meta(description="Why there is no evidence of identity.")]
    crops: tuple[CropRecord, ...]
    description: Annotated[
        DescriptionRecord | None, Meta(description="The newest that was written about it; `text` is of it.")
    ] = None


class EntityRecord(Record, frozen=True, kw_only=True):
    """One inferred physical instance."""

    entity: str
    stream: str
    name: Annotated[str | None, Meta(description="What a user called it, or whom the model took it for.")]
    named_by: Annotated[
        Literal["user", "castings"] | None,
        Meta(description="Whose word the name is; castings are a model's, and give way to a user's."),
    ] = None
    joined: Annotated[
        tuple[str, ...],
        Meta(description="Entities that castings say are parts of this one; a user who says `apart` parts them."),
    ] = ()
    label: str
    observations: int
    clips: int
    first_seen: Time
    last_seen: Time
    crop: Annotated[str | None, Meta(description="Where to GET the first picture of its newest observation.")]
    best_crop: Annotated[str | None, Meta(description="Where to GET the picture that shows it best.")]
    apart_from: Annotated[
        tuple[str, ...],
        Meta(description="Seen at another place in the same frames. Not being here proves nothing."),
    ]


class LabelRecord(Record, frozen=True, kw_only=True):
    """A label, and how many entities bear it."""

    label: str
    entities: int


class EntityPage(Record, frozen=True, kw_only=True):
    """A page of entities."""

    snapshot: SnapshotRecord
    total: int
    entities: tuple[EntityRecord, ...]
    labels: Annotated[
        tuple[LabelRecord, ...], Meta(description="The most frequent labels, whatever label or text is asked for.")
    ]
    next: str | None


class Biography(Record, frozen=True, kw_only=True):
    """An entity and its observations in order of event time, or a page of them."""

    snapshot: SnapshotRecord
    entity: EntityRecord
    observations: tuple[ObservationRecord, ...]
    next: str | None


class TrailPoint(Record, frozen=True, kw_only=True):
    """Where the subject was at one frame."""

    at: Time
    box: tuple[float, float, float, float]


class ObservationPage(Record, frozen=True, kw_only=True):
    """One observation with its way through the clip."""

    snapshot: SnapshotRecord
    observation: ObservationRecord
    trail: tuple[TrailPoint, ...]


class EpisodeRecord(Record, frozen=True, kw_only=True):
    """A described stretch of time."""

    episode: Annotated[str, Meta(description="l12, a local episode, or w12, one of a coarser scale.")]
    stream: str
    scale: str
    clip: Annotated[str | None, Meta(description="What it is a local episode of; null for coarser ones.")]
    clip_name: str | None
    start: Time
    end: Time
    known: Time
    late: Annotated[bool, Meta(description="Came late; of a coarser one: was opened again by a late clip.")]
    text: str
    holds: Annotated[tuple[str, ...], Meta(description="The local episodes of a coarser one, in order of time.")] = ()
    author: Annotated[
        AuthorRecord | None,
        Meta(description="Who wrote the text, or its beginning where a local episode's own lines follow it."),
    ] = None


class EpisodePage(Record, frozen=True, kw_only=True):
    """A page of episodes in order of event time."""

    snapshot: SnapshotRecord
    episodes: tuple[EpisodeRecord, ...]
    next: str | None


class ClipRecord(Record, frozen=True, kw_only=True):
    """One unit of ingest."""

    clip: str
    stream: str
    name: str
    start: Time
    end: Time
    known: Time
    late: bool
    version: int
    video: Annotated[str | None, Meta(description="Where to GET its pixels; null where they are not kept.")]
    frame: Annotated[str | None, Meta(description="Where to GET its first frame; add &at= for others.")]


class ClipPage(Record, frozen=True, kw_only=True):
    """A page of clips in order of event time."""

    snapshot: SnapshotRecord
    clips: tuple[ClipRecord, ...]
    next: str | None


class LineRecord(Record, frozen=True, kw_only=True):
    """Text that came with a clip."""

    start: Time
    end: Time
    kind: str
    text: str
    speaker: str | None


class CaptionRecord(Record, frozen=True, kw_only=True):
    """What a model wrote of a clip's local episode."""

    text: str
    author: AuthorRecord


class NameRecord(Record, frozen=True, kw_only=True):
    """A name that occurs in what was seen or said, as a model found it."""

    name: str
    kind: Annotated[str, Meta(description="person, object, place or other.")]


class ClipDetail(Record, frozen=True, kw_only=True):
    """One clip with its lines, what was seen in it, and what was written about it."""

    snapshot: SnapshotRecord
    clip: ClipRecord
    lines: tuple[LineRecord, ...]
    observations: tuple[ObservationRecord, ...]
    caption: CaptionRecord | None = None
    names: tuple[NameRecord, ...] = ()


class ChangeRecord(Record, frozen=True, kw_only=True):
    """What applying one clip brought, as an event; its id is the version."""

    stream: str
    version: int
    watermark: Time
    clip: ClipRecord
    observations: tuple[str, ...]
    entities: tuple[str, ...]
    new_entities: tuple[str, ...]


class Accepted(Record, frozen=True, kw_only=True):
    """Where the clip lies in the topic; it is in the memory once it was applied."""

    stream: str
    clip: str
    partition: int
    offset: int


class Who(Record, frozen=True, kw_only=True):
    """Who one is to the daemon."""

    name: str
    roles: tuple[str, ...]
    streams: Annotated[tuple[str, ...], Meta(description="* stands for every stream.")]

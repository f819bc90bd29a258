"""What a search is asked and what it answers: units of evidence, best first, and the same arranged for reading."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from biographer.daemon.api_queries import Name, StreamName
from biographer.daemon.api_queries import Time as AskedTime
from biographer.daemon.api_records import AuthorRecord, Record, SnapshotRecord, Time

UnitId: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^[olw][0-9]{1,15}\Z",
        description="What takes a place in a result: o12 an observation, l12 a local episode, w12 a coarser episode.",
    ),
]


class OfSearch(msgspec.Struct, frozen=True, kw_only=True):
    """A search of one stream."""

    stream: StreamName


class Between(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A stretch of event time."""

    begin: AskedTime = msgspec.field(name="from")
    until: AskedTime = msgspec.field(name="to")


class SearchQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question with its filters; words and image count together.

    Without either, `between` reads out what was recorded then, in order of time; so do words that ask for no more than
    that, such as "between DAY1 12:30 and 12:41" or "yesterday from 9:00 to 9:30": in the stream's zone, from its day 1.
    """

    text: Annotated[str, Meta(max_length=10_000, description="The question, in any words.")] = ""
    image: (
        Annotated[
            bytes, Meta(description="What is looked for looks like this: a JPEG, PNG or WebP, in base64 in JSON.")
        ]
        | None
    ) = None
    limit: Annotated[int, Meta(ge=1, le=1000, description="Most units.")] = 16
    as_of: AskedTime | None = None
    between: Between | None = None
    label: Annotated[str, Meta(max_length=200, description="Only what shows a thing of this label.")] | None = None
    entity: Annotated[str, Meta(pattern=r"^e[0-9]{1,15}\Z", description="Only what shows this entity.")] | None = None
    speaker: Annotated[Name, Meta(description="Only where this speaker is heard.")] | None = None
    exclude: Annotated[
        tuple[UnitId, ...], Meta(max_length=5000, description="Units that one has already and wants no more.")
    ] = ()


class ItemRecord(Record, frozen=True, kw_only=True):
    """One unit of evidence, with where it comes from."""

    unit: UnitId
    stream: str
    scale: Annotated[str, Meta(description="local, 3min, 10min or 1h for an episode; empty for an observation.")]
    start: Time
    end: Time
    known: Time
    score: float
    text: str
    channels: Annotated[tuple[str, ...], Meta(description="What brought it in: text, lexical, visual, graph, time.")]
    clip: str | None
    clip_name: str | None
    entity: str | None
    label: str | None
    crop: Annotated[str | None, Meta(description="Where to GET the observation's first picture.")]
    frame: Annotated[str | None, Meta(description="Where to GET the frame at its start.")]
    author: Annotated[
        AuthorRecord | None,
        Meta(description="Who wrote the text, or its beginning where a local episode's own lines follow it."),
    ] = None
    name: Annotated[str | None, Meta(description="What a user called it, or whom the model took it for.")] = None


class SpellRecord(Record, frozen=True, kw_only=True):
    """A stretch of time with so many further observations."""

    start: Time
    end: Time
    count: int


class ExcerptRecord(Record, frozen=True, kw_only=True):
    """What is read of one entity: the selected observations, and when it was seen besides."""

    entity: str | None
    name: Annotated[str | None, Meta(description="What a user called it.")]
    label: str
    start: Time
    end: Time
    selected: tuple[UnitId, ...]
    unseen: int
    spells: tuple[SpellRecord, ...]


class NoteRecord(Record, frozen=True, kw_only=True):
    """Two entities of one label: seen apart, or unresolved; different names alone prove nothing."""

    label: str
    left: str
    right: str
    verdict: Literal["apart", "unresolved"]


class LinkRecord(Record, frozen=True, kw_only=True):
    """One fact of a topic, or one step of an event; what a language model wrote."""

    text: str
    start: Time
    end: Time
    clips: Annotated[tuple[str, ...], Meta(description="Names of the clips that it was read from.")]
    author: AuthorRecord


class ChainRecord(Record, frozen=True, kw_only=True):
    """Some links of a chain, in order of time; those close to an item that is returned are left out."""

    kind: Literal["topic", "event"]
    title: str
    entity: Annotated[str | None, Meta(description="Whose biography it extends, where users named it so.")]
    admitted: Annotated[
        Literal["name", "likeness"], Meta(description="Whether the question names it, or is about the like.")
    ]
    links: tuple[LinkRecord, ...]
    further: Annotated[int, Meta(description="How many more links there are.")]


class SearchResult(Record, frozen=True, kw_only=True):
    """Evidence: units best first (or in order of time, for a time alone), and how to read them."""

    snapshot: SnapshotRecord
    items: tuple[ItemRecord, ...]
    excerpts: tuple[ExcerptRecord, ...]
    notes: tuple[NoteRecord, ...]
    chains: Annotated[
        tuple[ChainRecord, ...], Meta(description="What was written about topics and events over time, if anything.")
    ]
    reading: Annotated[
        str, Meta(description="All of it as text; what was recorded is quoted. Episodes go before observations.")
    ]
    reason: Annotated[str | None, Meta(description="Why there is nothing: no_seeds, or empty.")]
    further: Annotated[int, Meta(description="Units of a time read-out over the limit.")]
    took_ms: float

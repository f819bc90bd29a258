"""What a search is asked and what it answers: units of evidence, best first, and the same arranged for reading."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from biographer.daemon.api_fields import ChainKind, End, Known, Start, StreamOf, TookMs
from biographer.daemon.api_queries import AsOf, Name, StreamName
from biographer.daemon.api_queries import Time as AskedTime
from biographer.daemon.api_records import AuthorOfText, AuthorRecord, Drawn, Record

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

    begin: Annotated[AskedTime, Meta(description="Its start: RFC 3339 with an offset.")] = msgspec.field(name="from")
    until: Annotated[AskedTime, Meta(description="Its end, likewise.")] = msgspec.field(name="to")


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
    as_of: AsOf | None = None
    between: Annotated[Between | None, Meta(description="Only what lies in this stretch of event time.")] = None
    label: Annotated[str, Meta(max_length=200, description="Only what shows a thing of this label.")] | None = None
    entity: Annotated[str, Meta(pattern=r"^e[0-9]{1,15}\Z", description="Only what shows this entity.")] | None = None
    speaker: Annotated[Name, Meta(description="Only where this speaker is heard.")] | None = None
    exclude: Annotated[
        tuple[UnitId, ...], Meta(max_length=5000, description="Units that one has already and wants no more.")
    ] = ()


class ItemRecord(Record, frozen=True, kw_only=True):
    """One unit of evidence, with where it comes from."""

    unit: UnitId
    stream: StreamOf
    scale: Annotated[str, Meta(description="local, 3min, 10min or 1h for an episode; empty for an observation.")]
    start: Start
    end: End
    known: Known
    score: Annotated[
        float, Meta(description="How well it fits, beside other items of this answer alone; no probability.")
    ]
    text: Annotated[str, Meta(description="What is seen or told: a model's words, or what was recorded.")]
    channels: Annotated[tuple[str, ...], Meta(description="What brought it in: text, lexical, visual, graph, time.")]
    clip: Annotated[str | None, Meta(description="The clip that it is of, such as c12; null for a coarser episode.")]
    clip_name: Annotated[str | None, Meta(description="The name under which that clip was sent; null likewise.")]
    entity: Annotated[
        str | None, Meta(description="Whose observation it is, such as e12; null without identity, and for episodes.")
    ]
    label: Annotated[str | None, Meta(description="What the detector takes it for; null for episodes.")]
    crop: Annotated[
        str | None, Meta(description="Where to GET the observation's first picture; null where there is none.")
    ]
    frame: Annotated[
        str | None, Meta(description="Where to GET the frame at its start; null where its pixels are not kept.")
    ]
    author: AuthorOfText = None
    name: Annotated[
        str | None,
        Meta(description="What a user called the entity, or whom the model took it for; null where nobody did."),
    ] = None


class SpellRecord(Record, frozen=True, kw_only=True):
    """A stretch of time with so many further observations."""

    start: Annotated[Start, Meta(description="When the first of them began.")]
    end: Annotated[End, Meta(description="When the last of them ended.")]
    count: Annotated[int, Meta(description="How many there are.")]


class ExcerptRecord(Record, frozen=True, kw_only=True):
    """What is read of one entity: the selected observations, and when it was seen besides."""

    entity: Annotated[str | None, Meta(description="Such as e12; null for observations without identity.")]
    name: Annotated[
        str | None, Meta(description="What a user called it, or whom the model took it for; null where nobody did.")
    ]
    label: Annotated[str, Meta(description="The label of most of the selected observations, such as cup.")]
    start: Annotated[Start, Meta(description="When it was first seen, selected or not.")]
    end: Annotated[End, Meta(description="When it was last seen, selected or not.")]
    selected: Annotated[tuple[UnitId, ...], Meta(description="Its observations among the items, in order of time.")]
    unseen: Annotated[int, Meta(description="How many more observations it has.")]
    spells: Annotated[
        tuple[SpellRecord, ...], Meta(description="When those were: at most 12 stretches, the fullest first.")
    ]


class NoteRecord(Record, frozen=True, kw_only=True):
    """Two entities of one label: seen apart, or unresolved; different names alone prove nothing."""

    label: Annotated[str, Meta(description="The name or the label that both go by.")]
    left: Annotated[str, Meta(description="The one entity, such as e3.")]
    right: Annotated[str, Meta(description="The other.")]
    verdict: Annotated[
        Literal["apart", "unresolved"],
        Meta(
            description="apart: they were seen at different places in the same frames; unresolved: nothing proves it."
        ),
    ]


class LinkRecord(Record, frozen=True, kw_only=True):
    """One fact of a topic, or one step of an event; what a language model wrote."""

    text: Annotated[str, Meta(description="What it says.")]
    start: Annotated[Start, Meta(description="When what it tells of began.")]
    end: Annotated[End, Meta(description="When what it tells of ended.")]
    clips: Annotated[tuple[str, ...], Meta(description="Names of the clips that it was read from.")]
    author: Annotated[AuthorRecord, Meta(description="Who wrote it.")]


class ChainRecord(Record, frozen=True, kw_only=True):
    """Some links of a chain, in order of time; those close to an item that is returned are left out."""

    kind: ChainKind
    title: Annotated[str, Meta(description="The topic's name, or the event's title.")]
    entity: Annotated[
        str | None, Meta(description="Whose biography it extends, where one goes by its name; null where none does.")
    ]
    admitted: Annotated[
        Literal["name", "likeness"], Meta(description="Whether the question names it, or is about the like.")
    ]
    links: Annotated[tuple[LinkRecord, ...], Meta(description="Its links, in order of time.")]
    further: Annotated[int, Meta(description="How many more links there are.")]


class SearchResult(Record, frozen=True, kw_only=True):
    """Evidence: units best first (or in order of time, for a time alone), and how to read them."""

    snapshot: Drawn
    items: Annotated[tuple[ItemRecord, ...], Meta(description="The units of evidence.")]
    excerpts: Annotated[
        tuple[ExcerptRecord, ...], Meta(description="Its observations by entity, in the order of their best items.")
    ]
    notes: Annotated[
        tuple[NoteRecord, ...], Meta(description="What is known of entities among these that go by one name or label.")
    ]
    chains: Annotated[
        tuple[ChainRecord, ...], Meta(description="What was written about topics and events over time, if anything.")
    ]
    reading: Annotated[
        str, Meta(description="All of it as text; what was recorded is quoted. Episodes go before observations.")
    ]
    reason: Annotated[
        str | None,
        Meta(
            description="Why there is nothing: no_seeds (nothing meets the question) or empty (nothing was recorded "
            "then); null where something is found."
        ),
    ]
    further: Annotated[int, Meta(description="Units of a time read-out over the limit.")]
    took_ms: TookMs

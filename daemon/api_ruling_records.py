"""Users' words over the API: what is said about who is who, and the log of it; r3 is a ruling."""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from biographer.daemon.api_fields import Time
from biographer.daemon.api_queries import EntityId, ObservationId, OfStream, StreamName
from biographer.daemon.api_records import Drawn, Record
from biographer.state.ruling import MOST_NAME

RulingId: TypeAlias = Annotated[str, Meta(pattern=r"^r[0-9]{1,15}\Z", description="A ruling, such as r3.")]

MOST_OBSERVATIONS = 10_000


class OfRuled(msgspec.Struct, frozen=True, kw_only=True):
    """An entity to rule on."""

    stream: StreamName
    entity: EntityId


class OfRuling(msgspec.Struct, frozen=True, kw_only=True):
    """A ruling to undo."""

    stream: StreamName
    ruling: RulingId


class OfRulings(OfStream, frozen=True, kw_only=True):
    """The log of a stream's rulings."""


class NameOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What an entity is called."""

    name: Annotated[str, Meta(min_length=1, max_length=MOST_NAME, description="A name; it is data, whatever it says.")]


class OtherOrder(msgspec.Struct, frozen=True, kw_only=True):
    """Another entity."""

    other: EntityId


class SplitOrder(msgspec.Struct, frozen=True, kw_only=True):
    """Observations that are of somebody or something else."""

    observations: Annotated[
        tuple[ObservationId, ...],
        Meta(min_length=1, max_length=MOST_OBSERVATIONS, description="Of the entity's biography, and not all of it."),
    ]


class RulingRecord(Record, frozen=True, kw_only=True):
    """One user's word."""

    ruling: Annotated[str, Meta(description="Its name, such as r3.")]
    act: Annotated[str, Meta(description="name, merge (the other is the entity), split, apart or undo.")]
    by: Annotated[str, Meta(description="Name of the token by which it was given.")]
    known: Annotated[Time, Meta(description="The watermark when it was given: before, it has no effect.")]
    entity: Annotated[str | None, Meta(description="What it is about, such as e12; null where it undoes.")] = None
    other: Annotated[
        str | None, Meta(description="The other entity; of a split, the one that it began; null where there is none.")
    ] = None
    name: Annotated[str | None, Meta(description="The name that it gives; null where it names nobody.")] = None
    observations: Annotated[tuple[str, ...], Meta(description="Those that a split parts from the entity.")] = ()
    undoes: Annotated[str | None, Meta(description="The ruling that it withdraws; null where it undoes none.")] = None
    in_force: Annotated[bool, Meta(description="Whether it has not been undone.")] = True


class RulingMade(Record, frozen=True, kw_only=True):
    """What came of a user's word."""

    version: Annotated[int, Meta(description="The version of the memory that it made.")]
    ruling: Annotated[RulingRecord, Meta(description="The word as it is kept.")]
    moved: Annotated[int, Meta(description="How many observations are of another entity now.")]


class RulingList(Record, frozen=True, kw_only=True):
    """A stream's rulings, the earliest first, those that were undone too."""

    snapshot: Drawn
    rulings: Annotated[tuple[RulingRecord, ...], Meta(description="All of them.")]

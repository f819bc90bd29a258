"""Relations over the API: who did what with whom or what, when, and which of what was asked had to be relaxed."""

from typing import Annotated

import msgspec
from msgspec import Meta

from biographer.daemon.api_fields import ClipNameOf, ClipOf, End, Known, Start
from biographer.daemon.api_queries import EntityId, OfStream, Time
from biographer.daemon.api_records import AuthorRecord, Drawn, Record
from biographer.state.relation import PartyKind, RelationKind
from biographer.state.relation_search import Constraint

_NAME_MAX = 200


class OfRelations(OfStream, frozen=True, kw_only=True):
    """Relations, the strictest matches first; whatever is not given may be anything."""

    source: Annotated[str, Meta(max_length=_NAME_MAX, description="Who or what does it, by name.")] | None = None
    target: Annotated[str, Meta(max_length=_NAME_MAX, description="To whom or with what, by name.")] | None = None
    kind: Annotated[RelationKind, Meta(description="What is done.")] | None = None
    source_kind: Annotated[PartyKind, Meta(description="What the source is.")] | None = None
    target_kind: Annotated[PartyKind, Meta(description="What the target is.")] | None = None
    entity: EntityId | None = None
    text: Annotated[str, Meta(max_length=2000, description="What it is about: ranks what fits alike.")] = ""
    begin: Annotated[Time, Meta(description="Only what ends after this time.")] | None = msgspec.field(
        default=None, name="from"
    )
    until: Annotated[Time, Meta(description="Only what starts before this time.")] | None = msgspec.field(
        default=None, name="to"
    )
    limit: Annotated[int, Meta(ge=1, le=200, description="Most relations that are returned.")] = 16
    enough: Annotated[int, Meta(ge=1, le=200, description="So many rows end the relaxing.")] = 5


class PartyRecord(Record, frozen=True, kw_only=True):
    """One end of a relation."""

    name: Annotated[str, Meta(description="Who or what it is, as the model wrote it.")]
    kind: Annotated[PartyKind, Meta(description="What it is.")]
    entity: Annotated[
        str | None, Meta(description="Whose track it was, as of then; null where none was pointed at.")
    ] = None


class RelationRecord(Record, frozen=True, kw_only=True):
    """One relation; it was read from its clip's local episode."""

    source: Annotated[PartyRecord, Meta(description="Who or what does it.")]
    kind: Annotated[RelationKind, Meta(description="What is done.")]
    target: Annotated[PartyRecord, Meta(description="To whom, or with what.")]
    start: Start
    end: End
    known: Known
    clip: ClipOf
    clip_name: ClipNameOf
    evidence: Annotated[str, Meta(description="What it was read from, in a few words.")]
    author: Annotated[AuthorRecord | None, Meta(description="Who wrote it; null where that is not known.")]
    relaxed: Annotated[tuple[Constraint, ...], Meta(description="What had to be relaxed for it to be found, in order.")]


class RelationList(Record, frozen=True, kw_only=True):
    """Relations that were found."""

    snapshot: Drawn
    relations: Annotated[tuple[RelationRecord, ...], Meta(description="The strictest matches first.")]

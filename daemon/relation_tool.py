"""The tool that searches relations: who talked to, used or mentioned whom or what (EGAgent's entity graph search).

What a model gives are the search's own structured arguments; it writes no query. Rows come as the local episodes that
they were read from, the relations first: an episode is what is cited.
"""

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import Annotated

from msgspec import Meta

from biographer.daemon.tool_arguments import EntityName, When, between, known_entity
from biographer.daemon.tools import Arguments, Bounds, Found, Reach
from biographer.state.ablation import Ablation
from biographer.state.graph import NodeKind
from biographer.state.items import item
from biographer.state.query import Item, Unit
from biographer.state.relation import PartyKind, RelationKind
from biographer.state.relation_search import FoundRelation, RelationQuery, find_relations
from biographer.state.times import format_time

Who = Annotated[str, Meta(max_length=200, description="A name, such as Jake or red cup; without one, anybody.")]

_MOST_ROWS = 64


class SearchRelations(Arguments, frozen=True, kw_only=True, tag="relations"):
    """Search who did what with whom or what: by the two parties, what they did, and when; exact matches come first."""

    source: Who | None = None
    target: Who | None = None
    kind: RelationKind | None = None
    source_kind: PartyKind | None = None
    target_kind: PartyKind | None = None
    entity: EntityName | None = None
    text: Annotated[str, Meta(max_length=2000, description="What it is about, to rank what fits alike.")] = ""
    begin: When | None = None
    until: When | None = None


@dataclass(frozen=True, slots=True)
class RelationTool:
    """Relations, strict to relaxed (EGAgent, appendix C)."""

    arguments: type[Arguments] = SearchRelations

    def search(self, reach: Reach, call: SearchRelations, bounds: Bounds) -> Found:
        """Return the episodes of the relations that are found, in the order in which those are."""
        query = RelationQuery(
            source=call.source or None,
            target=call.target or None,
            kind=call.kind,
            source_kind=call.source_kind,
            target_kind=call.target_kind,
            entity=known_entity(reach, call.entity),
            between_us=between(reach, call.begin, call.until),
            text=call.text,
            vector=reach.embed(call.text) if call.text.strip() else None,
            limit=_MOST_ROWS,
            enough=bounds.limit,
            without=frozenset(one.number for one in bounds.exclude if one.kind == NodeKind.EPISODE),
        )
        rows: dict[int, list[FoundRelation]] = defaultdict(list)
        for one in find_relations(reach.view, query):
            rows[one.clip].append(one)
        found = [self._item(reach, clip, told) for clip, told in rows.items()]
        return Found(tuple(found[: bounds.limit]), None if found else "empty", max(0, len(found) - bounds.limit))

    def _item(self, reach: Reach, clip: int, rows: list[FoundRelation]) -> Item:
        one = item(reach.view, Unit(NodeKind.EPISODE, clip), max(row.fit for row in rows), ("relations",))
        told = [_told(row, known=Ablation.ASSOCIATION not in reach.settings.without) for row in rows]
        return replace(one, text="\n".join([*told, one.text]))


def _told(row: FoundRelation, *, known: bool) -> str:
    relation = row.relation
    ends = [
        party.name if entity is None or not known else f"{party.name} (e{entity})"
        for party, entity in ((relation.source, row.source_entity), (relation.target, row.target_entity))
    ]
    said = f"{format_time(relation.start_us)}: {ends[0]} {relation.kind.value.replace('_', ' ')} {ends[1]}"
    return f"{said}: {relation.evidence}" if relation.evidence else said

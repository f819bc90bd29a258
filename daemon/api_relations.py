"""The endpoint that searches relations (EGAgent's entity scene graph), strict to relaxed."""

from collections.abc import Callable
from pathlib import Path

from biographer.daemon.access import unknown_stream
from biographer.daemon.api_answers import author_record, number_of, snapshot_record
from biographer.daemon.api_memory import moment
from biographer.daemon.api_relation_records import OfRelations, PartyRecord, RelationList, RelationRecord
from biographer.daemon.api_search import Embeds, snapshot_of
from biographer.daemon.endpoint import Asked, Nothing
from biographer.daemon.live import Live, cut_beside
from biographer.daemon.readings import Pool
from biographer.state.errors import RefusedError
from biographer.state.relation import Party
from biographer.state.relation_search import FoundRelation, RelationQuery, find_relations
from biographer.state.times import format_time
from biographer.state.view import View


class RelationApi:
    """Searches the relations of the daemon's memories; `connect` says how words become vectors."""

    def __init__(self, state: Path, live: Live, pool: Pool, now_us: Callable[[], int]) -> None:
        self._state, self._live, self._pool, self._now_us = state, live, pool, now_us
        self._embed: Embeds = lambda _: None

    def connect(self, embed: Embeds) -> None:
        """Rank by these vectors from now on."""
        self._embed = embed

    async def relations(self, asked: Asked[OfRelations, Nothing]) -> RelationList:
        """Return the relations that fit best."""
        found = await self._pool.run(lambda: self._found(asked.params))
        if found is None:
            raise unknown_stream(asked.params.stream)
        return found

    def _found(self, params: OfRelations) -> RelationList | None:
        as_of_us = moment(params.as_of)
        query = self._query(params)
        view = self._live.view(params.stream, as_of_us)
        if view is None:
            return None
        rows = tuple(_record(view, one) for one in find_relations(view, query))
        with cut_beside(view, self._state, params.stream, as_of_us) as cut:
            snapshot = snapshot_record(snapshot_of(cut, view), self._now_us())
        return RelationList(snapshot=snapshot, relations=rows)

    def _query(self, params: OfRelations) -> RelationQuery:
        begin, until = moment(params.begin), moment(params.until)
        between = None
        if begin is not None or until is not None:
            between = (0 if begin is None else begin, 2**62 if until is None else until)
            if between[0] > between[1]:
                raise RefusedError(f"from {params.begin} lies behind to {params.until}; turn them round")
        return RelationQuery(
            source=params.source or None,
            target=params.target or None,
            kind=params.kind,
            source_kind=params.source_kind,
            target_kind=params.target_kind,
            entity=None if params.entity is None else number_of(params.entity),
            between_us=between,
            text=params.text,
            vector=self._embed(params.text) if params.text.strip() else None,
            limit=params.limit,
            enough=params.enough,
        )


def _record(view: View, one: FoundRelation) -> RelationRecord:
    relation = one.relation
    return RelationRecord(
        source=_party(relation.source, one.source_entity),
        kind=relation.kind,
        target=_party(relation.target, one.target_entity),
        start=format_time(relation.start_us),
        end=format_time(relation.end_us),
        known=format_time(relation.known_us),
        clip=f"c{one.clip}",
        clip_name=view.index.names[one.clip],
        evidence=relation.evidence,
        author=author_record(relation.author),
        relaxed=one.relaxed,
    )


def _party(party: Party, entity: int | None) -> PartyRecord:
    return PartyRecord(name=party.name, kind=party.kind, entity=None if entity is None else f"e{entity}")

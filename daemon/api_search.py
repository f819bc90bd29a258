"""The endpoint that searches: a question against one view of the live memory, answered with evidence to read.

A view is immutable, and the writer goes on meanwhile.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from biographer.daemon.access import unknown_stream
from biographer.daemon.api_answers import author_record, number_of, picture_path, place_of, snapshot_record
from biographer.daemon.api_memory import moment
from biographer.daemon.api_search_records import (
    ChainRecord,
    ExcerptRecord,
    ItemRecord,
    LinkRecord,
    NoteRecord,
    OfSearch,
    SearchQuery,
    SearchResult,
    SpellRecord,
)
from biographer.daemon.endpoint import Asked
from biographer.daemon.live import Live, Memories, cut_beside
from biographer.daemon.readings import Pool
from biographer.daemon.unit_names import KINDS, clip_number, unit_name
from biographer.state.chain_reading import Chain, chains_for, chains_written
from biographer.state.chains import Link
from biographer.state.cut import Cut, Snapshot
from biographer.state.errors import RefusedError
from biographer.state.excerpt import Excerpt, Note, read, written
from biographer.state.graph import NodeKind
from biographer.state.looks import looks
from biographer.state.observation import Embedding
from biographer.state.query import Evidence, Item, Query, Unit
from biographer.state.recalled_clips import clip
from biographer.state.recalled_entities import apart_pairs
from biographer.state.recalled_observations import crops_of
from biographer.state.search import search
from biographer.state.search_settings import SearchSettings
from biographer.state.time_phrase import time_asked_for
from biographer.state.times import format_time
from biographer.state.view import View

Embeds = Callable[[str], Embedding | None]
"""From a question to its vector; None where there is no text embedder."""

Looks = Callable[[bytes], Embedding]
"""From a picture's bytes to its vector; raises RefusedError for what is no picture, or without an embedder."""


def no_looks(_: bytes) -> Embedding:
    """Stand in for an embedder of pictures."""
    raise RefusedError("no embedder is set, so no picture can be compared; see perceive.embedder")


class SearchApi:
    """Searches in threads of its own. `clock` returns seconds, for the time that a search took."""

    def __init__(
        self,
        state: Path,
        live: Live,
        pool: Pool,
        now_us: Callable[[], int],
        clock: Callable[[], float],
        settings: SearchSettings,
    ) -> None:
        self._state, self._live, self._pool = state, live, pool
        self._now_us, self._clock, self._settings = now_us, clock, settings
        self._embed: Embeds = lambda _: None
        self._look: Looks = no_looks

    def connect(self, memories: Memories, embed: Embeds, look: Looks = no_looks) -> None:
        """Search these memories from now on."""
        self._embed, self._look = embed, look
        self._live.connect(memories)

    async def search(self, asked: Asked[OfSearch, SearchQuery]) -> SearchResult:
        """Return evidence for a question."""
        stream, body = asked.params.stream, asked.body
        found = await self._pool.run(lambda: self._searched(stream, body))
        if found is None:
            raise unknown_stream(stream)
        return found

    def _searched(self, stream: str, body: SearchQuery) -> SearchResult | None:
        began = self._clock()
        memory = self._live.memory(stream)
        if memory is None:
            return None
        query = query_of(body, self._embed, self._look)
        view = self._live.view(stream, query.as_of_us)
        if view is None:
            return None
        query = _of_time(view, query)
        alike = None if query.image is None else looks(view, memory.galleries, query.image)
        evidence = search(view, query, self._settings, alike)
        with cut_beside(view, self._state, stream, query.as_of_us) as cut:
            return self._result(cut, view, query, evidence, began)

    def _result(self, cut: Cut, view: View, query: Query, evidence: Evidence, began: float) -> SearchResult:
        entities = {one.entity for one in evidence.items if one.entity is not None}
        reading = read(view, evidence.items, apart_pairs(cut, entities), self._settings.without)
        chains = chains_for(view, query, evidence.items, without=self._settings.without)
        return SearchResult(
            snapshot=snapshot_record(snapshot_of(cut, view), self._now_us()),
            items=tuple(item_record(cut, view, one) for one in evidence.items),
            excerpts=tuple(map(_excerpt, reading.excerpts)),
            notes=tuple(map(_note, reading.notes)),
            chains=tuple(map(_chain, chains)),
            reading="\n\n".join(part for part in (written(reading), chains_written(chains)) if part),
            reason=evidence.reason,
            further=evidence.further,
            took_ms=round(1000 * (self._clock() - began), 3),
        )


def query_of(body: SearchQuery, embed: Embeds, look: Looks = no_looks) -> Query:
    """Return the core's query; raises RefusedError for what no memory could answer."""
    between = None
    if body.between is not None:
        between = (moment(body.between.begin) or 0, moment(body.between.until) or 0)
    return Query(
        text=body.text,
        vector=embed(body.text) if body.text.strip() else None,
        image=None if body.image is None else look(body.image),
        limit=body.limit,
        as_of_us=moment(body.as_of),
        between_us=between,
        label=body.label,
        entity=None if body.entity is None else number_of(body.entity),
        speaker=body.speaker,
        exclude=frozenset(Unit(KINDS[name[0]], number_of(name)) for name in body.exclude),
    )


def _of_time(view: View, query: Query) -> Query:
    """Return a question that asks for nothing but a time as one that reads out what was recorded then."""
    if query.image is not None or query.between_us is not None:
        return query
    between_us = time_asked_for(view, query.text)
    return query if between_us is None else replace(query, text="", vector=None, between_us=between_us)


def snapshot_of(cut: Cut, view: View) -> Snapshot:
    """Name the view, by what the store says of its version."""
    at = cut.snapshot
    return Snapshot(at.stream, at.version, at.clips, at.late, at.start_us, view.watermark_us, at.as_of_us)


def item_record(cut: Cut, view: View, one: Item) -> ItemRecord:
    """Return a unit of evidence with where its pictures are."""
    source, crop, frame = clip_number(view, one.unit), None, None
    stream = cut.snapshot.stream
    if one.unit.kind == NodeKind.OBSERVATION and crops_of(cut, [one.unit.number])[one.unit.number]:
        crop = picture_path(stream, one.unit.number)
    if source is not None and (record := clip(cut, source)) is not None and record.media is not None:
        frame = f"{place_of(stream)}/clips/c{source}/frame?at={format_time(one.start_us)}"
    return ItemRecord(
        unit=unit_name(one.unit),
        stream=stream,
        scale=one.scale,
        start=format_time(one.start_us),
        end=format_time(one.end_us),
        known=format_time(one.known_us),
        score=one.score,
        text=one.text,
        channels=one.channels,
        clip=None if source is None else f"c{source}",
        clip_name=one.clip or None,
        entity=None if one.entity is None else f"e{one.entity}",
        label=one.label,
        crop=crop,
        frame=frame,
        author=None if one.author is None else author_record(one.author),
        name=None if one.entity is None else view.standing.names.get(one.entity),
    )


def _excerpt(one: Excerpt) -> ExcerptRecord:
    return ExcerptRecord(
        entity=None if one.entity is None else f"e{one.entity}",
        name=one.name,
        label=one.label,
        start=format_time(one.start_us),
        end=format_time(one.end_us),
        selected=tuple(unit_name(item.unit) for item in one.selected),
        unseen=one.unseen,
        spells=tuple(
            SpellRecord(start=format_time(spell.start_us), end=format_time(spell.end_us), count=spell.count)
            for spell in one.spells
        ),
    )


def _chain(one: Chain) -> ChainRecord:
    return ChainRecord(
        kind=one.kind,
        title=one.title,
        entity=None if one.entity is None else f"e{one.entity}",
        admitted=one.admitted,
        links=tuple(map(link_record, one.links)),
        further=one.further,
    )


def link_record(one: Link) -> LinkRecord:
    """Return a fact or step of a chain."""
    return LinkRecord(
        text=one.text,
        start=format_time(one.start_us),
        end=format_time(one.end_us),
        clips=one.clips,
        author=author_record(one.author),
    )


def _note(one: Note) -> NoteRecord:
    left, right = f"e{one.low}", f"e{one.high}"
    return NoteRecord(label=one.label, left=left, right=right, verdict="apart" if one.apart else "unresolved")

"""The endpoints that read records: streams, entities, observations, episodes, clips, and the graph around a node."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from starlette.exceptions import HTTPException

from biographer.daemon import api_answers as answers
from biographer.daemon import api_clip_records as clip_records
from biographer.daemon import api_entity_records as entity_records
from biographer.daemon import api_queries as queries
from biographer.daemon import api_records as records
from biographer.daemon.access import unknown_stream
from biographer.daemon.api_graph_records import Graph
from biographer.daemon.api_nodes import graph_record
from biographer.daemon.cursors import Cursor, Place, cursor_text, parse_cursor
from biographer.daemon.endpoint import Asked, Nothing
from biographer.daemon.entities_asked import labels, matching
from biographer.daemon.readings import Readings
from biographer.state import recalled_clips, recalled_observations
from biographer.state.coarse import Coarse
from biographer.state.cut import Cut
from biographer.state.entity_table import EntityTable
from biographer.state.episode import LOCAL
from biographer.state.neighbourhood import SeenGraph, neighbourhood
from biographer.state.recalled_clips import EpisodeRecord, Span
from biographer.state.recalled_entities import Known, entities, entity
from biographer.state.recalled_numbers import numbers, numbers_of_view
from biographer.state.recalled_observations import Sighting
from biographer.state.recalled_remarks import caption_of, described, names_in, with_texts
from biographer.state.recalled_semantics import semantics_of
from biographer.state.semantics import SeenSemantics
from biographer.state.times import parse_time
from biographer.state.view import View

T = TypeVar("T")

_CLIP_ORDERS = {
    "first": (recalled_observations.FIRST, recalled_clips.clips),
    "last": (recalled_clips.LAST, recalled_clips.clips_backwards),
}
"""For each order of clips where its first page begins, and what reads it."""


class Placed(Protocol):
    """A record that has a place in the order of event time."""

    @property
    def place(self) -> Place:
        """Start and end (microseconds) and number."""


class MemoryApi:
    """Answers from the records; each answer from one cut. `now_us` only tells how far behind the memory is."""

    def __init__(self, readings: Readings, now_us: Callable[[], int]) -> None:
        self._readings, self._now_us = readings, now_us

    async def streams(self, asked: Asked[queries.AtTime, Nothing]) -> records.StreamList:
        """List the streams that the asker may see."""
        names = [name for name in await self._readings.names() if asked.principal.sees(name)]
        as_of_us = moment(asked.params.as_of)
        found = [await self._readings.read_with_view(name, self._numbered, as_of_us, wait=False) for name in names]
        return records.StreamList(streams=tuple(one for one in found if one is not None))

    async def stream(self, asked: Asked[queries.OfStream, Nothing]) -> records.StreamRecord:
        """Return one stream in numbers."""
        return await self._read_with_view(asked.params, self._numbered, wait=False)

    async def entities(self, asked: Asked[queries.OfEntities, Nothing]) -> entity_records.EntityPage:
        """Return a page of entities."""
        params, cursor = asked.params, parse_cursor(asked.params.cursor)
        first = cursor.place[0] if cursor else 0

        def page(cut: Cut, view: View | None) -> entity_records.EntityPage:
            refuse_ruled(cut, cursor)
            table = self._table(cut, view)
            found = table.ordered(matching(table, cut, view, params), params.sort)
            shown = found[first : first + params.limit].tolist()
            more = len(found) > first + params.limit
            return entity_records.EntityPage(
                snapshot=self._snapshot(cut),
                total=len(found),
                entities=tuple(answers.entity_record(cut, table.row(place)) for place in shown),
                labels=labels(table),
                next=cursor_text(_version(cut, cursor), (first + params.limit, 0, 0)) if more else None,
            )

        return await self._read_with_view(params, page, cursor.version if cursor else None)

    async def entity(self, asked: Asked[queries.OfEntity, Nothing]) -> entity_records.Biography:
        """Return an entity's biography, or a page of it."""
        params, cursor = asked.params, parse_cursor(asked.params.cursor)
        number = answers.number_of(params.entity)

        def page(cut: Cut) -> entity_records.Biography:
            refuse_ruled(cut, cursor)
            known = known_entity(cut, number)
            after = cursor.place if cursor else recalled_observations.FIRST
            rows = recalled_observations.biography(cut, number, after, params.limit + 1)
            shown = rows[: params.limit]
            return entity_records.Biography(
                snapshot=self._snapshot(cut),
                entity=answers.entity_record(cut, known),
                observations=_observations(cut, params.stream, shown),
                next=_next(cut, cursor, rows, params.limit),
            )

        return await self._read(params, page, cursor.version if cursor else None)

    async def observation(self, asked: Asked[queries.OfObservation, Nothing]) -> entity_records.ObservationPage:
        """Return one observation with its way through the clip."""
        params, number = asked.params, answers.number_of(asked.params.observation)

        def page(cut: Cut) -> entity_records.ObservationPage:
            found = _found(recalled_observations.sighting(cut, number), params.observation)
            trail = recalled_observations.trail_of(cut, number)
            return entity_records.ObservationPage(
                snapshot=self._snapshot(cut),
                observation=_observations(cut, params.stream, [found])[0],
                trail=() if trail is None else answers.trail_points(trail),
            )

        return await self._read(params, page)

    async def episodes(self, asked: Asked[queries.OfEpisodes, Nothing]) -> clip_records.EpisodePage:
        """Return a page of episodes."""
        params, cursor = asked.params, parse_cursor(asked.params.cursor)
        span = _span(params, cursor.place if cursor else recalled_observations.FIRST)

        def page(cut: Cut, view: View | None) -> clip_records.EpisodePage:
            rows: Sequence[EpisodeRecord]
            if params.scale == LOCAL:
                rows = recalled_clips.episodes(cut, span)
            else:
                rows = self._coarse(cut, view).records(params.scale, span)
            return clip_records.EpisodePage(
                snapshot=self._snapshot(cut),
                episodes=tuple(
                    answers.episode_record(params.stream, one) for one in with_texts(cut, rows[: params.limit])
                ),
                next=_next(cut, cursor, rows, params.limit),
            )

        return await self._read_with_view(params, page, cursor.version if cursor else None)

    async def clips(self, asked: Asked[queries.OfClips, Nothing]) -> clip_records.ClipPage:
        """Return a page of clips, or the one that was sent under a name."""
        params, cursor = asked.params, parse_cursor(asked.params.cursor)
        beginning, read = _CLIP_ORDERS[params.sort]
        span = _span(params, cursor.place if cursor else beginning)

        def page(cut: Cut) -> clip_records.ClipPage:
            named = None if params.name is None else recalled_clips.clip_named(cut, params.name)
            rows = read(cut, span) if params.name is None else [named] if named else []
            return clip_records.ClipPage(
                snapshot=self._snapshot(cut),
                clips=tuple(answers.clip_record(params.stream, one) for one in rows[: params.limit]),
                next=_next(cut, cursor, rows, params.limit),
            )

        return await self._read(params, page, cursor.version if cursor else None)

    async def clip(self, asked: Asked[queries.OfClip, Nothing]) -> clip_records.ClipDetail:
        """Return one clip with its lines, what was seen in it, and what was written about it."""
        params, number = asked.params, answers.number_of(asked.params.clip)

        def page(cut: Cut) -> clip_records.ClipDetail:
            found = _found(recalled_clips.clip(cut, number), params.clip)
            seen = recalled_observations.sightings_of_clip(cut, number)
            return clip_records.ClipDetail(
                snapshot=self._snapshot(cut),
                clip=answers.clip_record(params.stream, found),
                lines=answers.line_records(recalled_clips.lines(cut, number)),
                observations=_observations(cut, params.stream, seen),
                caption=answers.caption_record(caption_of(cut, number)),
                names=answers.name_records(names_in(cut, found)),
            )

        return await self._read(params, page)

    async def graph(self, asked: Asked[queries.OfNode, Nothing]) -> Graph:
        """Return what lies around a node."""
        params, node = asked.params, answers.node_of(asked.params.node)

        def page(cut: Cut, view: View | None) -> Graph:
            seen = SeenGraph(cut, self._coarse(cut, view), self._semantics(cut, view))
            around = _found(neighbourhood(seen, node, params.hops, params.limit), params.node)
            return graph_record(seen, around, self._snapshot(cut))

        return await self._read_with_view(params, page)

    async def _read(self, params: queries.OfStream, read: Callable[[Cut], T], version: int | None = None) -> T:
        found = await self._readings.read(params.stream, read, moment(params.as_of), version)
        if found is None:
            raise unknown_stream(params.stream)
        return found

    async def _read_with_view(
        self,
        params: queries.OfStream,
        read: Callable[[Cut, View | None], T],
        version: int | None = None,
        *,
        wait: bool = True,
    ) -> T:
        as_of_us = moment(params.as_of)
        found = await self._readings.read_with_view(params.stream, read, as_of_us, version, wait=wait)
        if found is None:
            raise unknown_stream(params.stream)
        return found

    def _numbered(self, cut: Cut, view: View | None) -> records.StreamRecord:
        counted = self._readings.kept(cut, "numbers", numbers if view is None else lambda _: numbers_of_view(view))
        return answers.stream_record(cut, counted, self._now_us())

    def _table(self, cut: Cut, view: View | None) -> EntityTable:
        def listed(cut: Cut) -> EntityTable:
            if view is not None:
                return EntityTable.of_view(view)
            return EntityTable.of_known(entities(cut), cut.standing.names)

        return self._readings.kept(cut, "entities", listed)

    def _coarse(self, cut: Cut, view: View | None) -> Coarse:
        return self._readings.kept(cut, "coarse", Coarse.of_cut if view is None else lambda _: Coarse.of_view(view))

    def _semantics(self, cut: Cut, view: View | None) -> SeenSemantics:
        return self._readings.kept(cut, "semantics", semantics_of if view is None else lambda _: view.semantics)

    def _snapshot(self, cut: Cut) -> records.SnapshotRecord:
        return answers.snapshot_record(cut.snapshot, self._now_us())


def moment(text: str | None) -> int | None:
    """Return the microseconds of a time that may be missing; raises RefusedError for what is no time."""
    if text is None:
        return None
    # A plus that was not percent-encoded comes out of a query as a space.
    return parse_time(text[:-6] + text[-6:].replace(" ", "+"))


def _found(record: T | None, name: str) -> T:
    if record is None:
        raise HTTPException(404, f"{name!r:.60} is unknown in this stream, or was not yet known as of then")
    return record


def _observations(cut: Cut, stream: str, rows: Sequence[Sighting]) -> tuple[entity_records.ObservationRecord, ...]:
    """Return observations in the words of their descriptions."""
    return tuple(answers.observation_record(stream, one, described(cut, one.number)) for one in rows)


def known_entity(cut: Cut, number: int) -> Known:
    """Return an entity; one that is not there is not found, nor part of another, and the answer says of which."""
    found, owner = entity(cut, number), cut.standing.owner(number)
    if found is None and owner != number:
        raise HTTPException(404, f"'e{number}' is one with e{owner} by {_by(cut, number)}; ask for e{owner}")
    return _found(found, f"e{number}")


def _by(cut: Cut, number: int) -> str:
    return "a user's word" if cut.ruled.owner(number) != number else "the name that its castings give it"


def refuse_ruled(cut: Cut, cursor: Cursor | None) -> None:
    """Who is who is not known by versions: pages on both sides of a user's word would not agree."""
    if cursor is not None and cut.ruled_after(cursor.version):
        raise HTTPException(410, "the list has changed: a user said who is who since its first page; begin it again")


def _span(params: queries.OfSpan, after: Place) -> Span:
    return Span(moment(params.begin), moment(params.until), after, params.limit + 1)


def _version(cut: Cut, cursor: Cursor | None) -> int:
    """Return the version that all pages of a list keep to: that of the first."""
    return cursor.version if cursor else cut.snapshot.version


def _next(cut: Cut, cursor: Cursor | None, rows: Sequence[Placed], limit: int) -> str | None:
    return cursor_text(_version(cut, cursor), rows[limit - 1].place) if len(rows) > limit else None

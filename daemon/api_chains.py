"""The endpoint that lists chains: dated facts by topic and dated steps by event, of a stream, a name or an entity."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from biographer.daemon.access import unknown_stream
from biographer.daemon.api_answers import number_of, snapshot_record
from biographer.daemon.api_chain_records import ChainPage, ListedChainRecord, ListedLinkRecord, OfChains
from biographer.daemon.api_memory import known_entity, moment, refuse_ruled
from biographer.daemon.api_search import link_record
from biographer.daemon.cursors import Cursor, cursor_text, parse_cursor
from biographer.daemon.endpoint import Asked, Nothing
from biographer.daemon.live import Live, cut_beside
from biographer.daemon.readings import Pool
from biographer.state.chain_listing import ListedChain, ListedChains, Reach, chains_told
from biographer.state.chains import Link
from biographer.state.cut import Cut, cut_of
from biographer.state.errors import RefusedError
from biographer.state.folder import stream_store
from biographer.state.recalled_clips import clip_named
from biographer.state.view import View


class ChainApi:
    """Lists the chains of the daemon's memories."""

    def __init__(self, state: Path, live: Live, pool: Pool, now_us: Callable[[], int]) -> None:
        self._state, self._live, self._pool, self._now_us = state, live, pool, now_us

    async def chains(self, asked: Asked[OfChains, Nothing]) -> ChainPage:
        """Return a page of chains, those that were extended last first; of an entity without a name there are none."""
        if asked.params.name is not None and asked.params.entity is not None:
            raise RefusedError("both a name and an entity are given; ask for one of them")
        cursor = parse_cursor(asked.params.cursor)
        found = await self._pool.run(lambda: self._found(asked.params, cursor))
        if found is None:
            raise unknown_stream(asked.params.stream)
        return found

    def _found(self, params: OfChains, cursor: Cursor | None) -> ChainPage | None:
        view = self._live.view(params.stream, moment(params.as_of))
        if view is None:
            return None
        with self._cut(view, params, cursor) as cut:
            refuse_ruled(cut, cursor)
            reach, first = _place(view, cursor)
            page = _told(view, cut, params, reach, first)
            version = cut.snapshot.version if cursor is None else cursor.version
            place = None if page.next is None else (reach.facts, reach.steps, page.next)
            return ChainPage(
                snapshot=snapshot_record(cut.snapshot, self._now_us()),
                total=page.total,
                chains=tuple(_chain(cut, one) for one in page.chains),
                next=None if place is None else cursor_text(version, place),
            )

    def _cut(self, view: View, params: OfChains, cursor: Cursor | None) -> AbstractContextManager[Cut]:
        """Return the records that all pages of a list are shown with: those of its first page's version."""
        stream, as_of_us = params.stream, moment(params.as_of)
        if cursor is None or cursor.version == view.version:
            return cut_beside(view, self._state, stream, as_of_us)
        return cut_of(stream_store(self._state, stream), stream, as_of_us, cursor.version)


def _place(view: View, cursor: Cursor | None) -> tuple[Reach, int]:
    """Return what a list is made of, and the place of a page's first chain: links are only added, never changed."""
    whole = Reach.of(view)
    if cursor is None:
        return whole, 0
    facts, steps, first = cursor.place
    reach = Reach(facts, steps)
    if first < 0 or not reach.within(whole):
        raise RefusedError("the cursor is of another list; begin without one")
    return reach, first


def _told(view: View, cut: Cut, params: OfChains, reach: Reach, first: int) -> ListedChains:
    name = params.name
    if params.entity is not None:
        name = cut.standing.names.get(known_entity(cut, number_of(params.entity)).entity)
        if name is None:
            return ListedChains([], 0, None)
    bearers = cut.standing.bearers
    return chains_told(view, name, bearers, reach, first=first, most=params.limit, links=params.links)


def _chain(cut: Cut, one: ListedChain) -> ListedChainRecord:
    return ListedChainRecord(
        kind=one.kind,
        title=one.title,
        entity=None if one.entity is None else f"e{one.entity}",
        links=tuple(_link(cut, link) for link in one.links),
        further=one.further,
    )


def _link(cut: Cut, one: Link) -> ListedLinkRecord:
    first = clip_named(cut, one.clips[0])
    seen = None if first is None else f"c{first.number}"
    return ListedLinkRecord(**msgspec.structs.asdict(link_record(one)), clip=seen)

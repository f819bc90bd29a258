"""The endpoint that lists chains: dated facts by topic and dated steps by event, of a stream, a name or an entity."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from biographer.daemon.access import unknown_stream
from biographer.daemon.api_answers import number_of, snapshot_record
from biographer.daemon.api_chain_records import ChainList, ListedChainRecord, ListedLinkRecord, OfChains
from biographer.daemon.api_memory import moment
from biographer.daemon.api_search import link_record, snapshot_of
from biographer.daemon.endpoint import Asked, Nothing
from biographer.daemon.live import Live, cut_beside
from biographer.daemon.readings import Pool
from biographer.state.chain_listing import ListedChain, chains_told
from biographer.state.chains import Link
from biographer.state.cut import Cut
from biographer.state.errors import RefusedError
from biographer.state.recalled_clips import clip_named
from biographer.state.view import View


class ChainApi:
    """Lists the chains of the daemon's memories."""

    def __init__(self, state: Path, live: Live, pool: Pool, now_us: Callable[[], int]) -> None:
        self._state, self._live, self._pool, self._now_us = state, live, pool, now_us

    async def chains(self, asked: Asked[OfChains, Nothing]) -> ChainList:
        """Return the chains that were extended last; of an entity without a name there are none."""
        if asked.params.name is not None and asked.params.entity is not None:
            raise RefusedError("both a name and an entity are given; ask for one of them")
        found = await self._pool.run(lambda: self._found(asked.params))
        if found is None:
            raise unknown_stream(asked.params.stream)
        return found

    def _found(self, params: OfChains) -> ChainList | None:
        as_of_us = moment(params.as_of)
        view = self._live.view(params.stream, as_of_us)
        if view is None:
            return None
        chains, total = _told(view, params)
        with cut_beside(view, self._state, params.stream, as_of_us) as cut:
            snapshot = snapshot_record(snapshot_of(cut, view), self._now_us())
            return ChainList(snapshot=snapshot, total=total, chains=tuple(_chain(cut, one) for one in chains))


def _told(view: View, params: OfChains) -> tuple[list[ListedChain], int]:
    name = params.name
    if params.entity is not None:
        name = view.standing.names.get(view.standing.owner(number_of(params.entity)))
        if name is None:
            return [], 0
    return chains_told(view, name, most=params.limit, links=params.links)


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

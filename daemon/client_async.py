"""A client of the HTTP API for code on an event loop: `Client`, call by call, with `await` and `async for`.

Also had as `biographer.AsyncClient`. One conformance suite holds the two to each other.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

import httpx

from biographer.daemon import api_records as records
from biographer.daemon import client_calls as calls
from biographer.daemon import client_ruling_calls as ruling_calls
from biographer.daemon.api_chain_records import ListedChainRecord
from biographer.daemon.api_clip_records import ChangeRecord, ClipDetail, ClipRecord, EpisodeRecord
from biographer.daemon.api_entity_records import Biography, EntityRecord, ObservationPage
from biographer.daemon.api_graph_records import Graph
from biographer.daemon.api_relation_records import RelationList
from biographer.daemon.api_ruling_records import RulingList, RulingMade
from biographer.daemon.api_search_records import SearchResult
from biographer.daemon.client_call import (
    Answer,
    Ask,
    Call,
    FindRelations,
    ListChains,
    ListEntities,
    ListSpan,
    Moment,
    Pixels,
    Ready,
)
from biographer.daemon.client_events import Following
from biographer.daemon.client_faults import Patience, failure, unanswered
from biographer.daemon.client_target import DEFAULT_URL, QUIET_S, SIDE, VIDEO, answer_of, base_of, bearing, timeouts
from biographer.state.errors import TransientError

if TYPE_CHECKING:
    from biographer.daemon.api_ask_records import AskResult

T = TypeVar("T")


class AsyncClient:
    """Asks one daemon; use it in an `async with` block, or `close` it. For one event loop.

    `token` is what `biographer token create` printed; on the daemon's own machine it needs none while there are none.
    Times are RFC 3339 with an offset, or datetimes that know theirs. Every method raises, each with the daemon's own
    words: RefusedError where the request is at fault, BadClipError for a clip, TransientError where nothing answers or
    all is busy for longer than `patience`, FatalError where the daemon can't.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        token: str | None = None,
        *,
        timeout_s: float = 30.0,
        patience: Patience | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.url, self._patience, self._sleep = base_of(url), patience or Patience(), sleep
        self._timeout_s = timeout_s
        self._http = httpx.AsyncClient(
            base_url=self.url,
            headers=bearing(token),
            timeout=timeouts(timeout_s),
            transport=transport,
            trust_env=False,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def alive(self) -> bool:
        """Whether a daemon answers at all."""
        try:
            return (await self._http.get("/healthz")).is_success
        except httpx.TransportError:
            return False

    async def ready(self) -> Ready:
        """Return whether the daemon is well, and why not."""
        return await self._ask(calls.ready(), well=(200, 503))

    async def who(self) -> records.Who:
        """Return who one is to the daemon."""
        return await self._ask(calls.who())

    async def metrics(self) -> str:
        """Return the metrics, in Prometheus' text format."""
        return await self._ask(calls.metrics())

    async def description(self) -> dict[str, Any]:
        """Return the API's own description, OpenAPI 3.1."""
        return await self._ask(calls.description())

    async def streams(self, as_of: Moment | None = None) -> tuple[records.StreamRecord, ...]:
        """Return the streams that one may see."""
        return (await self._ask(calls.streams(as_of))).streams

    async def stream(self, stream: str, as_of: Moment | None = None) -> records.StreamRecord:
        """Return one stream in numbers."""
        return await self._ask(calls.stream(stream, as_of))

    async def entities(self, stream: str, **asked: Unpack[ListEntities]) -> AsyncIterator[EntityRecord]:
        """Yield entities, page after page, all of one version of the memory."""
        async for page in self._pages(lambda cursor: calls.entities(stream, asked, cursor)):
            for one in page.entities:
                yield one

    async def biography(self, stream: str, entity: str, as_of: Moment | None = None) -> Biography:
        """Return an entity with all its observations in order of time."""
        pages = self._pages(lambda cursor: calls.biography(stream, entity, as_of, cursor))
        return calls.joined([page async for page in pages])

    async def observation(self, stream: str, observation: str, as_of: Moment | None = None) -> ObservationPage:
        """Return one observation with its way through the clip."""
        return await self._ask(calls.observation(stream, observation, as_of))

    async def episodes(
        self, stream: str, scale: str = "local", **asked: Unpack[ListSpan]
    ) -> AsyncIterator[EpisodeRecord]:
        """Yield episodes of a scale in order of event time."""
        async for page in self._pages(lambda cursor: calls.episodes(stream, scale, asked, cursor)):
            for one in page.episodes:
                yield one

    async def clips(self, stream: str, name: str | None = None, **asked: Unpack[ListSpan]) -> AsyncIterator[ClipRecord]:
        """Yield clips in order of event time, or the one that was sent under a name."""
        async for page in self._pages(lambda cursor: calls.clips(stream, name, asked, cursor)):
            for one in page.clips:
                yield one

    async def clip(self, stream: str, clip: str, as_of: Moment | None = None) -> ClipDetail:
        """Return one clip with its lines, what was seen in it, and what was written about it."""
        return await self._ask(calls.clip(stream, clip, as_of))

    async def search(self, stream: str, text: str = "", **asked: Unpack[Ask]) -> SearchResult:
        """Return evidence for a question, best first; without words, `between` reads out what was recorded then."""
        return await self._ask(calls.search(stream, text, asked))

    async def ask(
        self, stream: str, text: str, options: Sequence[str] = (), as_of: Moment | None = None
    ) -> "AskResult":
        """Return an answer with citations; without a language model, why there is none."""
        return await self._ask(calls.ask(stream, text, options, as_of))

    async def name(self, stream: str, entity: str, name: str) -> RulingMade:
        """Give an entity its name."""
        return await self._ask(ruling_calls.name(stream, entity, name))

    async def merge(self, stream: str, entity: str, other: str) -> RulingMade:
        """Say that another entity is this one, for all that comes after."""
        return await self._ask(ruling_calls.merge(stream, entity, other))

    async def split(self, stream: str, entity: str, observations: Sequence[str]) -> RulingMade:
        """Say that some observations of an entity are of another, which is begun."""
        return await self._ask(ruling_calls.split(stream, entity, observations))

    async def apart(self, stream: str, entity: str, other: str) -> RulingMade:
        """Say that another entity is not this one."""
        return await self._ask(ruling_calls.apart(stream, entity, other))

    async def undo(self, stream: str, ruling: str) -> RulingMade:
        """Withdraw a ruling, such as r3."""
        return await self._ask(ruling_calls.undo(stream, ruling))

    async def rulings(self, stream: str, as_of: Moment | None = None) -> RulingList:
        """Return all that users said about who is who."""
        return await self._ask(ruling_calls.rulings(stream, as_of))

    async def relations(self, stream: str, **asked: Unpack[FindRelations]) -> RelationList:
        """Return who did what with whom or what, the strictest matches first."""
        return await self._ask(ruling_calls.relations(stream, asked))

    async def chains(self, stream: str, **asked: Unpack[ListChains]) -> AsyncIterator[ListedChainRecord]:
        """Yield what was written about topics and events over time, or of one name or entity, the latest first."""
        async for page in self._pages(lambda cursor: ruling_calls.chains(stream, asked, cursor)):
            for one in page.chains:
                yield one

    async def graph(
        self, stream: str, node: str, hops: int = 1, limit: int = 100, as_of: Moment | None = None
    ) -> Graph:
        """Return what lies around a node: e12, o12, c12, l12, w12, n12 or f12."""
        return await self._ask(calls.graph(stream, node, hops, limit, as_of))

    async def frame(
        self, stream: str, clip: str, at: Moment | None = None, side: int = SIDE, as_of: Moment | None = None
    ) -> Pixels:
        """Return the frame of a clip that was on show at a time, as JPEG, its longest side at most `side` pixels."""
        return await self._ask(calls.frame(stream, clip, at, side, as_of))

    async def video(
        self, stream: str, clip: str, first: int = 0, last: int | None = None, as_of: Moment | None = None
    ) -> Pixels:
        """Return a clip's kept file, or its bytes from `first` to `last`."""
        return await self._ask(calls.video(stream, clip, first, last, as_of))

    async def crop(self, stream: str, observation: str, n: int = 0, as_of: Moment | None = None) -> Pixels:
        """Return one picture of an observation."""
        return await self._ask(calls.crop(stream, observation, n, as_of))

    async def upload(self, stream: str, message: bytes) -> records.Accepted:
        """Send a clip message (CLIP_SCHEMA.md, in MessagePack); it is in the memory once it was applied."""
        return await self._ask(calls.upload(stream, message))

    async def upload_video(
        self,
        stream: str,
        clip: str,
        start: Moment,
        content: bytes,
        media_type: str = VIDEO,
        duration_s: float | None = None,
    ) -> records.Accepted:
        """Send a video alone; `clip` names it, so that sending it again changes nothing."""
        return await self._ask(calls.upload_video(stream, clip, start, content, media_type, duration_s))

    async def events(self, stream: str, after: int | None = None) -> AsyncIterator[ChangeRecord]:
        """Yield each change as it is committed, for ever; from now on, or from behind a version.

        A broken connection is taken up where it stood. Raises TransientError where it can't be for as long as
        `patience` lasts.
        """
        following, tries, waited_s = Following(after), 0, 0.0
        while True:
            try:
                async for change in self._followed(stream, following):
                    tries, waited_s = 0, 0.0
                    yield change
            except TransientError:
                tries += 1
                pause = self._patience.pause_s(tries, waited_s)
                if pause is None:
                    raise
                waited_s += pause
                await self._sleep(pause)
            else:
                await self._sleep(following.retry_s)

    async def _followed(self, stream: str, following: Following) -> AsyncIterator[ChangeRecord]:
        path, timeout = calls.events_path(stream), timeouts(QUIET_S)
        following.begin()
        try:
            async with self._http.stream("GET", path, headers=following.headers, timeout=timeout) as response:
                if response.status_code != 200:
                    await response.aread()
                    raise failure(f"GET {path}", answer_of(response))
                async for content in response.aiter_bytes():
                    for change in following.feed(content):
                        yield change
        except httpx.TransportError as error:
            raise unanswered(f"GET {path}", self.url, error) from error

    async def _pages(self, call: Callable[[str | None], Call[T]]) -> AsyncIterator[T]:
        cursor: str | None = None
        while True:
            page = await self._ask(call(cursor))
            yield page
            cursor = getattr(page, "next", None)
            if cursor is None:
                return

    async def _ask(self, call: Call[T], well: tuple[int, ...] = (200, 202, 206)) -> T:
        tries, waited_s = 0, 0.0
        while True:
            answer = await self._answered(call)
            if answer.status in well:
                return call.read(answer)
            tries += 1
            pause = self._patience.pause_s(tries, waited_s, answer)
            if pause is None:
                raise failure(f"{call.method} {call.path}", answer)
            waited_s += pause
            await self._sleep(pause)

    async def _answered(self, call: Call[T]) -> Answer:
        try:
            response = await self._http.request(
                call.method,
                call.path,
                params=dict(call.query) or None,
                content=call.body,
                headers=dict(call.headers),
                timeout=timeouts(max(self._timeout_s, call.timeout_s or 0.0)),
            )
        except httpx.TransportError as error:
            raise unanswered(f"{call.method} {call.path}", self.url, error) from error
        return answer_of(response)

"""The endpoint that answers: a question against one snapshot, in one piece or told as it happens.

Whoever goes away cancels what is under way for them. How a question is answered is `question_loop`'s.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec
from starlette.responses import Response

from biographer.daemon import api_ask_records as records
from biographer.daemon.access import unknown_stream
from biographer.daemon.answerer import Answerer
from biographer.daemon.api_ask_events import event_record, result_record
from biographer.daemon.api_memory import moment
from biographer.daemon.api_search import Embeds
from biographer.daemon.asking import Asking
from biographer.daemon.departure import LastingResponse, kept_alive, unless_left
from biographer.daemon.endpoint import Asked
from biographer.daemon.events import EVENTS
from biographer.daemon.live import Live
from biographer.daemon.problems import Problem
from biographer.daemon.question import Question
from biographer.daemon.question_events import Answered, Event, SearchDone
from biographer.daemon.readings import Pool
from biographer.daemon.search_tools import search_tools
from biographer.daemon.sources import Sources
from biographer.daemon.tools import Reach, Toolbox
from biographer.state.errors import BiographerError, TransientError
from biographer.state.search_settings import SearchSettings


class AskApi:
    """Answers questions; searches run in threads of their own. `clock` returns seconds that only rise.

    `quiet_s` is after how long a silent stream of events says that it is still there.
    """

    def __init__(
        self,
        state: Path,
        live: Live,
        pool: Pool,
        now_us: Callable[[], int],
        clock: Callable[[], float],
        settings: SearchSettings,
        toolbox: Toolbox | None = None,
        quiet_s: float = 15.0,
    ) -> None:
        self._state, self._live, self._pool = state, live, pool
        self._now_us, self._clock, self._settings = now_us, clock, settings
        self._toolbox = toolbox or Toolbox(search_tools())
        self._quiet_s = quiet_s
        self._embed: Embeds = lambda _: None
        self._open = 0
        self.answer_by(Answerer())

    def connect(self, embed: Embeds) -> None:
        """Make vectors of what is searched for so."""
        self._embed = embed

    def answer_by(self, answerer: Answerer) -> None:
        """Have questions answered so from now on."""
        self._answerer = answerer
        self._asking = Asking(answerer.speakers, self._toolbox, answerer.counter, self._pool.run, self._clock)

    async def ask(self, asked: Asked[records.OfAsk, records.AskQuery]) -> records.AskResult | Response:
        """Answer a question: as one record, or as events where those are asked for."""
        question = Question(asked.body.text, asked.body.options, moment(asked.body.as_of))
        sources = await self._sources(asked.params.stream, question.as_of_us)
        self._refuse_more()
        if EVENTS in asked.request.headers.get("accept", ""):
            headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
            return LastingResponse(kept_alive(self._told(question, sources), self._quiet_s), EVENTS, headers)
        return await unless_left(asked.request.receive, self._whole(question, sources))

    async def _sources(self, stream: str, as_of_us: int | None) -> Sources:
        found = await self._pool.run(lambda: self._found(stream, as_of_us))
        if found is None:
            raise unknown_stream(stream)
        return found

    def _found(self, stream: str, as_of_us: int | None) -> Sources | None:
        memory, view = self._live.memory(stream), self._live.view(stream, as_of_us)
        if memory is None or view is None:
            return None
        return Sources(self._state, stream, view, as_of_us, memory.galleries)

    async def _whole(self, question: Question, sources: Sources) -> records.AskResult:
        began = self._clock()
        async with self._counted(), aclosing(self._events(question, sources)) as events:
            async for event in events:
                if isinstance(event, Answered):
                    return await self._result(event, sources, began)
        raise AssertionError("a question ends with its answer")

    async def _told(self, question: Question, sources: Sources) -> AsyncGenerator[bytes, None]:
        began = self._clock()
        try:
            async with self._counted(), aclosing(self._events(question, sources)) as events:
                snapshot = await self._pool.run(lambda: sources.snapshot(self._now_us()))
                yield _event("snapshot", records.SnapshotEvent(snapshot=snapshot))
                async for event in events:
                    if isinstance(event, Answered):
                        yield _event("answer", await self._result(event, sources, began))
                    else:
                        yield _event(*await self._record(event, sources))
        except BiographerError as error:
            yield _event("problem", Problem(title="no answer", status=503, detail=str(error)))

    async def _record(self, event: Event, sources: Sources) -> tuple[str, msgspec.Struct]:
        if isinstance(event, SearchDone):
            return await self._pool.run(lambda: event_record(event, sources))
        return event_record(event, sources)

    def _refuse_more(self) -> None:
        if self._open >= self._answerer.at_once:
            raise TransientError(f"{self._open} questions are being answered, the most at once; ask again in a moment")

    @asynccontextmanager
    async def _counted(self) -> AsyncIterator[None]:
        # Once more: of many that came in one moment, all were let in before the first was counted.
        self._refuse_more()
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1

    def _events(self, question: Question, sources: Sources) -> AsyncGenerator[Event, None]:
        frames = partial(sources.frames, side=self._answerer.frame_side)
        reach = Reach(sources.view, self._embed, self._settings, sources.apart, frames, sources.looks)
        return self._asking.events(question, self._answerer.limits, reach)

    async def _result(self, event: Answered, sources: Sources, began: float) -> records.AskResult:
        took_ms = round(1000 * (self._clock() - began), 3)
        return await self._pool.run(lambda: result_record(event, sources, self._now_us(), took_ms))


def _event(name: str, record: msgspec.Struct) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name.encode(), msgspec.json.encode(record))

"""The writer: what models say of what was applied, beside the pipeline and never in its way.

    store -> agenda -> desk (pictures, lines, texts -> model -> remarks) -> amendment -> store

So much at once is in hand and no more; the rest stays in the store, where a restart finds it. A piece is filed with its
remarks in one transaction, so nothing is written twice, and nothing is lost but what was being asked.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from structlog.typing import FilteringBoundLogger

from biographer.daemon.boundary import Boundary, Failure
from biographer.daemon.metrics import Metrics
from biographer.daemon.retry import Backoff
from biographer.daemon.writing_desk import Desk, is_usable
from biographer.daemon.writing_pause import Pause
from biographer.state.agenda import Agenda, Due
from biographer.state.amendment import Amended, Amendment, Written
from biographer.state.errors import RefusedError

_MOST_TOGETHER = 64
"""So many pieces at most make one amendment."""


class Amends(Protocol):
    """Makes an amendment durable, in turn with the clips."""

    async def __call__(self, stream: str, amendment: Amendment, /) -> Amended | None:
        """Return what it added, None where it is there already. Raises RefusedError, TransientError."""


@dataclass(frozen=True, slots=True)
class Rest:
    """How a stream is said to rest once it was quiet for `quiet_s`: `ask` asks for a flush in its log, by its name."""

    quiet_s: float
    ask: Callable[[str], Awaitable[object]]


class StreamWriter:
    """Writes about one stream until cancelled. `at_once` pieces are in hand; `gather_s` they wait to be filed together.

    `opens_in_s` tells of a kind of piece how long its endpoint is left alone, `rest` what to do once all is quiet. A
    transcriber that fails is waited for `hearing_s`.
    """

    def __init__(
        self,
        stream: str,
        agenda: Agenda,
        desk: Desk,
        amend: Amends,
        metrics: Metrics,
        log: FilteringBoundLogger,
        wanted: Iterable[str],
        *,
        at_once: int,
        gather_s: float,
        backoff: Backoff,
        opens_in_s: Callable[[str], float],
        rest: Rest | None = None,
        hearing_s: float = math.inf,
    ) -> None:
        self.stream = stream
        self._agenda, self._desk, self._amend, self._metrics, self._log = agenda, desk, amend, metrics, log
        self._at_once, self._gather_s, self._opens_in_s = at_once, gather_s, opens_in_s
        self._clock = asyncio.get_running_loop().time
        self._pauses = {writing: Pause(self._clock, backoff) for writing in wanted}
        self._boundary = Boundary(backoff, lambda *_: None, log)
        self._jobs: dict[asyncio.Task[Written | Failure], Due] = {}
        self._finished: list[Written] = []
        self._filed_at = self._clock()
        self._rest, self._rests_at, self._hearing_s = rest, math.inf, hearing_s
        self._news = asyncio.Event()
        self._news.set()

    @property
    def waiting(self) -> Mapping[str, int]:
        """How many pieces are due, in hand or not, by what is to be written."""
        return self._agenda.waiting + Counter(due.piece.writing for due in self._jobs.values())

    @property
    def reasons(self) -> Mapping[str, str]:
        """Why nothing of a kind is being written, by kind."""
        return {writing: pause.reason for writing, pause in self._pauses.items() if pause.reason is not None}

    def wake(self) -> None:
        """Look what is due: something was applied."""
        self._news.set()

    async def run(self) -> None:
        """Write what is due, for ever. Raises FatalError."""
        try:
            while True:
                if self._news.is_set():
                    self._news.clear()
                    clips = len(self._agenda.names)
                    await self._boundary.call("writing", lambda: self._desk.pool.run(self._agenda.look))
                    self._expect(grown=len(self._agenda.names) > clips)
                await self._ask_to_rest()
                # Read once: a pause that ends between the two would be neither begun after nor waited for.
                patience_s = self._patience_s()
                self._begin()
                await self._something(patience_s)
                await self._file()
        finally:
            await self._drop()

    def _expect(self, *, grown: bool) -> None:
        """Note when it has been quiet for long enough that nothing is to be waited for any more."""
        if self._rest is None or not self._agenda.is_waiting:
            self._rests_at = math.inf
        elif grown:
            self._rests_at = self._clock() + self._rest.quiet_s

    async def _ask_to_rest(self) -> None:
        if self._rest is not None and self._clock() >= self._rests_at:
            # Once more if it is not heeded: whoever reads the log may be behind, or the broker away.
            self._rests_at = self._clock() + self._rest.quiet_s
            outcome = await self._boundary.call("flush", partial(self._rest.ask, self.stream), tries_max=1)
            if isinstance(outcome, Failure):
                self._log.warning("no flush was sent", stream=self.stream, reason=str(outcome.error))

    def _begin(self) -> None:
        """Put as much in hand as there is room for."""
        allowed = [writing for writing, pause in self._pauses.items() if not pause.left_s]
        while len(self._jobs) < self._at_once and (due := self._agenda.take(allowed)) is not None:
            clips = tuple(self._agenda.names[number] for number in due.clips)
            self._jobs[asyncio.create_task(self._written(due, clips))] = due

    async def _written(self, due: Due, clips: tuple[str, ...]) -> Written | Failure:
        return await self._boundary.call(str(due.piece), lambda: self._desk.write(due, clips), tries_max=1)

    async def _something(self, patience_s: float | None) -> None:
        """Wait until a piece is finished or to be filed, something was applied, or a pause is over."""
        news = asyncio.create_task(self._news.wait())
        try:
            await asyncio.wait({news, *self._jobs}, timeout=patience_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            news.cancel()
        for job in [job for job in self._jobs if job.done()]:
            self._settle(self._jobs.pop(job), job.result())

    def _patience_s(self) -> float | None:
        pauses = [pause.left_s for pause in self._pauses.values() if pause.left_s]
        if self._finished:
            pauses.append(max(0.0, self._filed_at + self._gather_s - self._clock()))
        if self._rests_at < math.inf:
            pauses.append(max(0.0, self._rests_at - self._clock()))
        return min(pauses, default=None)

    def _settle(self, due: Due, outcome: Written | Failure) -> None:
        writing = due.piece.writing
        if isinstance(outcome, Written):
            self._finished.append(outcome)
            self._metrics.wrote(writing, "written" if is_usable(outcome) else "unusable")
            if self._pauses[writing].answered():
                self._log.info("writing again", stream=self.stream, writing=writing)
            return
        self._metrics.wrote(writing, "failed")
        # What fails by a fault of ours would fail again: it waits for the next start, and the rest goes on.
        if outcome.kind == "unexpected":
            return
        self._agenda.put_back(due)
        refused = isinstance(outcome.error, RefusedError)
        pause = self._pauses[writing]
        if pause.failed(str(outcome.error), refused=refused, at_least_s=self._opens_in_s(writing)):
            self._log.warning("not writing", stream=self.stream, writing=writing, reason=str(outcome.error))
        if writing == "hearing" and pause.lasts_s >= self._hearing_s:
            # What is made from what was said is made without rather than never.
            self._agenda.waive(writing)

    async def _file(self) -> None:
        """Amend by what is finished, once enough is, or it has waited long enough, or nothing else is coming."""
        due_s = self._filed_at + self._gather_s - self._clock()
        if not self._finished or (due_s > 0 and self._jobs and len(self._finished) < _MOST_TOGETHER):
            return
        finished, self._finished = self._finished[:_MOST_TOGETHER], self._finished[_MOST_TOGETHER:]
        failure = await self._amended(finished)
        if failure is not None and len(finished) > 1:
            # One that does not fit is not to take the others with it.
            for one in finished:
                await self._file_alone(one)
        elif failure is not None:
            self._refused(finished[0], failure)
        self._agenda.settle(one.piece for one in finished)
        self._filed_at = self._clock()

    async def _amended(self, pieces: list[Written]) -> Failure | None:
        """Return why these cannot be filed; waits while they cannot be for now."""
        amendment = Amendment(tuple(pieces))
        outcome = await self._boundary.call("amendment", lambda: self._amend(self.stream, amendment))
        return outcome if isinstance(outcome, Failure) else None

    async def _file_alone(self, one: Written) -> None:
        failure = await self._amended([one])
        if failure is not None:
            self._refused(one, failure)

    def _refused(self, one: Written, failure: Failure) -> None:
        self._log.error("not filed", stream=self.stream, piece=str(one.piece), reason=str(failure.error))
        self._metrics.wrote(one.piece.writing, "refused")

    async def _drop(self) -> None:
        """Cancel what is being asked: the store still knows that it is due."""
        for job in self._jobs:
            job.cancel()
        if self._jobs:
            await asyncio.wait(self._jobs)

"""Asking: the question loop with its models and its searches, told as it happens.

The edge of `question_loop`: models are awaited here, searches run in threads, the clock is read. What happens comes out
as events; whoever stops listening cancels whatever is under way.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeVar

from biographer.daemon.answer import Draft
from biographer.daemon.controller import decision_type
from biographer.daemon.judge import Judgement
from biographer.daemon.planner import plan_type
from biographer.daemon.question import Limits, Question
from biographer.daemon.question_events import (
    Answered,
    Answering,
    Event,
    Judged,
    Planned,
    Repairing,
    RoundBegun,
    SearchDone,
)
from biographer.daemon.question_frames import Shown, moments
from biographer.daemon.question_loop import Progress, Stage, begin, heard, searched, silenced, unreadable
from biographer.daemon.question_prompts import QuestionPrompts
from biographer.daemon.tools import Arguments, Bounds, Found, Pair, Reach, Toolbox
from biographer.daemon.working_memory import Searched
from biographer.models.chat import ChatRequest
from biographer.models.chat_model import Filled, Unusable
from biographer.models.form import Form
from biographer.models.token_counter import TokenCounter
from biographer.state.errors import RefusedError, TransientError

FormT = TypeVar("FormT", bound=Form)
T = TypeVar("T")

SILENT = "no language model is configured: set language.url and language.model"

MOST_CALLS = 4
"""Searches that a model may name at once; the limits may allow fewer."""


class Runs(Protocol):
    """Runs a call that blocks, in a thread of its own."""

    async def __call__(self, call: Callable[[], T], /) -> T:
        """Return what the call does. Raises TransientError where too many wait already."""


class Speaker(Protocol):
    """A language model; `ChatModel` is one."""

    async def fill(self, request: ChatRequest, form: type[FormT]) -> Filled[FormT] | Unusable:
        """Return the form filled in. Raises TransientError and RefusedError where no model answers."""


class Asking:
    """Answers questions by models and one box of tools. `clock` returns seconds that only rise.

    `speakers` play the stages. Without a planner the question itself is searched for, without a judge all is kept,
    without a controller there is one round; without one who answers, one search is all.
    """

    def __init__(
        self,
        speakers: Mapping[Stage, Speaker],
        toolbox: Toolbox,
        counter: TokenCounter,
        runs: Runs,
        clock: Callable[[], float],
    ) -> None:
        self._speakers, self._toolbox, self._runs, self._clock = speakers, toolbox, runs, clock
        self._sees = True
        self._prompts = QuestionPrompts.of(toolbox, counter)
        self._plan, self._decision = plan_type(toolbox, MOST_CALLS), decision_type(toolbox, MOST_CALLS)

    async def events(self, question: Question, limits: Limits, reach: Reach) -> AsyncGenerator[Event, None]:
        """Yield what happens, up to the answer. Close the generator when leaving early.

        Raises TransientError where the threads for searching are all waited for.
        """
        began = self._clock()
        silent = None if Stage.ANSWER in self._speakers else SILENT
        progress = begin(question, self._within(limits), reach.view, silent, reach.settings.without)
        while progress.answer is None:
            progress = replace(progress, seconds=self._clock() - began)
            if progress.stage is Stage.SEARCH:
                async with aclosing(self._round(progress, reach)) as happens:
                    async for event in happens:
                        if isinstance(event, Progress):
                            progress = event
                        else:
                            yield event
                continue
            if progress.stage is Stage.ANSWER and progress.drafted is None:
                yield Answering(progress.must_answer)
            before, progress = progress, await self._said(progress, reach)
            for event in _told(before, progress):
                yield event
        yield Answered(progress.answer, progress)

    def _within(self, limits: Limits) -> Limits:
        """Return the limits without what nobody plays."""
        rounds = limits.rounds if Stage.CONTROL in self._speakers else 1
        plan, judge = Stage.PLAN in self._speakers, Stage.JUDGE in self._speakers
        return replace(limits, rounds=rounds, plan=limits.plan and plan, judge=limits.judge and judge)

    async def _round(self, progress: Progress, reach: Reach) -> AsyncGenerator[Event | Progress, None]:
        """Make a round's searches; yield what happens, and at last how far that is."""
        number = len(progress.memory.rounds) + 1
        yield RoundBegun(number, progress.calls, progress.missing)
        exclude, left = progress.memory.seen, progress.limits.items
        done: list[Searched] = []
        pairs: frozenset[Pair] = frozenset()
        for place, call in enumerate(progress.calls):
            # What one search leaves of its share, the next may use.
            bounds = Bounds(-(-left // (len(progress.calls) - place)), exclude)
            began = self._clock()
            found, apart = await self._runs(partial(_searched, self._toolbox, reach, call, bounds))
            done.append(Searched(call, found))
            yield SearchDone(number, done[-1], self._clock() - began)
            left -= len(found.items)
            exclude |= {one.unit for one in found.items}
            pairs |= apart
            if left <= 0:
                break
        yield searched(progress, done, pairs)

    async def _said(self, progress: Progress, reach: Reach) -> Progress:
        """Ask the model what the stage asks for, within the time that is left."""
        try:
            async with asyncio.timeout(max(0.0, progress.limits.seconds - progress.seconds)):
                answered = await self._filled(progress, reach)
        except TimeoutError:
            return silenced(progress, f"the time for a question, {progress.limits.seconds:g} s, was over")
        except (TransientError, RefusedError) as error:
            return silenced(progress, str(error))
        spent = answered.spent.read + answered.spent.written
        progress = replace(progress, tokens=progress.tokens + spent)
        if isinstance(answered, Unusable):
            return unreadable(progress, answered.reason)
        return heard(progress, answered.form)

    async def _filled(self, progress: Progress, reach: Reach) -> Filled[Form] | Unusable:
        speaker, form = self._speakers[progress.stage], self._form(progress)
        frames = await self._frames(progress, reach)
        answered = await speaker.fill(self._prompts.request(progress, frames), form)
        if isinstance(answered, Unusable) and frames:
            blind = await speaker.fill(self._prompts.request(progress), form)
            # A model that does not see refuses pictures: it is shown none from then on.
            self._sees = isinstance(blind, Unusable)
            return blind
        return answered

    async def _frames(self, progress: Progress, reach: Reach) -> Sequence[Shown]:
        if progress.stage is not Stage.ANSWER or not self._sees or not progress.limits.frames:
            return ()
        items = [one.item for one in self._prompts.evidence(progress)]
        chosen = moments(reach.view, items, progress.limits.frames)
        return await self._runs(partial(reach.frames, chosen))

    def _form(self, progress: Progress) -> type[Form]:
        match progress.stage:
            case Stage.PLAN:
                return self._plan
            case Stage.CONTROL:
                return self._decision
            case Stage.JUDGE:
                return Judgement
        return Draft


def _searched(toolbox: Toolbox, reach: Reach, call: Arguments, bounds: Bounds) -> tuple[Found, frozenset[Pair]]:
    found = toolbox.search(reach, call, bounds)
    return found, reach.apart_pairs(found.items)


def _told(before: Progress, after: Progress) -> Iterator[Event]:
    """Yield what a model's answer brought about."""
    if after.silent is not None:
        return
    if before.stage is Stage.PLAN and after.steps:
        yield Planned(after.steps)
    elif before.stage is Stage.JUDGE:
        yield Judged(len(after.memory.rounds), after.memory)
    elif after.answer is None and after.drafted is not None:
        yield Repairing(after.repairing)

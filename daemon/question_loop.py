"""The question loop as plain values: where it stands -> what is to be done next -> where it stands then.

plan -> search -> judge -> control -> (search again, at most five rounds) -> answer -> (one repair) -> done

Nothing is asked, searched or timed here; `asking` does that. Bounds: GEB appendix A, MAGIC-Video "Agentic retrieval";
planner, judge and working memory: EGAgent. Unlike there, the memory grows meanwhile: a question keeps to one view.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from biographer.daemon.answer import Answer, Checked, Draft, check
from biographer.daemon.controller import Decision
from biographer.daemon.judge import Judgement, notes_of
from biographer.daemon.planner import Plan
from biographer.daemon.question import Limits, Question
from biographer.daemon.quotes import Quotes
from biographer.daemon.search_tools import SearchMemory
from biographer.daemon.tools import Arguments, Pair
from biographer.daemon.working_memory import Searched, WorkingMemory
from biographer.models.form import Form
from biographer.state.ablation import Ablation
from biographer.state.view import View

_WIND_UP = 0.75
"""Share of the time and of the tokens after which it must answer: the rest is for answering."""


class Stage(StrEnum):
    """What is next."""

    PLAN = "plan"
    SEARCH = "search"
    JUDGE = "judge"
    CONTROL = "control"
    ANSWER = "answer"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a question has come. `calls` are the searches that are next; `missing` the controller's last word."""

    question: Question
    limits: Limits
    view: View
    stage: Stage
    memory: WorkingMemory = WorkingMemory()  # noqa: RUF009 - immutable
    steps: tuple[str, ...] = ()
    calls: tuple[Arguments, ...] = ()
    missing: str = ""
    drafted: Checked | None = None
    silent: str | None = None
    """Why no model speaks; then one search is all there is."""
    answer: Answer | None = None
    without: frozenset[Ablation] = frozenset()
    """What is left out of what models read, as it is of searches."""
    tokens: int = 0
    seconds: float = 0.0
    quotes: Quotes = field(default_factory=Quotes, compare=False, repr=False)
    """What was recorded as its requests tell it: the next one tells much of it again."""

    @property
    def repairing(self) -> tuple[str, ...]:
        """The faults of the draft that is to be written again; none at the first try."""
        return self.drafted.faults if self.drafted else ()

    @property
    def rounds_left(self) -> int:
        """How many rounds of searches may follow."""
        return max(0, self.limits.rounds - len(self.memory.rounds))

    @property
    def must_answer(self) -> str | None:
        """Why it may search no more, None while it may."""
        if not self.rounds_left:
            return "rounds"
        if self.memory.stale >= self.limits.stale_rounds:
            return "nothing_new"
        if self.tokens >= _WIND_UP * self.limits.tokens:
            return "tokens"
        return "time" if self.seconds >= _WIND_UP * self.limits.seconds else None


def begin(
    question: Question,
    limits: Limits,
    view: View,
    silent: str | None = None,
    without: frozenset[Ablation] = frozenset(),
) -> Progress:
    """Return the beginning; `silent` says why no model is there to speak."""
    stage = Stage.PLAN if limits.plan and silent is None else Stage.SEARCH
    return Progress(question, limits, view, stage, calls=_itself(question), silent=silent, without=without)


def heard(progress: Progress, record: Form) -> Progress:
    """Go on with what a model answered; it is of the record's type that the stage asks for."""
    match record:
        case Plan():
            return _planned(progress, record)
        case Judgement():
            notes = notes_of(record, progress.memory.pending)
            return _next(replace(progress, memory=progress.memory.judged(notes)))
        case Decision():
            return _decided(progress, record)
        case Draft():
            return _drafted(progress, record)
    raise AssertionError(f"nothing asks for a {type(record).__name__}")


def unreadable(progress: Progress, reason: str) -> Progress:
    """Go on where a model answered in no form that is understood: without that step, or without an answer."""
    match progress.stage:
        case Stage.PLAN:
            return replace(progress, stage=Stage.SEARCH)
        case Stage.JUDGE:
            return _next(replace(progress, memory=progress.memory.all_kept()))
        case Stage.CONTROL:
            return replace(progress, stage=Stage.ANSWER)
    return silenced(progress, reason)


def searched(progress: Progress, searches: Sequence[Searched], apart: frozenset[Pair]) -> Progress:
    """Go on with what a round of searches brought."""
    memory = progress.memory.searched(searches, apart)
    judging = progress.limits.judge and progress.silent is None
    if memory.pending and judging:
        return replace(progress, memory=memory, calls=(), stage=Stage.JUDGE)
    return _next(replace(progress, memory=memory.all_kept() if memory.pending else memory, calls=()))


def silenced(progress: Progress, reason: str) -> Progress:
    """Go on without a model: with the draft or the evidence that there is, or with what one search brings."""
    if progress.drafted is not None:
        return _done(progress, progress.drafted.answer)
    if progress.memory.pending:
        progress = replace(progress, memory=progress.memory.all_kept())
    progress = replace(progress, silent=reason)
    if progress.memory.rounds:
        return _done(progress, Answer(None, reason=reason))
    return replace(progress, stage=Stage.SEARCH, calls=_itself(progress.question))


def _itself(question: Question) -> tuple[Arguments, ...]:
    return (SearchMemory(text=question.text[:2000]),)


def _planned(progress: Progress, plan: Plan) -> Progress:
    calls = tuple(plan.searches)[: progress.limits.searches] or progress.calls
    return replace(progress, steps=plan.steps, calls=calls, stage=Stage.SEARCH)


def _decided(progress: Progress, decision: Decision) -> Progress:
    calls = tuple(decision.searches)[: progress.limits.searches]
    searching = decision.action == "search" and calls
    stage = Stage.SEARCH if searching else Stage.ANSWER
    return replace(progress, missing=decision.missing, calls=calls if searching else (), stage=stage)


def _drafted(progress: Progress, draft: Draft) -> Progress:
    checked = check(draft, progress.question, progress.memory, progress.view)
    if checked.faults and progress.drafted is None:
        return replace(progress, drafted=checked, stage=Stage.ANSWER)
    if progress.drafted is not None:
        # What was invented at the first try is told too: it is an error that we caught.
        invented = dict.fromkeys([*progress.drafted.answer.invented, *checked.answer.invented])
        checked = replace(checked, answer=replace(checked.answer, invented=tuple(invented)))
    return _done(progress, checked.answer)


def _next(progress: Progress) -> Progress:
    if progress.silent is not None:
        return _done(progress, Answer(None, reason=progress.silent))
    return replace(progress, stage=Stage.ANSWER if progress.must_answer else Stage.CONTROL)


def _done(progress: Progress, answer: Answer) -> Progress:
    return replace(progress, answer=answer, stage=Stage.DONE)

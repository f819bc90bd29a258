"""`biographer bench answers`: a benchmark's questions asked of a memory, each cut at its time, one line a question.

The manifest beside the lines names every knob; a run that was broken off goes on behind its last line, and a manifest
that differs is refused. Without a language model, what one search finds is scored, and nothing is answered.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import msgspec

from biographer.bench.answer_context import Reading
from biographer.bench.answer_grades import grade
from biographer.bench.answer_lines import Line, add_line, figures_of, read_lines
from biographer.bench.answer_scores import WINDOWS_S, Span, overlap, recalled
from biographer.bench.heeded import Heeded
from biographer.bench.questions import Choice
from biographer.bench.recorded import Recorded
from biographer.bench.report import Report, Say, report
from biographer.daemon.answerer import Answerer
from biographer.daemon.asking import Asking, Speaker
from biographer.daemon.question import Limits, Question
from biographer.daemon.question_events import Answered
from biographer.daemon.question_prompts import QuestionPrompts
from biographer.daemon.search_tools import search_tools
from biographer.daemon.sources import Sources
from biographer.daemon.tools import Reach, Toolbox
from biographer.models.prompt import load_prompt
from biographer.models.token_counter import QuarterCounter, TokenCounter
from biographer.state.ablation import Ablation
from biographer.state.errors import RefusedError
from biographer.state.index import Index
from biographer.state.observation import Embedding
from biographer.state.query import Item
from biographer.state.search_settings import SearchSettings
from biographer.state.times import format_time
from biographer.state.view import View

WITHOUT = (*(one.value for one in Ablation), "plan", "judge")
"""What can be left out: parts of memory and ranking, and the planner and the judge of the question loop."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A memory to ask: its folder, stream and index, how questions are embedded, and who answers."""

    state: Path
    stream: str
    index: Index
    embed: Callable[[str], Embedding | None]
    answerer: Answerer
    search: SearchSettings
    without: tuple[str, ...] = ()
    grader: Speaker | None = None
    """Who grades answers in words; without one they are not."""
    counter: TokenCounter = field(default_factory=QuarterCounter)
    """By whose count contexts are told."""

    def recorded(self, midnight_us: int) -> Recorded:
        """Return which stream this is, and when it was recorded; day 1, 00:00 is put where that is said."""
        view = View(self.index)
        return Recorded.of(self.stream, zip(view.starts.tolist(), view.ends.tolist(), strict=True), midnight_us)

    def reach(self, as_of_us: int) -> Reach:
        """Return what a question at a time may see."""
        view = View(self.index, as_of_us)
        sources = Sources(self.state, self.stream, view, as_of_us)
        return Reach(view, self.embed, self.settings, sources.apart)

    @property
    def settings(self) -> SearchSettings:
        """The settings of searches, without what is left out."""
        left_out = frozenset(one for one in Ablation if one.value in self.without)
        return replace(self.search, without=self.search.without | left_out)

    @property
    def limits(self) -> Limits:
        """The bounds on a question, without what is left out."""
        limits = self.answerer.limits
        plan, judge = limits.plan and "plan" not in self.without, limits.judge and "judge" not in self.without
        return replace(limits, plan=plan, judge=judge)


def measure(asked: Asked, choices: Sequence[Choice], manifest: Mapping[str, object], output: Path, say: Say) -> Report:
    """Ask what was not asked yet, write a line each, and sum all up.

    Raises RefusedError for another run's lines, and what a model fails with: what is written stays, and a repeat of the
    command goes on behind it.
    """
    unknown = set(asked.without) - set(WITHOUT)
    if unknown:
        raise RefusedError(f"without {', '.join(sorted(unknown))}: what can be left out is {', '.join(WITHOUT)}")
    began = time.time()
    knobs = {**manifest, **_knobs(asked)}
    _keep_manifest(output, knobs)
    known = {line.question for line in read_lines(output)}
    asyncio.run(_ask_all(asked, [one for one in choices if one.asked.name not in known], output, say))
    lines = [line for line in read_lines(output) if line.question in {one.asked.name for one in choices}]
    return report("answers", began, knobs, figures_of(lines), {})


def _knobs(asked: Asked) -> dict[str, object]:
    return {
        "limits": asdict(asked.limits),
        "search": {
            **asdict(asked.settings),
            "windows": dict(asked.settings.windows),
            "without": sorted(asked.settings.without),
        },
        "models": {stage.value: getattr(model, "name", "") for stage, model in asked.answerer.speakers.items()},
        "without": list(asked.without),
        "budget_counter": asked.answerer.counter.name,
        "counter": asked.counter.name,
        "prompts": {
            stage: load_prompt(stage).mark for stage in ("plan", "judge", "control", "answer", "grade", "grade_points")
        },
        "grader": getattr(asked.grader, "name", ""),
        "version": asked.index.extent.version,
    }


def _keep_manifest(output: Path, knobs: Mapping[str, object]) -> None:
    file, text = output.with_suffix(".manifest.json"), msgspec.json.encode(knobs, order="sorted")
    if output.exists() and (not file.exists() or file.read_bytes() != text):
        raise RefusedError(f"{output} is of a run with other settings (see {file}); give another --lines")
    output.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text)


async def _ask_all(asked: Asked, choices: Sequence[Choice], output: Path, say: Say) -> None:
    answerer, toolbox = asked.answerer, Toolbox(search_tools())
    speakers = {stage: Heeded(model) for stage, model in answerer.speakers.items()}
    asking = Asking(speakers, toolbox, answerer.counter, asyncio.to_thread, time.monotonic)
    read = Reading(QuestionPrompts.of(toolbox, answerer.counter), asked.counter)
    for number, choice in enumerate(choices, 1):
        began, one = time.monotonic(), choice.asked
        question = Question(one.text, choice.options, one.asked_us)
        async for event in asking.events(question, asked.limits, asked.reach(one.asked_us)):
            if isinstance(event, Answered):
                for speaker in speakers.values():
                    speaker.check()
                line = _line(choice, event, read, time.monotonic() - began)
                line = await _graded(line, choice, asked.grader)
                add_line(output, line)
        if number % 10 == 0:
            say(f"  {number} of {len(choices)} questions")


def _line(choice: Choice, event: Answered, read: Reading, seconds: float) -> Line:
    answer, memory, one = event.answer, event.progress.memory, choice.asked
    returned = [item for each in memory.rounds for item in each.items]
    kept = [each.item for each in memory.kept]
    right = None if answer.text is None or not choice.right else answer.choice == choice.right
    return Line(
        question=one.name,
        type=one.type,
        asked_at=format_time(one.asked_us),
        status=answer.status,
        choice=answer.choice,
        right=right,
        worth=None if right is None else float(right),
        answer=answer.text,
        reason=answer.reason,
        cited=tuple(answer.citations),
        invented=answer.invented,
        hits=_hits(one.moments, returned),
        kept_hits=_hits(one.moments, kept),
        overlap=overlap(one.moments, _spans(list(answer.citations.values()))),
        rounds=len(memory.rounds),
        items=len(returned),
        kept=len(kept),
        tokens=event.progress.tokens,
        context_tokens=read.tokens(event.progress),
        in_context=read.items(event.progress),
        seconds=round(seconds, 3),
    )


async def _graded(line: Line, choice: Choice, grader: Speaker | None) -> Line:
    if grader is None or not choice.reference or line.answer is None:
        return line
    asked, told = choice.asked.text, choice.reference
    worth = await grade(grader, asked, told, line.answer, points=choice.points)
    return msgspec.structs.replace(line, worth=worth, right=None if worth is None else worth == 1)


def _hits(moments: Sequence[Span], items: Sequence[Item]) -> dict[str, float]:
    return {f"{window}s": recalled(moments, _spans(items), window) for window in WINDOWS_S} if moments else {}


def _spans(items: Sequence[Item]) -> list[Span]:
    return [(one.start_us, one.end_us) for one in items]

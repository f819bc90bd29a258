"""A small memory to ask about, and models that answer as a test says: for the question loop."""

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
from recordings import no_trail
from remarks import amend, written
from sightings import clip, seen

from biographer.daemon.asking import Asking
from biographer.daemon.question import Limits, Question
from biographer.daemon.question_loop import Stage
from biographer.daemon.search_tools import search_tools
from biographer.daemon.tools import Reach, Toolbox
from biographer.models.chat_model import Filled, Unusable
from biographer.models.form import read_form
from biographer.models.spending import Spending
from biographer.models.token_counter import QuarterCounter
from biographer.state.amendment import Written
from biographer.state.authorship import Authorship
from biographer.state.clip import Clip
from biographer.state.folder import StateFolder
from biographer.state.line import Line, LineKind
from biographer.state.memory import Memory
from biographer.state.perceived import Perceived
from biographer.state.piece import Piece
from biographer.state.relation import Party, PartyKind, Relation, RelationKind
from biographer.state.rule import Rule, Thresholds
from biographer.state.stretch import Stretch
from biographer.state.times import SECOND_US
from biographer.state.view import View

STREAM = "asked"
RULE = Rule(thresholds={"": Thresholds(0.6, 0.75)})
TOOLS = Toolbox(search_tools())


def spoken(name: str, start: float, *texts: str, speaker: str | None = "Ann", observations=()) -> Perceived:
    """A clip of 30 s with lines, and what was seen in it."""
    made = clip(name, start, *observations, stream=STREAM).clip
    lines = tuple(
        Line(made.start_us + at * SECOND_US, made.start_us + (at + 1) * SECOND_US, LineKind.SPEECH, text, speaker)
        for at, text in enumerate(texts)
    )
    return Perceived(Clip(STREAM, name, made.start_us, made.end_us, lines), tuple(observations))


def kitchen(*more: Perceived) -> list[Perceived]:
    """A red cup at 0 s, at 60 s and at 3600 s; nothing recorded from 90 s to 3600 s."""

    def cup(at: float):
        return seen(0, (1, 0.05, 0, 0), at + 1)

    return [
        spoken("k0", 0, "here is the red cup on the table", observations=[cup(0)]),
        spoken("k1", 30, "now the bowl of soup", observations=[seen(0, (0, 1, 0, 0), 31, label="bowl")]),
        spoken("k2", 60, "the red cup is back again", observations=[cup(60)]),
        *more,
        spoken("k3", 3600, "washing the red cup now", observations=[cup(3600)]),
    ]


def memory_of(clips: list[Perceived], *, related: bool = False) -> Memory:
    """A memory, and where asked with a relation of each clip: Ann uses the cup."""
    memory = Memory(STREAM, RULE, no_trail)
    for number, one in enumerate(clips):
        memory.adopt(memory.plan(one))
        if related:
            amend(memory, _relation(number, one.clip))
    return memory


def view_of(clips: list[Perceived], as_of_us: int | None = None, *, related: bool = False) -> View:
    return View(memory_of(clips, related=related).index, as_of_us)


def kitchen_folder(path: Path) -> Path:
    """Return a state folder that holds the kitchen, closed."""
    folder = StateFolder(path, RULE)
    for one in kitchen():
        folder.stream(STREAM).apply(one)
    folder.close()
    return path


def reach_of(clips: list[Perceived], as_of_us: int | None = None, *, related: bool = False) -> Reach:
    return Reach(view_of(clips, as_of_us, related=related), lambda _: None)


def _relation(number: int, clip: Clip) -> Written:
    stretch = Stretch.of_clip(clip)
    ann, cup = Party("Ann", PartyKind.PERSON), Party("red cup", PartyKind.OBJECT, track=0)
    times = (clip.start_us, clip.end_us)
    one = Relation(stretch, Authorship("m", "relate@0"), ann, RelationKind.USES, cup, *times, "")
    return written(Piece.of_stretch("relations", stretch, number), (clip.name,), one)


def search(text: str = "red cup", **more) -> dict:
    return {"tool": "memory", "text": text, **more}


def plan(*searches: dict, steps=("find it",)) -> dict:
    return {"steps": list(steps), "searches": list(searches)}


def control(*searches: dict, missing: str = "") -> dict:
    return {"missing": missing, "action": "search" if searches else "answer", "searches": list(searches)}


def judge(*names: str) -> dict:
    return {"relevant": [{"id": name, "why": f"it shows {name}"} for name in names]}


def draft(answer: str = "yes", *cited: str, status: str = "answered", choice: str | None = None) -> dict:
    return {"status": status, "answer": answer, "choice": choice, "citations": list(cited)}


class Scripted:
    """Answers each stage as `says` tells: plain values, raw text, an error to raise, or an Unusable to return."""

    def __init__(self, says: Callable[[str, object], object], tokens: int = 10) -> None:
        self.says, self.tokens, self.asked = says, tokens, []

    async def fill(self, request, form):
        self.asked.append(request)
        said = self.says(request.prompt.name, request)
        if isinstance(said, Exception):
            raise said
        if isinstance(said, Unusable):
            return said
        author, spent = Authorship("scripted", request.prompt.mark), Spending(1, self.tokens, 0)
        try:
            return Filled(read_form(said if isinstance(said, str) else json.dumps(said), form), author, spent)
        except msgspec.DecodeError as error:
            return Unusable(str(error), author, spent)

    @property
    def stages(self) -> list[str]:
        return [one.prompt.name for one in self.asked]


def in_order(**stages) -> Scripted:
    """Answers by stage; a list is used up, its last value stays."""

    def says(stage, _request):
        said = stages[stage]
        if isinstance(said, list):
            return said.pop(0) if len(said) > 1 else said[0]
        return said

    return Scripted(says)


async def inline(call):
    return call()


class Ticking:
    """A clock that goes on by `step` seconds at each look."""

    def __init__(self, step: float = 0.0) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def everywhere(speaker) -> dict:
    """One model at every stage; none where there is none."""
    return {} if speaker is None else dict.fromkeys(Stage, speaker)


async def asked(
    speaker, reach: Reach, text="Did the red cup come back?", *, options=(), limits=None, clock=None, as_of_us=None
):
    """Return all events of a question."""
    asking = Asking(everywhere(speaker), TOOLS, QuarterCounter(), inline, clock or Ticking())
    return [event async for event in asking.events(Question(text, options, as_of_us), limits or Limits(), reach)]

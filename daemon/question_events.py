"""What happens to a question, as it happens: for whoever waits for its answer. Nothing is decided here."""

from dataclasses import dataclass
from typing import TypeAlias

from biographer.daemon.answer import Answer
from biographer.daemon.question_loop import Progress
from biographer.daemon.tools import Arguments
from biographer.daemon.working_memory import Searched, WorkingMemory


@dataclass(frozen=True, slots=True)
class Planned:
    """The question was split into steps."""

    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RoundBegun:
    """A round of searches begins; `missing` is what it is to find."""

    number: int
    calls: tuple[Arguments, ...]
    missing: str


@dataclass(frozen=True, slots=True)
class SearchDone:
    """One search of a round has ended."""

    number: int
    searched: Searched
    seconds: float


@dataclass(frozen=True, slots=True)
class Judged:
    """What a round brought was judged: so much of it was kept."""

    number: int
    memory: WorkingMemory


@dataclass(frozen=True, slots=True)
class Answering:
    """Searching is over; `reason` says what bound ended it, None where the controller did."""

    reason: str | None


@dataclass(frozen=True, slots=True)
class Repairing:
    """The draft was refused, for these reasons, and is written again."""

    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answered:
    """The end."""

    answer: Answer
    progress: Progress


Event: TypeAlias = Planned | RoundBegun | SearchDone | Judged | Answering | Repairing | Answered

"""What a search is asked and what it gives: queries, filters, units and evidence."""

from dataclasses import dataclass, field
from typing import NamedTuple

from biographer.state.authorship import Authorship
from biographer.state.errors import RefusedError
from biographer.state.graph import NodeKind
from biographer.state.observation import Embedding
from biographer.state.times import format_time

MOST_TEXT = 10_000
"""Characters of a question that are accepted."""

MOST_UNITS = 1000


class Unit(NamedTuple):
    """What takes a place in a result, and may be left out of the next: an episode, an observation or a window."""

    kind: NodeKind
    number: int


@dataclass(frozen=True, slots=True)
class Query:
    """A question, by its words, their vector, and the vector of a picture; each may be missing.

    `between_us` (start, end) without any of them reads out what was recorded then, in order of time. `as_of_us` hides
    whatever became known later. Labels and speakers are compared without case.
    """

    text: str = ""
    vector: Embedding | None = None
    image: Embedding | None = None
    limit: int = 16
    as_of_us: int | None = None
    between_us: tuple[int, int] | None = None
    label: str | None = None
    entity: int | None = None
    speaker: str | None = None
    exclude: frozenset[Unit] = field(default=frozenset())

    def __post_init__(self) -> None:
        """Refuse what no memory could answer."""
        if len(self.text) > MOST_TEXT:
            raise RefusedError(f"a question of {len(self.text)} characters: ask in at most {MOST_TEXT}")
        if not 1 <= self.limit <= MOST_UNITS:
            raise RefusedError(f"limit={self.limit}: ask for 1 to {MOST_UNITS} units")
        if self.between_us is not None and self.between_us[0] > self.between_us[1]:
            told = " and ".join(map(format_time, self.between_us))
            raise RefusedError(f"between {told}: the end lies before the start; turn them round")

    @property
    def by_time_alone(self) -> bool:
        """Whether the question is only what was recorded at a time."""
        return self.between_us is not None and not self.text.strip() and self.image is None


@dataclass(frozen=True, slots=True)
class Item:
    """One unit of evidence. `clip` is the source clip's name ("" for a window), `channels` what brought it in.

    `author` wrote `text`, or its beginning where an episode's own lines follow it; None where no model did.
    """

    unit: Unit
    scale: str
    clip: str
    start_us: int
    end_us: int
    known_us: int
    score: float
    text: str
    channels: tuple[str, ...]
    entity: int | None = None
    label: str | None = None
    author: Authorship | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """A search's result, best first (time read-outs: in order of time), and the state of memory that it was drawn from.

    `reason` says why there are no items: "no_seeds" where nothing in the question meets the memory, "empty" where
    nothing lies in the time asked for. `further` counts units of a read-out over the limit. `error` bounds the walk's.
    """

    version: int
    watermark_us: int | None
    items: tuple[Item, ...]
    reason: str | None = None
    further: int = 0
    error: float = 0.0

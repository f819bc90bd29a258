"""Working memory: what the searches of one question brought and what was found relevant of it (EGAgent).

An immutable record; each round makes a new one. The answer is made from it and from nothing else.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from biographer.daemon.tools import Arguments, Found, Pair
from biographer.state.query import Item, Unit


@dataclass(frozen=True, slots=True)
class Kept:
    """One relevant item, with the judge's word on it ("" where nobody judged) and the round that brought it."""

    item: Item
    note: str
    round: int


@dataclass(frozen=True, slots=True)
class Searched:
    """One search of a round: the call and what it found."""

    call: Arguments
    found: Found


@dataclass(frozen=True, slots=True)
class Round:
    """One round of searches, numbered from 1; `kept` counts what was of use, None until that is judged."""

    number: int
    searches: tuple[Searched, ...]
    kept: int | None = None

    @property
    def items(self) -> tuple[Item, ...]:
        """All that it brought."""
        return tuple(item for one in self.searches for item in one.found.items)


@dataclass(frozen=True, slots=True)
class WorkingMemory:
    """Everything that one question has brought so far."""

    rounds: tuple[Round, ...] = ()
    kept: tuple[Kept, ...] = ()
    apart: frozenset[Pair] = frozenset()

    @property
    def seen(self) -> frozenset[Unit]:
        """Every unit that was returned, relevant or not: none is returned again."""
        return frozenset(item.unit for one in self.rounds for item in one.items)

    @property
    def gaps(self) -> tuple[Pair, ...]:
        """Times that were asked for and in which nothing was recorded."""
        found = [one.found.gap for each in self.rounds for one in each.searches if one.found.gap is not None]
        return tuple(dict.fromkeys(found))

    @property
    def pending(self) -> tuple[Item, ...]:
        """Items of the last round, while they are not judged."""
        return self.rounds[-1].items if self.rounds and self.rounds[-1].kept is None else ()

    @property
    def stale(self) -> int:
        """How many rounds running, up to the last, brought nothing of use."""
        count = 0
        for one in reversed(self.rounds):
            if one.kept:
                break
            count += 1
        return count

    def searched(self, searches: Sequence[Searched], apart: Iterable[Pair]) -> "WorkingMemory":
        """Return this with one more round, not judged yet; a round without items needs no judging."""
        made = Round(len(self.rounds) + 1, tuple(searches))
        made = made if made.items else replace(made, kept=0)
        return replace(self, rounds=(*self.rounds, made), apart=self.apart | frozenset(apart))

    def judged(self, notes: Mapping[Unit, str]) -> "WorkingMemory":
        """Return this with those items of the last round kept that have a note; others are forgotten."""
        last = self.rounds[-1]
        kept = tuple(Kept(item, notes[item.unit], last.number) for item in self.pending if item.unit in notes)
        return replace(self, rounds=(*self.rounds[:-1], replace(last, kept=len(kept))), kept=(*self.kept, *kept))

    def all_kept(self) -> "WorkingMemory":
        """Return this with everything of the last round kept."""
        return self.judged({item.unit: "" for item in self.pending})

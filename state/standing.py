"""What the rulings of a stream say together: which entity each one's looks belong to, which pairs are two, and names.

Association goes on by looks alone: every entity that it began keeps a reference set of its own, its *looks*, so that
nothing it learned is lost when a ruling is undone. A merge lets the looks of one entity belong to another; a split
gives the observations that it names looks of their own. A pure function of the rulings in their order.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from biographer.state.cast_people import NOBODY, CastPeople
from biographer.state.name import name_key
from biographer.state.owners import owned
from biographer.state.ruling import Act, Ruling


@dataclass(frozen=True)
class Standing:
    """Rulings, undone ones included, oldest first; empty where nobody ever ruled."""

    rulings: tuple[Ruling, ...] = field(default=())
    people: CastPeople = NOBODY
    """Whom castings name, beneath all that users say: for readers alone, for association goes by looks."""

    @property
    def moves(self) -> bool:
        """Whether observations may be of another entity than association chose."""
        return bool(self.rulings or self.people.owners)

    @cached_property
    def in_force(self) -> frozenset[int]:
        """The numbers of the rulings that nobody has undone, or whose undoing was undone."""
        undone: set[int] = set()
        for ruling in reversed(self.rulings):
            if ruling.undoes is not None and ruling.number not in undone:
                undone.add(ruling.undoes)
        return frozenset(ruling.number for ruling in self.rulings if ruling.number not in undone)

    @cached_property
    def owners(self) -> Mapping[int, int]:
        """By entity, the one that its looks belong to; only where that is another."""
        owner: dict[int, int] = {}
        for kept, given in self._joins():
            into, gone = _root(owner, kept), _root(owner, given)
            if into != gone:
                owner[gone] = into
        owner |= self.people.owners
        return {entity: _root(owner, entity) for entity in owner}

    @cached_property
    def names(self) -> Mapping[int, str]:
        """By entity, its name: that given to itself last, else that given last to one merged into it, else the cast."""
        given: dict[int, str] = {}
        inherited: dict[int, str] = {}
        for ruling in self._of(Act.NAME):
            entity = self.owner(_number(ruling.entity))
            (given if entity == ruling.entity else inherited)[entity] = ruling.name or ""
        return dict(self.people.names) | inherited | given

    @cached_property
    def bearers(self) -> Mapping[str, int]:
        """By a name's key, the entity that goes by it; of several the lowest."""
        return {name_key(name): entity for entity, name in sorted(self.names.items(), reverse=True)}

    @cached_property
    def looks(self) -> Mapping[int, int]:
        """By observation, the entity whose looks it stands for, where a split ever named it."""
        looks: dict[int, int] = {}
        splits = [ruling for ruling in self.rulings if ruling.act is Act.SPLIT]
        for ruling in splits:
            for observation, seen_as in zip(ruling.observations, ruling.looks, strict=True):
                looks.setdefault(observation, seen_as)
        for ruling in splits:
            if ruling.number in self.in_force:
                looks |= dict.fromkeys(ruling.observations, _number(ruling.other))
        return looks

    @cached_property
    def apart(self) -> Mapping[tuple[int, int], int]:
        """Pairs of entities (low, high) that are two by a user's word, and the ruling that says so last."""
        pairs: dict[tuple[int, int], int] = {}
        for ruling in self._of(Act.APART, Act.SPLIT):
            one, other = self.owner(_number(ruling.entity)), self.owner(_number(ruling.other))
            pairs[min(one, other), max(one, other)] = ruling.number
        return pairs

    @cached_property
    def _groups(self) -> Mapping[int, tuple[int, ...]]:
        groups: dict[int, list[int]] = {}
        for looks, owner in self.owners.items():
            groups.setdefault(owner, [owner]).append(looks)
        return {owner: tuple(sorted(group)) for owner, group in groups.items()}

    def owner(self, looks: int) -> int:
        """Return the entity that an entity's looks belong to: mostly itself."""
        return self.owners.get(looks, looks)

    def owned(self, looks: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the entities that looks belong to; negative ones stay what they are."""
        return owned(looks, self.owners)

    def kin(self, looks: int) -> tuple[int, ...]:
        """Return all whose looks belong to the same entity as these, these included, lowest first."""
        return self._groups.get(self.owner(looks), (looks,))

    def as_of(self, moment_us: int | None) -> "Standing":
        """Return what rulings said then; None means at the end."""
        if moment_us is None:
            return self
        return Standing(tuple(ruling for ruling in self.rulings if ruling.known_us <= moment_us))

    def after(self, ruling: Ruling) -> "Standing":
        """Return what they say with one ruling more."""
        return Standing((*self.rulings, ruling))

    def broken(self) -> tuple[tuple[int, int], int] | None:
        """Return a pair that is one though a ruling says it is two, with that ruling's number; None where none is."""
        return next((found for found in self.apart.items() if found[0][0] == found[0][1]), None)

    def _of(self, *acts: Act) -> Iterator[Ruling]:
        return (ruling for ruling in self.rulings if ruling.act in acts and ruling.number in self.in_force)

    def _joins(self) -> Iterable[tuple[int, int]]:
        """Yield pairs (kept, given): merges, and splits that were undone."""
        for ruling in self.rulings:
            holds = ruling.number in self.in_force
            if (ruling.act is Act.MERGE and holds) or (ruling.act is Act.SPLIT and not holds):
                yield _number(ruling.entity), _number(ruling.other)


def _root(owner: Mapping[int, int], entity: int) -> int:
    while entity in owner:
        entity = owner[entity]
    return entity


def _number(entity: int | None) -> int:
    if entity is None:
        raise ValueError("a ruling of this kind names its entities")
    return entity


def pairs_of(standing: Standing, entities: Sequence[int]) -> frozenset[tuple[int, int]]:
    """Return the pairs (low, high) that are two by a user's word and that one of the entities is in."""
    asked = set(entities)
    return frozenset(pair for pair in standing.apart if asked.intersection(pair))

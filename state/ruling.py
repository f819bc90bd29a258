"""Rulings: a user's word about who is who. Remembered for good, never edited; one is withdrawn by another.

What rulings say together is in `standing`, what one changes in `obeying`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from biographer.state.change import Entity
from biographer.state.membership import Membership

MOST_NAME = 200
"""Characters of a name that are accepted."""


class Act(StrEnum):
    """What a user may say."""

    NAME = "name"
    """The entity goes by this name."""
    MERGE = "merge"
    """The other entity is this one."""
    SPLIT = "split"
    """These observations are of somebody or something else."""
    APART = "apart"
    """The two entities are two, as if they had been seen apart."""
    UNDO = "undo"
    """An earlier ruling holds no more; one that undid another may be undone itself."""


@dataclass(frozen=True, slots=True)
class Word:
    """What a user says, as asked for: `entity` and `other` are entities, `undoes` is the number of a ruling.

    `by` is who says so.
    """

    act: Act
    by: str
    entity: int | None = None
    other: int | None = None
    name: str | None = None
    observations: tuple[int, ...] = ()
    undoes: int | None = None


@dataclass(frozen=True, slots=True)
class Ruling:
    """A word that was accepted, as ruling `number` of its stream, counted from 0.

    `known_us` is since when all that had been remembered was known: the watermark, or later where a line outlasts its
    clip. A split's `other` is the entity that it began; `looks` are then, observation by observation, the entities that
    association had chosen.
    """

    number: int
    act: Act
    by: str
    known_us: int
    entity: int | None = None
    other: int | None = None
    name: str | None = None
    observations: tuple[int, ...] = ()
    looks: tuple[int, ...] = ()
    undoes: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Ruled:
    """All that a ruling changes, decided but not yet made; the store writes it and the memory adopts it.

    `memberships` are of higher versions than those there are. `looks` maps observations to the entity whose looks they
    now stand for in the gallery, and `reference_sets` entities to their references after it, oldest first.
    """

    version: int
    ruling: Ruling
    entities: tuple[Entity, ...] = ()
    memberships: tuple[Membership, ...] = ()
    looks: Mapping[int, int] = field(default_factory=dict)
    reference_sets: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

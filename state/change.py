"""A change: all that one clip adds to a memory, decided but not yet made. The store writes it; the memory adopts it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from biographer.state.clip import Clip
from biographer.state.episode import Episode
from biographer.state.membership import Apart, Membership
from biographer.state.observation import Observation
from biographer.state.texts import Vectors


@dataclass(frozen=True, slots=True)
class Entity:
    """One inferred physical instance: its number, the gallery it lives in, and when it became known."""

    number: int
    embedder: str
    known_us: int


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """Everything that applying one clip adds.

    Observation `i` of `observations` gets the number `first_observation + i`. `reference_sets` (entity to observation
    numbers, in event-time order) follow from the rest and are derived again at a restart.
    """

    version: int
    clip_number: int
    clip: Clip
    late: bool
    known_us: int
    watermark_us: int
    first_observation: int
    observations: tuple[Observation, ...]
    entities: tuple[Entity, ...]
    memberships: tuple[Membership, ...]
    aparts: tuple[Apart, ...]
    episode: Episode
    reference_sets: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    hits: int = 0
    vetoes: int = 0
    vectors: Vectors = field(default_factory=Vectors)
    """Of those texts that the memory had no vector of."""
    ruled: tuple[Membership, ...] = ()
    """Of those whose looks belong to another entity by a user's word: further versions of `memberships`."""

    @property
    def chosen(self) -> dict[int, int]:
        """By observation, the entity that it belongs to, rulings included."""
        return {one.observation: one.entity for one in (*self.memberships, *self.ruled)}

    @property
    def refused(self) -> int:
        """How many observations carry no evidence of identity."""
        return sum(observation.embedding is None for observation in self.observations)

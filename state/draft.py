"""One clip's decisions in the making: which gallery decides on which observation, and how new entities are numbered.

The rule itself is in `association`; nothing here changes the memory.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from biographer.state.association import Candidate, Decider, Decision, Scene
from biographer.state.change import Entity
from biographer.state.membership import Cause
from biographer.state.observation import Observation
from biographer.state.trail import Trail

if TYPE_CHECKING:
    from biographer.state.memory import Memory


class Draft:
    """One clip's decisions in the making, embedder by embedder, over an untouched memory."""

    def __init__(self, memory: "Memory", start_us: int, observations: tuple[Observation, ...]) -> None:
        self._memory = memory
        self._first = len(memory.spans)
        self._observations = observations
        self._trails = [Trail(one.times_us, one.boxes) for one in observations]
        self._anchored = memory.anchors(start_us, self._trails)
        self.reference_sets: dict[int, tuple[int, ...]] = {}
        self.hits = 0

    def decide(self) -> list[Decision]:
        """Decide every observation that has evidence of identity; return them by observation number."""
        by_embedder: dict[str, list[Candidate]] = {}
        for row, observation in enumerate(self._observations):
            if (embedding := observation.embedding) is not None:
                anchored = self._anchored.get(row)
                candidate = Candidate(self._first + row, embedding.vector, self._trails[row], anchored)
                by_embedder.setdefault(embedding.embedder, []).append(candidate)
        decisions: list[Decision] = []
        for embedder, candidates in sorted(by_embedder.items()):
            decisions += self._decide(embedder, candidates, decisions)
        return sorted(decisions, key=lambda one: one.observation)

    def entities(self, decisions: Sequence[Decision], known_us: int) -> tuple[Entity, ...]:
        """Return the entities that the decisions begin, by number."""
        begun = [one for one in decisions if one.cause is Cause.NEW]
        return tuple(
            Entity(one.entity, self._embedder(one.observation), known_us)
            for one in sorted(begun, key=lambda one: one.entity)
        )

    def _decide(self, embedder: str, candidates: list[Candidate], before: Sequence[Decision]) -> list[Decision]:
        memory = self._memory
        gallery = memory.gallery(embedder, len(candidates[0].vector))
        scene = Scene(span=self._span, trail=self._trail)
        thresholds = memory.rule.thresholds_of(embedder)
        decider = Decider(gallery, memory.rule, thresholds, scene, memory.standing.kin, memory.references_of)
        next_entity = memory.entity_count + sum(one.cause is Cause.NEW for one in before)
        decisions = decider.decide(candidates, next_entity)
        self.reference_sets |= {entity: known.observations for entity, known in decider.changed.items()}
        self.hits += decider.hits
        return decisions

    def _embedder(self, number: int) -> str:
        embedding = self._observations[number - self._first].embedding
        return "" if embedding is None else embedding.embedder

    def _span(self, number: int) -> tuple[int, int, int]:
        if number < self._first:
            return (*self._memory.spans[number], number)
        observation = self._observations[number - self._first]
        return observation.start_us, observation.end_us, number

    def _trail(self, number: int) -> Trail:
        return self._memory.trails[number] if number < self._first else self._trails[number - self._first]

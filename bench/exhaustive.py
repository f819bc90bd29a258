"""Association the long way: every entity, every reference, one number at a time (GEB section 3.3 and appendix A).

The oracle that the fast way is held against, by the tests and by `bench update`. It reads the same records and the
rule's numbers, and shares no code with what it judges: no gallery, no trail, no box arithmetic, no matrix product.
"""

import itertools
from bisect import insort
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from biographer.state.membership import Cause
from biographer.state.memory import NO_ENTITY, Memory
from biographer.state.observation import Observation
from biographer.state.perceived import Perceived
from biographer.state.rule import Rule

SAME_FRAME_US = 1_000
"""Presentation times this near are one frame."""

CLIPS_BACK = 16
"""Among so many clips, the last ones applied, the one before a cut is looked for."""

Path = tuple[NDArray[np.int64], NDArray[np.float32]]
"""Where a subject was: presentation times (microseconds, (n,)) and boxes (0..1, (n, 4))."""

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was decided of one observation: no entity and no cause without evidence of identity."""

    track: int
    observation: int
    entity: int | None
    similarity: float
    cause: Cause | None
    vetoed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """An observation of an entity, as a reference: its number, its span and its unit vector."""

    number: int
    start_us: int
    end_us: int
    vector: Vector

    @property
    def turn(self) -> tuple[int, int, int]:
        """Its place in the order of event time."""
        return self.start_us, self.end_us, self.number


class Exhaustive:
    """One stream's identities, decided by plain loops in float64."""

    def __init__(self, rule: Rule, older: Callable[[int], Path] | None = None) -> None:
        self._rule = rule
        self._older = older
        self._paths: dict[int, Path] = {}
        self._biographies: dict[str, dict[int, list[Sighting]]] = {}
        self._entity_of: list[int | None] = []
        self._clips: list[tuple[int, list[int]]] = []
        self._entities = 0

    @classmethod
    def of(cls, memory: Memory, clips: Iterable[tuple[int, Sequence[int]]] = ()) -> "Exhaustive":
        """Return an oracle that has seen what a memory has seen; takes its records, not what is derived from them.

        `clips` are the last ones applied, (end, observation numbers) each: anchors across the cut come from there.
        """

        def path(number: int) -> Path:
            return memory.trails[number].times_us, memory.trails[number].boxes

        oracle = cls(memory.rule, path)
        oracle._entities = memory.entity_count
        oracle._clips = [(end_us, list(numbers)) for end_us, numbers in clips]
        oracle._entity_of = [None if entity == NO_ENTITY else int(entity) for entity in memory.entity_of[:]]
        embedder_of = {
            int(entity): name for name, gallery in memory.galleries.items() for entity in gallery.entities.view()
        }
        for number, entity in enumerate(oracle._entity_of):
            if entity is not None:
                vector = memory.galleries[embedder_of[entity]].vector_of(number)
                oracle._remember(embedder_of[entity], entity, Sighting(number, *memory.spans[number], vector))
        return oracle

    def apply(self, perceived: Perceived) -> list[Judgement]:
        """Decide a clip's observations and remember them; returns one judgement each, in order of their numbers."""
        first = len(self._entity_of)
        ordered = sorted(perceived.observations, key=lambda one: (one.start_us, one.end_us, one.track))
        numbered = list(enumerate(ordered, first))
        self._paths.update((number, (one.times_us, one.boxes)) for number, one in numbered)
        anchored = self._anchored(perceived.clip.start_us, numbered)
        found = {number: Judgement(one.track, number, None, 0.0, None) for number, one in numbered}
        embedders = {one.embedding.embedder for one in ordered if one.embedding is not None}
        for embedder in sorted(embedders):
            for number, one in numbered:
                if one.embedding is not None and one.embedding.embedder == embedder:
                    sighting = Sighting(number, one.start_us, one.end_us, one.embedding.vector)
                    found[number] = self._judge(one.track, embedder, sighting, anchored.get(number))
        self._entity_of += [found[number].entity for number, _ in numbered]
        self._clips = [*self._clips, (perceived.clip.end_us, [number for number, _ in numbered])][-CLIPS_BACK:]
        return [found[number] for number, _ in numbered]

    def references(self, entity: int) -> tuple[int, ...]:
        """Return the numbers of the observations that an entity is compared by, oldest first."""
        for biographies in self._biographies.values():
            if entity in biographies:
                return tuple(one.number for one in biographies[entity][-self._rule.references :])
        raise KeyError(entity)

    def _judge(self, track: int, embedder: str, new: Sighting, anchored: int | None) -> Judgement:
        qualified: list[tuple[Fraction, int, Cause]] = []
        vetoed: list[int] = []
        for entity, biography in sorted(self._biographies.get(embedder, {}).items()):
            references = biography[-self._rule.references :]
            support = self._support(embedder, new, references, is_anchored=anchored == entity)
            if support is None:
                continue
            if any(self._apart(new.number, one.number) for one in references):
                vetoed.append(entity)
            else:
                qualified.append((support[0], entity, support[1]))
        similarity, entity, cause = Fraction(1), self._entities, Cause.NEW
        if qualified:
            similarity, entity, cause = max(qualified, key=lambda one: (one[0], -one[1]))
        else:
            self._entities += 1
        self._remember(embedder, entity, new)
        return Judgement(track, new.number, entity, float(similarity), cause, tuple(vetoed))

    def _support(
        self, embedder: str, new: Sighting, references: list[Sighting], *, is_anchored: bool
    ) -> tuple[Fraction, Cause] | None:
        thresholds = self._rule.thresholds_of(embedder)
        similar: list[float] = []
        for one in references:
            similar.append(cosine(new.vector, one.vector))
            # Written so that NaN fails: every comparison with it is false.
            if not similar[-1] >= thresholds.similar_to_all:
                return None
        mean = sum(map(Fraction, similar), Fraction(0)) / len(similar)
        if any(one >= thresholds.similar_to_one for one in similar):
            return mean, Cause.MATCH
        return (mean, Cause.ANCHOR) if is_anchored else None

    def _remember(self, embedder: str, entity: int, sighting: Sighting) -> None:
        biography = self._biographies.setdefault(embedder, {}).setdefault(entity, [])
        insort(biography, sighting, key=lambda one: one.turn)

    def _path(self, number: int) -> Path:
        if number not in self._paths and self._older is not None:
            return self._older(number)
        return self._paths[number]

    def _apart(self, left: int, right: int) -> bool:
        return apart(self._path(left), self._path(right), self._rule)

    def _anchored(self, start_us: int, numbered: Sequence[tuple[int, Observation]]) -> dict[int, int]:
        """Return {observation: entity} where a box stays in place across the cut from the clip before."""
        gap_us = self._rule.anchor_gap_us
        near = [(abs(start_us - end_us), -turn) for turn, (end_us, numbers) in enumerate(self._clips) if numbers]
        if not near or min(near)[0] > gap_us:
            return {}
        _, numbers = self._clips[-min(near)[1]]
        old = {n: self._path(n)[1][-1] for n in numbers if abs(int(self._path(n)[0][-1]) - start_us) <= gap_us}
        new = {n: one.boxes[0] for n, one in numbered if abs(one.start_us - start_us) <= gap_us}
        found: dict[int, int] = {}
        for number, box in new.items():
            before = max(old, key=lambda n: (overlap(old[n], box), -n), default=None)
            if before is None or overlap(old[before], box) < self._rule.anchor_iou:
                continue
            after = max(new, key=lambda n: (overlap(old[before], new[n]), -n))
            entity = self._entity_of[before]
            if after == number and entity is not None:
                found[number] = entity
        return found


def cosine(left: Vector, right: Vector) -> float:
    """Return the product of two unit vectors, in float64."""
    return float(np.dot(left.astype(np.float64), right.astype(np.float64)))


def overlap(left: NDArray[np.float32], right: NDArray[np.float32]) -> float:
    """Return the intersection over union of two boxes, in float64; 0 where both are empty."""
    lx0, ly0, lx1, ly1 = (float(value) for value in left)
    rx0, ry0, rx1, ry1 = (float(value) for value in right)
    inner = max(0.0, min(lx1, rx1) - max(lx0, rx0)) * max(0.0, min(ly1, ry1) - max(ly0, ry0))
    outer = max(0.0, lx1 - lx0) * max(0.0, ly1 - ly0) + max(0.0, rx1 - rx0) * max(0.0, ry1 - ry0) - inner
    return inner / outer if outer > 0 else 0.0


def apart(left: Path, right: Path, rule: Rule) -> bool:
    """Return whether two subjects were seen at different places in the same frames, often enough to count."""
    separation = rule.separation
    shared = [
        (i, j)
        for i, one in enumerate(left[0].tolist())
        for j, other in enumerate(right[0].tolist())
        if abs(one - other) <= SAME_FRAME_US
    ]
    step_us = min(usual_step_us(left[0].tolist()), usual_step_us(right[0].tolist()))
    # A hundredth of a frame is left to the rounding of presentation times.
    needed = max(separation.min_shared_frames, ceil(separation.min_shared_us / step_us - 0.01))
    if len(shared) < needed:
        return False
    elsewhere = [(i, j) for i, j in shared if overlap(left[1][i], right[1][j]) < separation.iou]
    return len(elsewhere) >= separation.fraction * len(shared)


def usual_step_us(times_us: list[int]) -> float:
    """Return the middle one of the times between successive frames; infinite for a single frame."""
    steps = sorted(after - before for before, after in itertools.pairwise(times_us))
    return float(steps[len(steps) // 2]) if steps else float("inf")

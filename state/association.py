"""Association: the decision of which entity each observation of a clip belongs to (GEB section 3.3, appendix A).

A Decider decides one clip's observations one after another. It reads the gallery and writes nothing: what the clip
itself adds is kept in an overlay, so a decision that is never committed leaves no trace.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from biographer.state.box import iou_matrix
from biographer.state.gallery import MARGIN, Gallery, References, similarities
from biographer.state.membership import Cause
from biographer.state.rule import Rule, Thresholds
from biographer.state.trail import Trail

_FINEST = 2.0**100
"""Any cosine that matters (float64, over 2**-47) is a whole multiple of one part in so many."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """What association sees of one observation: its number, unit vector, trail, and the entity it is anchored to."""

    observation: int
    vector: NDArray[np.float32]
    trail: Trail
    anchored: int | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """The entity of one observation; `vetoed` are entities that similarity would have allowed but for separation."""

    observation: int
    entity: int
    similarity: float
    cause: Cause
    vetoed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What a decision may ask about observations: their spans in event time and their trails."""

    span: Callable[[int], tuple[int, int, int]]
    """Observation number to its key of order: (start, end, number)."""
    trail: Callable[[int], Trail]


Kin = Callable[[int], tuple[int, ...]]
"""From an entity to all that are one with it, itself included."""


def alone(entity: int) -> tuple[int, ...]:
    """Return that an entity is one with nobody else."""
    return (entity,)


def nobody(_: int) -> tuple[int, ...]:
    """Return that there are no other galleries."""
    return ()


class Decider:
    """Decides the observations of one clip against one gallery."""

    def __init__(
        self,
        gallery: Gallery,
        rule: Rule,
        thresholds: Thresholds,
        scene: Scene,
        kin: Kin = alone,
        elsewhere: Kin = nobody,
    ) -> None:
        """Decide by `gallery`; `kin` names the entities that are one by a user's word.

        `elsewhere` gives the reference observations of one that lives in another gallery.
        """
        self._gallery = gallery
        self._kin, self._elsewhere = kin, elsewhere
        self._rule = rule
        self._thresholds = thresholds
        self._scene = scene
        self._changed: dict[int, References] = {}
        self.hits = 0
        """How many reference sets were proposed, over all queries: the work that the gallery's shape made."""

    @property
    def changed(self) -> Mapping[int, References]:
        """The reference sets, by entity, that this clip has made or changed."""
        return self._changed

    def decide(self, candidates: Sequence[Candidate], next_entity: int) -> list[Decision]:
        """Decide in the order given; new entities are numbered from `next_entity`."""
        if not candidates:
            return []
        queries = np.stack([candidate.vector for candidate in candidates])
        proposals = self._gallery.propose(queries, self._thresholds.similar_to_all)
        decisions: list[Decision] = []
        for candidate, rows in zip(candidates, proposals, strict=True):
            self.hits += len(rows)
            decision = self._decide_one(candidate, rows, next_entity)
            next_entity += decision.cause is Cause.NEW
            self._admit(decision.entity, candidate)
            decisions.append(decision)
        return decisions

    def _decide_one(self, candidate: Candidate, rows: NDArray[np.intp], next_entity: int) -> Decision:
        best: tuple[Fraction, int, Cause] | None = None
        vetoed = []
        for entity in self._plausible(candidate, rows):
            references = self._references(entity)
            support = self._support(candidate, entity, references)
            if support is None:
                continue
            kin = (self._seen(one) for one in self._kin(entity) if one != entity)
            if any(self._is_apart(candidate, seen) for seen in (references.observations, *kin)):
                vetoed.append(entity)
            elif best is None or support[0] > best[0]:
                best = (support[0], entity, support[1])
        if best is None:
            return Decision(candidate.observation, next_entity, 1.0, Cause.NEW, tuple(vetoed))
        return Decision(candidate.observation, best[1], float(best[0]), best[2], tuple(vetoed))

    def _plausible(self, candidate: Candidate, rows: NDArray[np.intp]) -> list[int]:
        """Entities worth an exact look, lowest first: so that ties go to the lowest."""
        anchored = None if candidate.anchored is None else self._gallery.row_of(candidate.anchored)
        least, most = self._thresholds.similar_to_all, self._thresholds.similar_to_one
        narrowed = self._gallery.narrow(candidate.vector, rows, least, most, anchored)
        stored = {int(entity) for entity in self._gallery.entities[narrowed]} - self._changed.keys()
        return sorted(stored | {entity for entity, known in self._changed.items() if self._near(candidate, known)})

    def _near(self, candidate: Candidate, references: References) -> bool:
        """Condition 1 with a margin: one cheap product spares most exact looks at what the clip itself has changed."""
        return bool((references.vectors @ candidate.vector).min() >= self._thresholds.similar_to_all - MARGIN)

    def _references(self, entity: int) -> References:
        """Return an entity's references as they stand; none for one that is new, or that lives in another gallery."""
        known = self._changed.get(entity)
        if known is not None:
            return known
        if self._gallery.row_of(entity) is None:
            return References((), np.empty((0, self._gallery.dim), np.float32))
        return self._gallery.references_of(entity)

    def _support(self, candidate: Candidate, entity: int, references: References) -> tuple[Fraction, Cause] | None:
        """Conditions 1 and 2: the mean similarity and what supports the match; None where either fails.

        Written with `all(... >= ...)`, which a NaN never passes. The mean is not rounded: that of three equal numbers
        may otherwise fall below that of one, and the tie go to the wrong entity.
        """
        similar = similarities(candidate.vector, references.vectors)
        if not len(similar) or not bool(np.all(similar >= self._thresholds.similar_to_all)):
            return None
        mean = Fraction(sum(int(value * _FINEST) for value in similar.tolist()), int(_FINEST) * len(similar))
        if bool(np.any(similar >= self._thresholds.similar_to_one)):
            return mean, Cause.MATCH
        return (mean, Cause.ANCHOR) if candidate.anchored == entity else None

    def _seen(self, entity: int) -> Sequence[int]:
        """Return the reference observations of an entity, of any gallery."""
        return self._references(entity).observations or self._elsewhere(entity)

    def _is_apart(self, candidate: Candidate, references: Sequence[int]) -> bool:
        """Condition 3: whether any reference was seen elsewhere in the same frames."""
        first, last = int(candidate.trail.times_us[0]), int(candidate.trail.times_us[-1])
        for observation in references:
            start, end, _ = self._scene.span(observation)
            if (
                start <= last
                and first <= end
                and self._rule.separation.apart(candidate.trail, self._scene.trail(observation))
            ):
                return True
        return False

    def _admit(self, entity: int, candidate: Candidate) -> None:
        """Put the observation into the set in event-time order and drop the oldest over the limit."""
        known = self._references(entity)
        keys = [self._scene.span(observation) for observation in known.observations]
        place = sum(key <= self._scene.span(candidate.observation) for key in keys)
        observations = (*known.observations[:place], candidate.observation, *known.observations[place:])
        vectors = np.insert(known.vectors, place, candidate.vector, axis=0)
        keep = self._rule.references
        self._changed[entity] = References(observations[-keep:], vectors[-keep:])


def anchors(before: Sequence[Trail], after: Sequence[Trail], cut_us: int, rule: Rule) -> dict[int, int]:
    """Return {row of after: row of before} for boxes that stay in place across a cut (GEB appendix A).

    A pair counts when each is the other's best overlap, it is at least `anchor_iou`, and both were seen within
    `anchor_gap_us` of the cut. Ties go to the lowest row.
    """
    old = [row for row, trail in enumerate(before) if abs(int(trail.times_us[-1]) - cut_us) <= rule.anchor_gap_us]
    new = [row for row, trail in enumerate(after) if abs(int(trail.times_us[0]) - cut_us) <= rule.anchor_gap_us]
    if not old or not new:
        return {}
    overlaps = iou_matrix(
        np.stack([before[row].boxes[-1] for row in old]), np.stack([after[row].boxes[0] for row in new])
    )
    best_new, best_old = overlaps.argmax(axis=1), overlaps.argmax(axis=0)
    return {
        new[column]: old[row]
        for row, column in enumerate(best_new)
        if best_old[column] == row and overlaps[row, column] >= rule.anchor_iou
    }

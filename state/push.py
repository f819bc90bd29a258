"""Personalised PageRank by local forward push: relevance spreads from the seeds and stops where little is left.

After Andersen, Chung and Lang (FOCS 2006): a node whose residual exceeds `residual` times its degree keeps
1 - damping of it and hands on the rest by the weights of its edges. Here all such nodes of a kind push at once, kind
after kind, in an order that is fixed: the same view and seeds give the same numbers, bit for bit. What is left in
residuals bounds the L1 error of the result. rustworkx's and igraph's solvers visit the whole graph; this one what the
seeds reach.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biographer.state.biographies import ranges
from biographer.state.graph import CONTAINMENT, CONTEXT, MEMBERSHIP, PROVENANCE
from biographer.state.nodes import Nodes
from biographer.state.view import View

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

_MOST_ROUNDS = 1000

_RETURNS = 0.3
"""Share of what is left at a node that counts as its own: it would keep 0.15 at once and about as much of what returns.

With it a residual of 3e-6 has as much of the exact top 50 as 1e-6 without (0.985, GEB's week), in half the time.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """Scores of all nodes, and how far their sum of differences from the exact ones can be."""

    scores: Nodes
    error: float
    rounds: int


def walk(view: View, reset: Nodes, damping: float, residual: float) -> Walk:
    """Return the walk from a reset vector that sums to 1 (or is all zero: then so is the walk)."""
    push = _Push(view, reset, damping, residual)
    rounds = 0
    while push.round() and rounds < _MOST_ROUNDS:
        rounds += 1
    for score, left in zip(push.scores.arrays, push.left.arrays, strict=True):
        np.add(score, _RETURNS * left, out=score)
    return Walk(push.scores, push.left.total(), rounds)


class _Push:
    """Scores so far and residuals of one walk.

    Episodes, clips and windows are few enough to look through; of observations and entities, only those that were
    handed something since they last pushed.
    """

    def __init__(self, view: View, reset: Nodes, damping: float, residual: float) -> None:
        self._view, self._weights, self._damping, self._residual = view, view.weights, damping, residual
        self.scores = reset.zeros()
        self.left = Nodes(*(array.copy() for array in reset.arrays))
        self._handed_observations = reset.observations > 0
        self._handed_entities = reset.entities > 0

    def round(self) -> bool:
        """Let every node push that has enough left; return whether any did."""
        pushed = self._episodes()
        pushed |= self._clips()
        pushed |= self._windows()
        pushed |= self._observations()
        pushed |= self._entities()
        return pushed

    def _take(self, kind: str, handed_to: NDArray[np.bool_] | None = None) -> tuple[Numbers, Floats]:
        """Return the nodes of a kind that push, rising, and what each hands on per unit of edge weight."""
        left: Floats = getattr(self.left, kind)
        degrees: Floats = getattr(self._weights.degrees, kind)
        if handed_to is None:
            active = np.flatnonzero(left > self._residual * degrees)
        else:
            looked_at = np.flatnonzero(handed_to)
            handed_to[looked_at] = False
            active = looked_at[left[looked_at] > self._residual * degrees[looked_at]]
        amounts = left[active]
        getattr(self.scores, kind)[active] += (1 - self._damping) * amounts
        left[active] = 0.0
        handed = np.divide(self._damping * amounts, degrees[active], where=degrees[active] > 0, out=amounts * 0)
        return active, handed

    def _episodes(self) -> bool:
        active, handed = self._take("episodes")
        if len(active):
            self.left.clips[active] += PROVENANCE.weight * handed
            self._to_observations(active, CONTEXT.weight * handed)
            _along(self.left.episodes, self._view.adjacency, active, handed)
            for parents in self._view.parents:
                targets = parents[active]
                np.add.at(self.left.windows, targets[targets >= 0], CONTAINMENT.weight * handed[targets >= 0])
        return bool(len(active))

    def _clips(self) -> bool:
        active, handed = self._take("clips")
        if len(active):
            self.left.episodes[active] += PROVENANCE.weight * handed
            self._to_observations(active, PROVENANCE.weight * handed)
        return bool(len(active))

    def _windows(self) -> bool:
        active, handed = self._take("windows")
        if len(active):
            _along(self.left.windows, self._view.window_adjacency, active, handed)
            children, starts = self._view.children
            counts = starts[active + 1] - starts[active]
            targets = children[ranges(starts[active], counts)]
            np.add.at(self.left.episodes, targets, np.repeat(CONTAINMENT.weight * handed, counts))
        return bool(len(active))

    def _observations(self) -> bool:
        active, handed = self._take("observations", self._handed_observations)
        if len(active):
            clips = self._view.clip_of[active]
            np.add.at(self.left.episodes, clips, CONTEXT.weight * handed)
            np.add.at(self.left.clips, clips, PROVENANCE.weight * handed)
            entities = self._weights.entity_of[active]
            linked = entities >= 0
            np.add.at(self.left.entities, entities[linked], MEMBERSHIP.weight * handed[linked])
            self._handed_entities[entities[linked]] = True
        return bool(len(active))

    def _entities(self) -> bool:
        active, handed = self._take("entities", self._handed_entities)
        if len(active):
            members, places = self._view.members(active)
            self.left.observations[members] += MEMBERSHIP.weight * handed[places]
            self._handed_observations[members] = True
        return bool(len(active))

    def _to_observations(self, clips: Numbers, amounts: Floats) -> None:
        first = self._view.first_observation
        counts = first[clips + 1] - first[clips]
        targets = ranges(first[clips], counts)
        self.left.observations[targets] += np.repeat(amounts, counts)
        self._handed_observations[targets] = True


def _along(left: Floats, adjacency: tuple[Numbers, Numbers, Floats], active: Numbers, handed: Floats) -> None:
    before, after, weights = adjacency
    earlier, later = before[active] >= 0, after[active] >= 0
    source = before[active][earlier]
    left[source] += weights[source] * handed[earlier]
    left[after[active][later]] += weights[active][later] * handed[later]

"""Personalised PageRank by local forward push: relevance spreads from the seeds and stops where little is left.

After Andersen, Chung and Lang (FOCS 2006): a node whose residual exceeds `residual` times its degree keeps
1 - damping of it and hands on the rest by the weights of its edges; all such nodes of a kind push at once, kind after
kind. What is left in residuals bounds the L1 error of the result. rustworkx's and igraph's solvers visit the whole
graph; this one what the seeds reach.

Observations, which are nearly all nodes, are not visited one by one: each lies between its local episode, its clip and
at most one entity, so what it is handed it hands on at once, by the closed form in `blocks`. A clip, its local episode
and their observations push as one block. The order is fixed: the same view and seeds give the same numbers, exactly.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biographer.state.biographies import ranges
from biographer.state.blocks import Blocks
from biographer.state.graph import CONTAINMENT, MEMBERSHIP
from biographer.state.ground import ground
from biographer.state.nodes import Nodes
from biographer.state.semantic_push import SemanticPush
from biographer.state.view import View
from biographer.state.weights import Weights

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


def walk(view: View, reset: Nodes, damping: float, residual: float, weights: Weights | None = None) -> Walk:
    """Return the walk from a reset vector that sums to 1 (or is all zero: then so is the walk).

    `weights` are the view's own ground, or one without some edges; the reset has as many names and facts as it.
    """
    push = _Push(view, weights or ground(view), reset, damping, residual)
    rounds = 0
    while push.round() and rounds < _MOST_ROUNDS:
        rounds += 1
    return Walk(push.scores(), push.left(), rounds)


class _Push:
    """Scores so far and residuals of one walk; `seen_*` is what observations were handed per unit of edge weight."""

    def __init__(self, view: View, weights: Weights, reset: Nodes, damping: float, residual: float) -> None:
        self._view, self._weights, self._damping, self._residual = view, weights, damping, residual
        self._blocks = Blocks.of(view, weights, damping)
        self._seeded = reset.observations
        self._episodes, self._clips = reset.episodes.copy(), reset.clips.copy()
        self._windows, self._entities = reset.windows.copy(), reset.entities.copy()
        self._kept_episodes, self._kept_clips = np.zeros_like(self._episodes), np.zeros_like(self._clips)
        self._kept_windows, self._kept_entities = np.zeros_like(self._windows), np.zeros_like(self._entities)
        self._seen_clips, self._seen_entities = np.zeros_like(self._episodes), np.zeros_like(self._entities)
        self._handed = self._entities > 0
        ties = weights.ties
        self._semantic = None if ties is None else SemanticPush(weights, ties, reset, damping, residual)
        self._seeds = np.flatnonzero(reset.observations > 0)
        self._seed_observations(self._seeds)

    def round(self) -> bool:
        """Let every node push that has enough left; return whether any did."""
        pushed = self._push_blocks()
        pushed |= self._push_windows()
        pushed |= self._push_entities()
        if self._semantic is not None:
            pushed |= self._semantic.push(self._episodes, self._clips, self._entities, self._handed)
        return pushed

    def left(self) -> float:
        """Return the sum of all residuals; observations hold none."""
        own = float(sum(left.sum() for left in (self._episodes, self._clips, self._windows, self._entities)))
        return own if self._semantic is None else own + self._semantic.left()

    def scores(self) -> Nodes:
        """Return what every node kept, with the share of what is left that is likely its own."""
        keep = 1 - self._damping
        observed = np.repeat(keep * self._seen_clips, np.diff(self._view.first_observation))
        # An observation without an entity has the number -1: the last place, where nothing is; and nothing was handed
        # to an entity that may not be walked to.
        observed += np.append(keep * MEMBERSHIP.weight * self._seen_entities, 0.0)[self._weights.entity_of]
        observed[self._seeds] += keep * self._seeded[self._seeds]
        return Nodes(
            self._kept_episodes + _RETURNS * self._episodes,
            self._kept_clips + _RETURNS * self._clips,
            self._kept_windows + _RETURNS * self._windows,
            self._kept_entities + _RETURNS * self._entities,
            observed,
            *(() if self._semantic is None else self._semantic.scores(_RETURNS)),
        )

    def _push_blocks(self) -> bool:
        blocks, degrees = self._blocks, self._weights.degrees
        enough = self._residual * (degrees.episodes + degrees.clips)
        active = np.flatnonzero(self._episodes + self._clips > enough)
        if not len(active):
            return False
        episodes, clips = blocks.through(active, self._episodes[active], self._clips[active])
        self._episodes[active] = self._clips[active] = 0.0
        self._kept_episodes[active] += (1 - self._damping) * episodes
        self._kept_clips[active] += (1 - self._damping) * clips
        from_episode = self._damping * episodes / degrees.episodes[active]
        weights = self._weights
        observed = weights.context * from_episode + weights.provenance * self._damping * clips / degrees.clips[active]
        if self._semantic is not None:
            self._semantic.take_from_blocks(active, from_episode, self._damping * clips / degrees.clips[active])
        self._seen_clips[active] += observed
        self._to_entities(active, observed)
        _along(self._episodes, self._view.adjacency, active, from_episode)
        for parents in self._view.parents:
            targets = parents[active]
            np.add.at(self._windows, targets[targets >= 0], CONTAINMENT.weight * from_episode[targets >= 0])
        return True

    def _push_windows(self) -> bool:
        degrees = self._weights.degrees.windows
        active = np.flatnonzero(self._windows > self._residual * degrees)
        if not len(active):
            return False
        amounts = self._windows[active]
        self._windows[active] = 0.0
        self._kept_windows[active] += (1 - self._damping) * amounts
        handed = np.divide(self._damping * amounts, degrees[active], where=degrees[active] > 0, out=amounts * 0)
        _along(self._windows, self._view.window_adjacency, active, handed)
        children, starts = self._view.children
        counts = starts[active + 1] - starts[active]
        targets = children[ranges(starts[active], counts)]
        np.add.at(self._episodes, targets, np.repeat(CONTAINMENT.weight * handed, counts))
        return True

    def _push_entities(self) -> bool:
        degrees = self._weights.degrees.entities
        looked_at = np.flatnonzero(self._handed)
        self._handed[looked_at] = False
        left = self._entities[looked_at]
        enough = left > self._residual * degrees[looked_at]
        active, amounts = looked_at[enough], left[enough]
        if not len(active):
            return False
        self._entities[active] = 0.0
        linked = degrees[active] > 0
        # One seen only once is no node: what it holds of a restart stays with it.
        self._kept_entities[active[~linked]] += (1 - self._damping) * amounts[~linked]
        active, amounts = active[linked], amounts[linked] * self._blocks.entity_gains[active[linked]]
        self._kept_entities[active] += (1 - self._damping) * amounts
        handed = self._damping * amounts / degrees[active]
        self._seen_entities[active] += handed
        if self._semantic is not None:
            self._semantic.take_from_entities(active, handed)
        members, places = self._view.members(active)
        share = self._damping * MEMBERSHIP.weight * handed / self._weights.linked
        self._to_blocks(self._view.clip_of[members], share[places])
        return True

    def _seed_observations(self, seeds: Numbers) -> None:
        degrees = self._weights.degrees.observations[seeds]
        # Without a timeline one that has no entity either is no node: what it is given stays with it.
        handed = np.divide(self._damping * self._seeded[seeds], degrees, where=degrees > 0, out=np.zeros(len(seeds)))
        self._to_blocks(self._view.clip_of[seeds], handed)
        linked = self._weights.walked_to[seeds]
        entities = self._weights.entity_of[seeds[linked]]
        np.add.at(self._entities, entities, MEMBERSHIP.weight * handed[linked])
        self._handed[entities] = True

    def _to_blocks(self, clips: NDArray[np.int32], amounts: Floats) -> None:
        """Hand what observations give, per unit of edge weight, to the episodes and clips that they are of."""
        total = np.bincount(clips, amounts, minlength=len(self._episodes))
        self._episodes += self._weights.context * total
        self._clips += self._weights.provenance * total

    def _to_entities(self, clips: Numbers, observed: Floats) -> None:
        """Hand what the observations of clips were handed on to their entities."""
        first = self._weights.first_linked
        counts = first[clips + 1] - first[clips]
        targets = self._weights.linked_entities[ranges(first[clips], counts)]
        share = self._damping * MEMBERSHIP.weight / self._weights.linked * observed
        np.add.at(self._entities, targets, np.repeat(share, counts))
        self._handed[targets] = True


def _along(left: Floats, adjacency: tuple[Numbers, Numbers, Floats], active: Numbers, handed: Floats) -> None:
    before, after, weights = adjacency
    earlier, later = before[active] >= 0, after[active] >= 0
    source = before[active][earlier]
    left[source] += weights[source] * handed[earlier]
    left[after[active][later]] += weights[active][later] * handed[later]

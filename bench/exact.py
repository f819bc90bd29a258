"""The graph that a view implies, edge by edge, and personalised PageRank on it solved to the end: the reference.

Independent of the walk that search takes: here the edges are written out and iterated over as a sparse matrix.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags_array

from biographer.state.graph import CONTAINMENT, CONTEXT, MEMBERSHIP, PROVENANCE
from biographer.state.nodes import Nodes
from biographer.state.view import View
from biographer.state.weights import LEAST_SIGHTINGS

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

TOLERANCE = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Undirected edges between nodes numbered over all kinds, in the order of `Nodes`."""

    nodes: int
    left: Numbers
    right: Numbers
    weights: Floats


def edges(view: View) -> Edges:
    """Write out every edge of the graph as a view shows it."""
    counts = [len(array) for array in view.weights.degrees.arrays]
    episode, clip, window, entity, observation = np.cumsum([0, *counts[:-1]])
    observations, episodes = view.observations.numbers(), view.clips.numbers()
    clip_of, members = view.clip_of[observations], view.entity_of[observations]
    linked = (members >= 0) & (np.append(view.sightings, 0)[members] >= LEAST_SIGHTINGS)
    parts = [
        (observation + observations, episode + clip_of, CONTEXT.weight),
        (observation + observations, clip + clip_of, PROVENANCE.weight),
        (episode + episodes, clip + episodes, PROVENANCE.weight),
        (observation + observations[linked], entity + members[linked], MEMBERSHIP.weight),
    ]
    for scale in view.parents:
        inside = np.flatnonzero(scale >= 0)
        parts.append((episode + inside, window + scale[inside], CONTAINMENT.weight))
    ends = [(np.asarray(left, np.int64), np.asarray(right, np.int64)) for left, right, _ in parts]
    weights = [np.full(len(left), weight) for (left, _), (_, _, weight) in zip(ends, parts, strict=True)]
    for first, (_, after, along) in ((episode, view.adjacency), (window, view.window_adjacency)):
        at = np.flatnonzero(after >= 0)
        ends.append((first + at, first + after[at]))
        weights.append(along[at])
    left, right = (np.concatenate(side) for side in zip(*ends, strict=True))
    return Edges(sum(counts), left, right, np.concatenate(weights))


class Exact:
    """Solves for any restart on one graph, by power iteration in float64."""

    def __init__(self, graph: Edges, damping: float) -> None:
        both = (np.concatenate([graph.left, graph.right]), np.concatenate([graph.right, graph.left]))
        matrix = csr_matrix((np.tile(graph.weights, 2), both), shape=(graph.nodes, graph.nodes))
        degrees = np.asarray(matrix.sum(axis=1)).ravel()
        shares = np.divide(1.0, degrees, out=np.zeros_like(degrees), where=degrees > 0)
        self._step = (damping * (matrix @ diags_array(shares))).tocsr()
        self._damping = damping

    def solve(self, reset: Floats, tolerance: float = TOLERANCE) -> Floats:
        """Return the scores for a restart vector that sums to 1, with an L1 error of at most `tolerance`.

        Several at once, a column each (n, k), take little more than one: the graph is read once for all of them.
        """
        scores = reset.copy()
        while True:
            further: Floats = (1 - self._damping) * reset + self._step @ scores
            change = float(np.abs(further - scores).sum(axis=0).max())
            scores = further
            # A contraction by the damping: what is still to come is at most this geometric series.
            if change * self._damping / (1 - self._damping) <= tolerance:
                return further


def flat(nodes: Nodes) -> Floats:
    """Return the arrays of all kinds as one, in the order of `Edges`."""
    return np.concatenate(nodes.arrays)


def overlap(scores: Floats, exact: Floats, most: int = 50) -> float:
    """Return which share of the exact best is among the best."""
    best, truly = (set(np.argsort(-one, kind="stable")[:most].tolist()) for one in (scores, exact))
    return len(best & truly) / most

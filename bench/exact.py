"""The graph that a view implies, edge by edge, and personalised PageRank on it solved to the end: the reference.

Independent of the walk that search takes: here the edges are written out, and solved for as a sparse matrix.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags_array

from biographer.state.graph import (
    CO_CLIP,
    CONTAINMENT,
    CONTEXT,
    MEMBERSHIP,
    PROVENANCE,
    SEMANTIC_WEIGHT,
    NodeKind,
)
from biographer.state.ground import ground
from biographer.state.nodes import Nodes
from biographer.state.view import View
from biographer.state.weights import LEAST_SIGHTINGS

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

TOLERANCE = 1e-10

_FEW = 3


@dataclass(frozen=True, slots=True, eq=False)
class Edges:
    """Undirected edges between nodes numbered over all kinds, in the order of `Nodes`."""

    nodes: int
    left: Numbers
    right: Numbers
    weights: Floats


def edges(view: View) -> Edges:
    """Write out every edge of the graph as a view shows it."""
    counts = [len(array) for array in ground(view).degrees.arrays]
    episode, clip, window, entity, observation, name, fact = np.cumsum([0, *counts[:-1]])
    observations, episodes = view.observations.numbers(), view.clips.numbers()
    clip_of, members = view.clip_of[observations], view.entity_of[observations]
    linked = (members >= 0) & (np.append(view.sightings, 0)[members] >= LEAST_SIGHTINGS)
    parts = [
        (observation + observations, episode + clip_of, CONTEXT.weight),
        (observation + observations, clip + clip_of, PROVENANCE.weight),
        (episode + episodes, clip + episodes, CO_CLIP.weight),
        (observation + observations[linked], entity + members[linked], MEMBERSHIP.weight),
    ]
    for scale in view.parents:
        inside = np.flatnonzero(scale >= 0)
        parts.append((episode + inside, window + scale[inside], CONTAINMENT.weight))
    first_of = {
        NodeKind.EPISODE: episode,
        NodeKind.CLIP: clip,
        NodeKind.ENTITY: entity,
        NodeKind.NAME: name,
        NodeKind.FACT: fact,
    }
    for kind, one in (ground(view).ties or {}).items():
        lefts, places = one.of_right(np.arange(len(one.right_degrees)))
        parts.append((first_of[kind.left] + lefts, first_of[kind.right] + places, SEMANTIC_WEIGHT))
    ends = [(np.asarray(left, np.int64), np.asarray(right, np.int64)) for left, right, _ in parts]
    weights = [np.full(len(left), weight) for (left, _), (_, _, weight) in zip(ends, parts, strict=True)]
    for first, (_, after, along) in ((episode, view.adjacency), (window, view.window_adjacency)):
        at = np.flatnonzero(after >= 0)
        ends.append((first + at, first + after[at]))
        weights.append(along[at])
    left, right = (np.concatenate(side) for side in zip(*ends, strict=True))
    return Edges(sum(counts), left, right, np.concatenate(weights))


class Exact:
    """Solves for any restart on one graph, in float64, by conjugate gradients.

    With S = D^-1/2 A D^-1/2 and y = D^-1/2 x the walk's x = damping A D^-1 x + (1 - damping) restart is symmetric and
    positive definite: (I - damping S) y = (1 - damping) D^-1/2 restart. Of a month's nodes nine in ten have few
    neighbours, and none of these among themselves: they are eliminated exactly first. Power iteration took a minute
    for eight questions of a month; this takes a few seconds.
    """

    def __init__(self, graph: Edges, damping: float) -> None:
        both = (np.concatenate([graph.left, graph.right]), np.concatenate([graph.right, graph.left]))
        matrix = csr_matrix((np.tile(graph.weights, 2), both), shape=(graph.nodes, graph.nodes))
        degrees = np.asarray(matrix.sum(axis=1)).ravel()
        # A node without an edge keeps its part of a restart and gets nothing: any degree does.
        self._root = np.sqrt(np.where(degrees > 0, degrees, 1.0))
        scaled = (damping * (diags_array(1 / self._root) @ matrix @ diags_array(1 / self._root))).tocsr()
        alone = _independent(graph, np.diff(matrix.indptr))
        self._alone, self._rest = np.flatnonzero(alone), np.flatnonzero(~alone)
        self._to_rest = scaled[self._rest][:, self._alone].tocsr()
        self._to_alone = self._to_rest.T.tocsr()
        self._step = (scaled[self._rest][:, self._rest] + self._to_rest @ self._to_alone).tocsr()
        self._damping = damping

    def solve(self, reset: Floats, tolerance: float = TOLERANCE) -> Floats:
        """Return the scores for a restart vector that sums to 1, with an L1 error of at most `tolerance`.

        Several at once, a column each (n, k), take little more than one: the graph is read once for all of them.
        """
        columns = reset.reshape(len(reset), -1)
        wanted = (1 - self._damping) * columns / self._root[:, None]
        # The inverse of the walk's system adds up powers of the damping: no residual weighs more than this in L1.
        enough = tolerance * (1 - self._damping)
        rest = self._gradients(wanted[self._rest] + self._to_rest @ wanted[self._alone], enough)
        scores = np.empty_like(columns)
        scores[self._rest] = rest
        scores[self._alone] = wanted[self._alone] + self._to_alone @ rest
        scores *= self._root[:, None]
        return scores.reshape(reset.shape)

    def _gradients(self, wanted: Floats, enough: float) -> Floats:
        """Solve what is left after elimination until the residuals' weighted L1 norm, counted afresh, is `enough`."""
        found, root = np.zeros_like(wanted), self._root[self._rest]
        while True:
            left = wanted - found + self._step @ found
            if (root @ np.abs(left)).max() <= enough:
                return found
            self._descend(found, left, root, enough / 2)

    def _descend(self, found: Floats, left: Floats, root: Floats, enough: float) -> None:
        """Improve `found` in place from the residuals `left`; rounding makes the residuals that it goes by drift."""
        along = left.copy()
        square = np.einsum("ij,ij->j", left, left)
        while (root @ np.abs(left)).max() > enough:
            image = along - self._step @ along
            length = _over(square, np.einsum("ij,ij->j", along, image))
            found += length * along
            left -= length * image
            before, square = square, np.einsum("ij,ij->j", left, left)
            along *= _over(square, before)
            along += left


def _over(over: Floats, under: Floats) -> Floats:
    """Return the quotients; 0 where a column is solved already."""
    return np.divide(over, under, out=np.zeros_like(over), where=under > 0)


def _independent(graph: Edges, neighbours: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Return nodes of at most three neighbours, none beside another: of two that are, the later."""
    few = neighbours <= _FEW
    both = few[graph.left] & few[graph.right]
    few[np.minimum(graph.left[both], graph.right[both])] = False
    return few


def flat(nodes: Nodes) -> Floats:
    """Return the arrays of all kinds as one, in the order of `Edges`."""
    return np.concatenate(nodes.arrays)


def overlap(scores: Floats, exact: Floats, most: int = 50) -> float:
    """Return which share of the exact best is among the best."""
    best, truly = (set(np.argsort(-one, kind="stable")[:most].tolist()) for one in (scores, exact))
    return len(best & truly) / most

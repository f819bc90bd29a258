"""A view's graph as a dense matrix, edge by edge from what the view shows, and the walk on it solved exactly."""

from collections.abc import Iterator, Sequence

import numpy as np

from biographer.state.ablation import IDENTITY, Ablation
from biographer.state.graph import NodeKind
from biographer.state.ground import ground
from biographer.state.nodes import Nodes
from biographer.state.remark import Remark
from biographer.state.view import View

Edge = tuple[tuple[int, int], tuple[int, int], float]
"""Two nodes, each its array among `Nodes.arrays` and its number there, and a weight."""

Remarks = Sequence[tuple[Remark, int]]
"""Remarks with since when each is known."""

EPISODE, CLIP, WINDOW, ENTITY, OBSERVATION, NAME, FACT = range(7)
PLACES = {
    NodeKind.EPISODE: EPISODE,
    NodeKind.CLIP: CLIP,
    NodeKind.ENTITY: ENTITY,
    NodeKind.NAME: NAME,
    NodeKind.FACT: FACT,
}


def edges(view: View, without: frozenset[Ablation], remarks: Remarks) -> Iterator[Edge]:
    for number in view.clips.numbers().tolist():
        yield (EPISODE, number), (CLIP, number), 0.8
        for place in view.parents[:, number].tolist():
            if place >= 0:
                yield (EPISODE, number), (WINDOW, place), 1.0
    for number in view.observations.numbers().tolist():
        if Ablation.TIMELINE not in without:
            yield (OBSERVATION, number), (EPISODE, int(view.clip_of[number])), 1.0
            yield (OBSERVATION, number), (CLIP, int(view.clip_of[number])), 0.8
        entity = int(view.entity_of[number])
        if entity >= 0 and view.sightings[entity] >= 2 and not without & IDENTITY:
            yield (OBSERVATION, number), (ENTITY, entity), 0.5
    for left, right in semantic(view, without, remarks):
        yield left, right, 1.0
    for kind, (_, after, weights) in ((EPISODE, view.adjacency), (WINDOW, view.window_adjacency)):
        for number in np.flatnonzero(after >= 0).tolist():
            yield (kind, number), (kind, int(after[number])), float(weights[number])


def semantic(
    view: View, without: frozenset[Ablation], remarks: Remarks
) -> set[tuple[tuple[int, int], tuple[int, int]]]:
    """Pairs that remarks tie, each since it is known, and that names of entities do."""
    clips = {name: number for number, name in enumerate(view.index.names)}
    numbers, found = view.index.told.semantics.numbers, set()
    for remark, known_us in remarks:
        if view.as_of_us is None or known_us <= view.as_of_us:
            for kind, left, right in numbers.ties(remark, clips):
                found.add(((PLACES[kind.left], left), (PLACES[kind.right], right)))
    for kind, left, right in numbers.borne(view.standing.names):
        if view.sightings[right] >= 2 and not without & IDENTITY:
            found.add(((PLACES[kind.left], left), (PLACES[kind.right], right)))
    return found


def matrix(view: View, without: frozenset[Ablation] = frozenset(), remarks: Remarks = ()) -> np.ndarray:
    counts = [len(array) for array in ground(view, without).degrees.arrays]
    first = np.cumsum([0, *counts])
    dense = np.zeros((first[-1], first[-1]))
    for (left, one), (right, other), weight in edges(view, without, remarks):
        dense[first[left] + one, first[right] + other] += weight
        dense[first[right] + other, first[left] + one] += weight
    return dense


def solved(
    view: View, reset: Nodes, damping: float, without: frozenset[Ablation] = frozenset(), remarks: Remarks = ()
) -> np.ndarray:
    dense = matrix(view, without, remarks)
    degrees = dense.sum(axis=0)
    steps = dense / np.where(degrees > 0, degrees, 1.0)
    restart = (1 - damping) * np.concatenate(reset.arrays)
    result: np.ndarray = np.linalg.solve(np.eye(len(dense)) - damping * steps, restart)
    return result

"""A view's graph as a dense matrix, edge by edge from what the view shows, and the walk on it solved exactly."""

from collections.abc import Iterator

import numpy as np

from biographer.state.ablation import EDGES, IDENTITY, Ablation
from biographer.state.nodes import Nodes
from biographer.state.view import View

Edge = tuple[tuple[int, int], tuple[int, int], float]
"""Two nodes, each its array among `Nodes.arrays` and its number there, and a weight."""

EPISODE, CLIP, WINDOW, ENTITY, OBSERVATION = range(5)


def edges(view: View, without: frozenset[Ablation] = frozenset()) -> Iterator[Edge]:
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
    for kind, (_, after, weights) in ((EPISODE, view.adjacency), (WINDOW, view.window_adjacency)):
        for number in np.flatnonzero(after >= 0).tolist():
            yield (kind, number), (kind, int(after[number])), float(weights[number])


def matrix(view: View, without: frozenset[Ablation] = frozenset()) -> np.ndarray:
    counts = [len(array) for array in view.weights_without(without & EDGES).degrees.arrays]
    first = np.cumsum([0, *counts])
    dense = np.zeros((first[-1], first[-1]))
    for (left, one), (right, other), weight in edges(view, without):
        dense[first[left] + one, first[right] + other] += weight
        dense[first[right] + other, first[left] + one] += weight
    return dense


def solved(view: View, reset: Nodes, damping: float, without: frozenset[Ablation] = frozenset()) -> np.ndarray:
    dense = matrix(view, without)
    degrees = dense.sum(axis=0)
    steps = dense / np.where(degrees > 0, degrees, 1.0)
    restart = (1 - damping) * np.concatenate(reset.arrays)
    result: np.ndarray = np.linalg.solve(np.eye(len(dense)) - damping * steps, restart)
    return result

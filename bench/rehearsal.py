"""GEB's rule over a table of similarities: what a memory would decide, thousands of times a second.

For finding thresholds only; what is scored is decided by the memory itself, and a test holds the two together. Nothing
here is late, anchored or re-ordered.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from biographer.bench.metrics import b_cubed, pairwise
from biographer.bench.streams_of_photographs import Shown
from biographer.state.rule import Thresholds

Grouping = list[int]
"""An entity for each sighting, in order of the clips that show them."""


def rehearsed(
    clips: Sequence[Shown], similar: NDArray[np.float64], thresholds: Thresholds, references: int = 10
) -> Grouping:
    """Return the entity of every sighting; two of one clip are apart. `similar` holds cosines by row."""
    table = similar.tolist()
    sets: list[list[int]] = []
    found: Grouping = []
    for shown in clips:
        for place, row in enumerate(shown):
            entity = _chosen(table[row], sets, thresholds, frozenset(shown[:place]))
            if entity == len(sets):
                sets.append([])
            sets[entity] = [*sets[entity], row][-references:]
            found.append(entity)
    return found


def _chosen(cosines: Sequence[float], sets: Sequence[list[int]], thresholds: Thresholds, apart: frozenset[int]) -> int:
    best, chosen = -2.0, len(sets)
    for entity, rows in enumerate(sets):
        values = [cosines[row] for row in rows]
        if min(values) >= thresholds.similar_to_all and max(values) >= thresholds.similar_to_one:
            mean = sum(values) / len(values)
            if mean > best and apart.isdisjoint(rows):
                best, chosen = mean, entity
    return chosen


def best_thresholds(score: Callable[[Thresholds], float]) -> tuple[Thresholds, float]:
    """Return the thresholds of the highest score: on a coarse grid first, then on a fine one around its best."""
    coarse = _grid(np.arange(-0.1, 0.85, 0.1), np.arange(0.0, 0.95, 0.1))
    found, _ = _best(coarse, score)
    near_all = found.similar_to_all + np.arange(-0.1, 0.11, 0.025)
    near_one = found.similar_to_one + np.arange(-0.1, 0.11, 0.025)
    return _best(_grid(near_all, near_one), score)


def grouping_f1(truth: Sequence[str], found: Sequence[int]) -> float:
    """Return the mean of pairwise and B-cubed F1: what thresholds are chosen by."""
    return (pairwise(truth, found).f1 + b_cubed(truth, found).f1) / 2


def _grid(alls: Iterable[float], ones: Iterable[float]) -> list[Thresholds]:
    pairs = [(round(float(low), 4), round(float(high), 4)) for low, high in product(alls, ones)]
    return [Thresholds(low, high) for low, high in pairs if -1 <= low < high <= 1]


def _best(grid: Sequence[Thresholds], score: Callable[[Thresholds], float]) -> tuple[Thresholds, float]:
    """Return the best of a grid; among equals the one in their middle, which is the least chance's doing."""
    scores = [score(thresholds) for thresholds in grid]
    highest = max(scores)
    equals = [thresholds for thresholds, value in zip(grid, scores, strict=True) if value >= highest - 1e-9]
    return equals[len(equals) // 2], highest

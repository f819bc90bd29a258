"""How well a grouping of sightings agrees with the truth: pairwise and B-cubed precision, recall and F1.

B-cubed after Bagga and Baldwin 1998 (Algorithms for scoring coreference chains), every sighting weighing the same.
"""

from collections.abc import Hashable, Iterable, Sequence
from math import fsum

import msgspec
import numpy as np
from numpy.typing import NDArray


class Score(msgspec.Struct, frozen=True):
    """Precision, recall and their harmonic mean, each 0..1."""

    precision: float
    recall: float
    f1: float

    @classmethod
    def of(cls, precision: float, recall: float) -> "Score":
        """Add the harmonic mean; 0 where both are 0."""
        total = precision + recall
        return cls(precision, recall, 2 * precision * recall / total if total else 0.0)


def pairwise(truth: Sequence[Hashable], found: Sequence[Hashable]) -> Score:
    """Score the pairs that are put together; with no pair to find or none found, that side is 1 (nothing was wrong)."""
    table = contingency(truth, found)
    together, true, put = _pairs(table), _pairs(table.sum(axis=1)), _pairs(table.sum(axis=0))
    return Score.of(together / put if put else 1.0, together / true if true else 1.0)


def b_cubed(truth: Sequence[Hashable], found: Sequence[Hashable]) -> Score:
    """Score each sighting by who it is put together with, itself included, and take the mean; 1 for no sightings."""
    table = contingency(truth, found).astype(np.float64)
    total = table.sum()
    if not total:
        return Score.of(1.0, 1.0)
    shared = table**2
    precision = float((shared / table.sum(axis=0, keepdims=True)).sum() / total)
    recall = float((shared / table.sum(axis=1, keepdims=True)).sum() / total)
    return Score.of(precision, recall)


def mean(scores: Iterable[Score]) -> Score:
    """Return the mean of each number by itself: the F1 is the mean of F1s."""
    listed = list(scores)
    return Score(
        fsum(one.precision for one in listed) / len(listed),
        fsum(one.recall for one in listed) / len(listed),
        fsum(one.f1 for one in listed) / len(listed),
    )


def contingency(truth: Sequence[Hashable], found: Sequence[Hashable]) -> NDArray[np.int64]:
    """Return how many sightings each true group shares with each found one (rows of truth, columns of found)."""
    if len(truth) != len(found):
        raise ValueError(f"{len(truth)} sightings in truth, {len(found)} found")
    rows, columns = _numbered(truth), _numbered(found)
    table = np.zeros((max(rows, default=-1) + 1, max(columns, default=-1) + 1), np.int64)
    np.add.at(table, (rows, columns), 1)
    return table


def _numbered(names: Sequence[Hashable]) -> list[int]:
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(name, len(numbers)) for name in names]


def _pairs(counts: NDArray[np.int64]) -> int:
    return int((counts * (counts - 1) // 2).sum())

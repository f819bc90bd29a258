"""An append-only lexical index: which documents hold which terms, scored by BM25 over what a reader may see.

Search libraries keep statistics of the whole corpus, which would let a question asked as of then look ahead. Here
frequencies and lengths are those of the visible documents alone (DESIGN section 5, as-of).
"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from biographer.state.column import Column
from biographer.state.visible import Visible

K1, B = 1.2, 0.75
"""BM25's usual constants; others (0.6..2, 0.4) changed the evidence bench by less than a question in a hundred."""


class Postings:
    """Documents numbered from 0 in order of `add`; one writer, any number of readers."""

    def __init__(self) -> None:
        self.lengths = Column(np.int32)
        self._documents: dict[str, Column[np.int32]] = {}

    def __len__(self) -> int:
        """Count the documents."""
        return len(self.lengths)

    def add(self, terms: Sequence[str], length: int) -> int:
        """Add a document with its terms and its length by BM25's measure; return its number."""
        number = self.lengths.append(length)
        for term, count in Counter(terms).items():
            column = self._documents.get(term)
            if column is None:
                column = self._documents[term] = Column(np.int32, (2,), room=2)
            column.append((number, count))
        return number

    def scores(self, terms: Sequence[str], visible: Visible) -> tuple[NDArray[np.float64], float]:
        """Return BM25 of each document (count,), 0 for what is not to be seen, and the most that these terms can give.

        The second is what a document full of every term would approach; 0 where there are no terms or no documents.
        """
        scores = np.zeros(visible.count)
        total, most = visible.total, 0.0
        if not total or not terms:
            return scores, 0.0
        lengths = self.lengths[: visible.count]
        norms = K1 * (1 - B + B * lengths / max(1.0, self._mean_length(visible)))
        for term, times in sorted(Counter(terms).items()):
            documents, counts = self._visible(term, visible)
            rarity = times * math.log(1 + (total - len(documents) + 0.5) / (len(documents) + 0.5))
            most += rarity * (K1 + 1)
            scores[documents] += rarity * (K1 + 1) * counts / (counts + norms[documents])
        return scores, most

    def _visible(self, term: str, visible: Visible) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        column = self._documents.get(term)
        if column is None:
            return np.empty(0, np.int32), np.empty(0, np.int32)
        rows = column.view()
        kept = rows[visible.upto(rows[:, 0])]
        return kept[:, 0], kept[:, 1]

    def _mean_length(self, visible: Visible) -> float:
        lengths = self.lengths[: visible.count]
        chosen = lengths if visible.mask is None else lengths[visible.mask]
        return float(chosen.sum(dtype=np.int64)) / max(1, len(chosen))

"""An append-only lexical index: which documents hold which terms, scored by BM25 over what a reader may see.

Search libraries keep statistics of the whole corpus, which would let a question asked as of then look ahead. Here
frequencies and lengths are those of the visible documents alone (DESIGN section 5, as-of).
"""

import math
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from biographer.state.column import Column
from biographer.state.visible import Visible

K1, B = 1.2, 0.75
"""BM25's usual constants; others (0.6..2, 0.4) changed the evidence bench by less than a question in a hundred."""


@dataclass(slots=True)
class Posted:
    """Documents in a row: terms that are new with them, their lengths, and how many distinct terms each has.

    `ids` and `counts` are those of the terms, document by document; terms are numbered as they first came.
    """

    terms: list[str] = field(default_factory=list)
    lengths: "array[int]" = field(default_factory=lambda: array("i"))
    sizes: "array[int]" = field(default_factory=lambda: array("i"))
    ids: "array[int]" = field(default_factory=lambda: array("i"))
    counts: "array[int]" = field(default_factory=lambda: array("i"))

    def packed(self) -> tuple[list[str], bytes, bytes, bytes, bytes]:
        """Return the fields as what a file can hold."""
        return self.terms, self.lengths.tobytes(), self.sizes.tobytes(), self.ids.tobytes(), self.counts.tobytes()

    @classmethod
    def unpacked(cls, terms: list[str], *columns: bytes) -> "Posted":
        """Return what was packed."""
        return cls(terms, *(array("i", column) for column in columns))


class Postings:
    """Documents numbered from 0 in order of `add`; one writer, any number of readers."""

    def __init__(self) -> None:
        self.lengths = Column(np.int32)
        self._terms: dict[str, int] = {}
        self._documents: list[Column[np.int32]] = []
        self._fresh = Posted()

    def __len__(self) -> int:
        """Count the documents."""
        return len(self.lengths)

    def add(self, terms: Sequence[str], length: int) -> int:
        """Add a document with its terms and its length by BM25's measure; return its number."""
        number, counts = self.lengths.append(length), Counter(terms)
        for term, count in counts.items():
            known = self._terms.get(term)
            if known is None:
                known = self._terms[term] = len(self._documents)
                self._documents.append(Column(np.int32, (2,), room=2))
                self._fresh.terms.append(term)
            self._documents[known].append((number, count))
            self._fresh.ids.append(known)
        self._fresh.counts.extend(counts.values())
        self._fresh.sizes.append(len(counts))
        self._fresh.lengths.append(length)
        return number

    def taken(self) -> Posted:
        """Return what was added since this was last asked."""
        fresh, self._fresh = self._fresh, Posted()
        return fresh

    def refill(self, parts: Sequence[Posted]) -> None:
        """Add to empty postings all that was once taken from others, in that order."""
        lengths, sizes, ids, counts = (
            np.concatenate([np.asarray(part, np.int32) for part in column] or [np.empty(0, np.int32)])
            for column in zip(*((one.lengths, one.sizes, one.ids, one.counts) for one in parts), strict=True)
        )
        self._terms = {term: number for number, term in enumerate(term for one in parts for term in one.terms)}
        self.lengths.extend(lengths)
        numbers = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        order = _by_term(ids)
        rows = np.stack([numbers[order], counts[order]], axis=1)
        cuts = np.cumsum(np.bincount(ids, minlength=len(self._terms)))[:-1]
        self._documents = [Column.of(part) for part in np.split(rows, cuts)] if self._terms else []

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
        known = self._terms.get(term)
        if known is None:
            return np.empty(0, np.int32), np.empty(0, np.int32)
        rows = self._documents[known].view()
        kept = rows[visible.upto(rows[:, 0])]
        return kept[:, 0], kept[:, 1]

    def _mean_length(self, visible: Visible) -> float:
        lengths = self.lengths[: visible.count]
        chosen = lengths if visible.mask is None else lengths[visible.mask]
        return float(chosen.sum(dtype=np.int64)) / max(1, len(chosen))


def _by_term(ids: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return the stable order of small whole numbers, by their lower and their higher half: numpy counts those."""
    order = np.argsort((ids & 0xFFFF).astype(np.uint16), kind="stable")
    higher = (ids >> 16).astype(np.uint16)
    return order[np.argsort(higher[order], kind="stable")] if higher.any() else order

"""How well what was written about units fits a query: their further documents' coverage and cosines, the best of each.

Nothing is there where nothing is written, and whoever asks then ranks as if this did not exist.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biographer.state.graph import NodeKind
from biographer.state.query import Query
from biographer.state.view import View

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """Units of one kind, by number and rising, with their documents' best: share of what BM25 could give, cosine."""

    units: Numbers
    coverage: Floats
    cosine: Floats

    def spread(self, count: int, places: Numbers | None = None) -> tuple[Floats, Floats]:
        """Return coverage and cosine of `count` units, 0 where nothing is said; `places` instead of numbers."""
        coverage, cosine = np.zeros(count), np.zeros(count)
        at = self.units if places is None else places
        inside = (at >= 0) & (at < count)
        coverage[at[inside]], cosine[at[inside]] = self.coverage[inside], self.cosine[inside]
        return coverage, cosine


def told_cosines(view: View, query: Query) -> NDArray[np.float32]:
    """Return the cosines of all texts that were written with a query: one product for all kinds of units."""
    extent = view.extent.told
    return view.index.told.texts.cosines(query.vector, extent.texts, extent.vectors)


def said_of(view: View, kind: NodeKind, terms: list[str], told: NDArray[np.float32]) -> Said | None:
    """Return how what is written about units of a kind fits, by `told_cosines`; None where nothing is to be seen."""
    visible = view.told[kind]
    if not visible.total:
        return None
    documents = view.index.told.documents[kind]
    lexical, most = documents.postings.scores(terms, visible)
    rows = visible.numbers()
    texts = documents.texts[: visible.count][rows]
    cosines = told[texts]
    units, places = view.told_units[kind]
    coverage, cosine = np.zeros(len(units)), np.zeros(len(units))
    np.maximum.at(coverage, places, lexical[rows] / most if most else 0.0)
    np.maximum.at(cosine, places, cosines.astype(np.float64))
    return Said(units, coverage, cosine)

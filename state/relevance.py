"""How well every unit's own words (and looks) fit a query: cosines and BM25 by kind. The graph plays no part here."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from biographer.state.ablation import Ablation
from biographer.state.graph import NodeKind
from biographer.state.named import both, named
from biographer.state.observation import Embedding
from biographer.state.query import Query
from biographer.state.said import Said, said_of, told_cosines
from biographer.state.tokens import Tokens
from biographer.state.view import View
from biographer.state.visible import Visible

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Of units of one kind: BM25, the most that the query's words could give, cosines of two grains, and of looks."""

    lexical: Floats
    most: float
    coarse: Floats
    fine: Floats

    @property
    def cosine(self) -> Floats:
        """The best cosine of a unit's texts."""
        return np.maximum(self.coarse, self.fine)

    @property
    def coverage(self) -> Floats:
        """BM25 as a share of the most that the words could give, 0..1."""
        return self.lexical / self.most if self.most else self.lexical


@dataclass(frozen=True, slots=True, eq=False)
class Relevance:
    """Fits of episodes, phrases (the distinct texts of observations) and windows; looks of observations."""

    episodes: Fit
    phrases: Fit
    windows: Fit
    looks: Floats | None
    said: Said | None = None
    """What was written about observations one by one, and what their entities are called."""
    facts: Said | None = None
    names: Mapping[int, float] = field(default_factory=dict)
    """Names that the query holds whole, each with the share of its words that that is."""

    @classmethod
    def of(
        cls, view: View, query: Query, looks: Floats | None = None, without: frozenset[Ablation] = frozenset()
    ) -> "Relevance":
        """Fit everything that the view shows to the query; `looks` are cosines of observations with its picture.

        Without association a name that a user gave to an entity says nothing of its observations.
        """
        terms = Tokens().asked(query.text)
        cosines = view.index.texts.cosines(query.vector, view.extent.texts, view.extent.vectors)
        told = told_cosines(view, query)
        called = None if Ablation.ASSOCIATION in without else named(view, terms)
        return cls(
            _with(_episodes(view, terms, cosines), said_of(view, NodeKind.EPISODE, terms, told)),
            _phrases(view, terms, cosines),
            _with(
                _windows(view, terms, query.vector), said_of(view, NodeKind.WINDOW, terms, told), view.window_numbers
            ),
            looks,
            both(said_of(view, NodeKind.OBSERVATION, terms, told), called),
            said_of(view, NodeKind.FACT, terms, told),
            {name: words / len(set(terms)) for name, words in view.semantics.called(terms).items()},
        )


def _episodes(view: View, terms: list[str], cosines: NDArray[np.float32]) -> Fit:
    index, count = view.index, view.clips.count
    lexical, most = index.episodes.scores(terms, view.clips)
    first_segment, first_line = index.first_segment[: count + 1], index.first_line[: count + 1]
    segment = best(cosines[index.segment_texts[: first_segment[-1]]], first_segment)
    line = best(cosines[index.line_texts[: first_line[-1]]], first_line)
    return Fit(lexical, most, view.clips.hide(segment, 0.0), view.clips.hide(line, 0.0))


def _phrases(view: View, terms: list[str], cosines: NDArray[np.float32]) -> Fit:
    lexical, most = view.index.phrases.scores(terms, view.phrases)
    own = cosines[view.index.phrase_texts[: view.phrases.count]].astype(np.float64)
    own = view.phrases.hide(own, 0.0)
    return Fit(lexical, most, own, own)


def _windows(view: View, terms: list[str], vector: Embedding | None) -> Fit:
    index, versions = view.index, view.extent.window_versions
    mask = np.zeros(versions, np.bool_)
    mask[view.windows] = True
    lexical, most = index.windows.postings.scores(terms, Visible(versions, mask))
    rows = index.windows.rows[view.windows]
    cosines = np.zeros(len(rows))
    if vector is not None and vector.embedder == index.texts.embedder and len(rows) and rows.max() >= 0:
        found = np.append(index.windows.codes.cosines(vector.vector, int(rows.max()) + 1), np.float32(0))
        cosines = found[rows].astype(np.float64)
    return Fit(lexical[view.windows], most, cosines, cosines)


def _with(fit: Fit, said: Said | None, numbers: NDArray[np.int64] | None = None) -> Fit:
    """Return a fit with that of what was written besides; `numbers` are the units', rising, where they go by place."""
    if said is None:
        return fit
    places = None if numbers is None else _places_of(said.units, numbers)
    coverage, cosine = said.spread(len(fit.lexical), places)
    return Fit(
        np.maximum(fit.lexical, coverage * fit.most),
        fit.most,
        np.maximum(fit.coarse, cosine),
        np.maximum(fit.fine, cosine),
    )


def _places_of(wanted: NDArray[np.int64], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each wanted number stands among rising ones, -1 where it does not."""
    if not len(numbers):
        return np.full(len(wanted), -1)
    places = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
    return np.where(numbers[places] == wanted, places, -1)


def best(values: NDArray[np.float32], first: NDArray[np.int64]) -> Floats:
    """Return the greatest of values[first[i]:first[i + 1]] for each i, 0 where there is none or all are below 0."""
    found = np.zeros(len(first) - 1)
    filled = np.flatnonzero(np.diff(first) > 0)
    if len(filled):
        found[filled] = np.maximum(0.0, np.maximum.reduceat(values, first[:-1][filled]))
    return found

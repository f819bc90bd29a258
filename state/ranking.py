"""Final scores: a unit's own relevance, what its neighbours and the walk say of it, and how long ago it was."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from biographer.state.nodes import Nodes
from biographer.state.relevance import Fit, Relevance
from biographer.state.search_settings import SearchSettings
from biographer.state.times import SECOND_US
from biographer.state.view import View

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Final scores by number; units with nothing to say for them have -inf."""

    episodes: Floats
    windows: Floats
    observations: Floats

    @classmethod
    def of(cls, view: View, relevance: Relevance, walked: Nodes | None, settings: SearchSettings) -> "Scores":
        """Score every unit that the view shows; without a walk by its own relevance and age alone."""
        if walked is None:
            walked, settings = view.weights.degrees.zeros(), replace(settings, neighbour=0.0, hour=0.0)
        elif settings.score != "sum":
            return _papers(view, relevance, walked, magic=settings.score == "magic")
        own = _own(relevance.episodes, settings)
        context = settings.neighbour * _beside(view, own) + settings.hour * _around(view, own)
        context -= _age(view, view.starts, settings)
        # An observation is told in its episode's context: without it no observation would stand beside its own episode.
        observed = _observed(view, relevance, settings)
        if relevance.looks is not None:
            observed += (settings.segment + settings.line) * relevance.looks
        windows = _own(relevance.windows, settings)
        return cls(
            _final(own, context, walked.episodes, settings),
            _final(windows, -_age(view, view.window_spans[0], settings), walked.windows, settings),
            _final(observed, np.repeat(context, np.diff(view.first_observation)), walked.observations, settings),
        )


def _observed(view: View, relevance: Relevance, settings: SearchSettings) -> Floats:
    """Return what the words of each observation say for it: its own, or what was written about it where that fits."""
    fit, said = relevance.phrases, relevance.said
    observed = _own(fit, settings)[view.phrase_of]
    if said is not None:
        own = view.phrase_of[said.units]
        coverage = np.maximum(fit.coverage[own], said.coverage)
        coarse, fine = np.maximum(fit.coarse[own], said.cosine), np.maximum(fit.fine[own], said.cosine)
        observed[said.units] = settings.lexical * coverage + settings.segment * coarse + settings.line * fine
    return observed


def _own(fit: Fit, settings: SearchSettings) -> Floats:
    return settings.lexical * fit.coverage + settings.segment * fit.coarse + settings.line * fit.fine


def _beside(view: View, own: Floats) -> Floats:
    before, after, _ = view.adjacency
    padded = np.append(own, 0.0)
    result: Floats = padded[before] + padded[after]
    return result


def _around(view: View, own: Floats) -> Floats:
    best = np.zeros(int(view.hours.max(initial=-1)) + 1)
    np.maximum.at(best, view.hours, own)
    result: Floats = best[view.hours]
    return result


def _age(view: View, starts: NDArray[np.int64], settings: SearchSettings) -> Floats:
    hours = np.maximum(0, (view.watermark_us or 0) - starts) / (3600 * SECOND_US)
    result: Floats = settings.recency * np.log1p(hours)
    return result


def _final(own: Floats, context: Floats, walked: Floats, settings: SearchSettings) -> Floats:
    most = float(walked.max(initial=0.0))
    scores = own + context
    if most:
        scores += settings.walk / most * walked
    np.putmask(scores, (own <= 0) & (walked <= 0), -np.inf)
    return scores


def _papers(view: View, relevance: Relevance, walked: Nodes, *, magic: bool) -> Scores:
    observed = relevance.phrases.cosine[view.phrase_of]
    if relevance.said is not None:
        told = relevance.said.units
        observed[told] = np.maximum(observed[told], relevance.said.cosine)
    if relevance.looks is not None:
        observed = np.maximum(observed, relevance.looks)
    cosines = (relevance.episodes.cosine, relevance.windows.cosine, observed)
    ranks = (walked.episodes, walked.windows, walked.observations)
    return Scores(
        *(
            np.where(rank > 0, rank * ((1 + cosine) / 2 if magic else cosine), -np.inf)
            for rank, cosine in zip(ranks, cosines, strict=True)
        )
    )

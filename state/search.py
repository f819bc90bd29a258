"""Search: a query against a view, in one straight line. Plain calls; no model, no clock, no I/O.

question -> relevance of every unit -> seeds -> one walk -> scores -> quotas -> evidence
"""

from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from biographer.state.ablation import Ablation
from biographer.state.eligible import Eligible
from biographer.state.graph import NodeKind
from biographer.state.ground import ground
from biographer.state.items import item
from biographer.state.push import Walk, walk
from biographer.state.query import Evidence, Item, Query, Unit
from biographer.state.ranking import Scores
from biographer.state.relevance import Relevance
from biographer.state.search_settings import SearchSettings
from biographer.state.seeds import Seed, reset_vector, seeds
from biographer.state.view import View

Floats = NDArray[np.float64]

_WAYS = (NodeKind.NAME, NodeKind.FACT)
"""Nodes that lead to evidence and are none."""

_BLOCK = 64
"""So many values are looked at as one while the greatest are picked out."""


def search(view: View, query: Query, settings: SearchSettings, looks: Floats | None = None) -> Evidence:
    """Return the evidence for a query; `looks` are the cosines of the view's observations with its picture.

    The view is to be as of the query's time. Raises nothing: what a query must not be is refused when it is made.
    """
    eligible = Eligible.of(view, query)
    if query.by_time_alone:
        return _read_out(view, query, eligible)
    relevance = Relevance.of(view, query, looks, settings.without)
    found = seeds(view, relevance, eligible, settings)
    if not found:
        return Evidence(view.version, view.watermark_us, (), "no_seeds")
    walked = _walked(view, found, settings)
    scores = Scores.of(view, relevance, None if walked is None else walked.scores, settings)
    chosen = _within_quotas(view, _best(scores, eligible, query.limit, settings), query.limit, settings)
    items = tuple(_item(view, unit, score, found, settings) for unit, score in chosen)
    # A name may be all that meets the memory, and lead to nothing that the query lets through.
    reason = "no_seeds" if not items and all(seed.unit.kind in _WAYS for seed in found) else None
    return Evidence(view.version, view.watermark_us, items, reason, error=0.0 if walked is None else walked.error)


def _walked(view: View, found: list[Seed], settings: SearchSettings) -> Walk | None:
    if Ablation.GRAPH in settings.without:
        return None
    weights = ground(view, settings.without)
    return walk(view, reset_vector(view, found, settings), settings.damping, settings.residual, weights)


def _item(view: View, unit: Unit, score: float, found: list[Seed], settings: SearchSettings) -> Item:
    one = item(view, unit, score, _channels(unit, found))
    return replace(one, entity=None) if Ablation.ASSOCIATION in settings.without else one


def _best(scores: Scores, eligible: Eligible, limit: int, settings: SearchSettings) -> list[tuple[Unit, float]]:
    """Return more than enough units of each kind, best first; windows by place."""
    found = []
    if settings.episodes > 0:
        found += _highest(NodeKind.EPISODE, scores.episodes, eligible.episodes, limit)
    if settings.observations > 0:
        found += _highest(NodeKind.OBSERVATION, scores.observations, eligible.observations, 16 * limit)
    if any(share > 0 for share in settings.windows.values()):
        found += _highest(NodeKind.WINDOW, scores.windows, eligible.windows, 4 * limit)
    return sorted(found, key=lambda one: (-one[1], one[0]))


def _highest(kind: NodeKind, scores: Floats, eligible: NDArray[np.bool_], most: int) -> list[tuple[Unit, float]]:
    shown = scores if bool(eligible.all()) else np.where(eligible, scores, -np.inf)
    numbers = np.flatnonzero(shown > -np.inf) if len(shown) < 4 * _BLOCK * most else _reaching(shown, most)
    values = shown[numbers]
    order = np.lexsort((numbers, -values))[:most]
    return [(Unit(kind, int(numbers[at])), float(values[at])) for at in order]


def _reaching(values: Floats, most: int) -> NDArray[np.int64]:
    """Return the numbers of values among which the `most` greatest are: those not below the best of as many blocks."""
    whole = len(values) // _BLOCK * _BLOCK
    best = values[:whole].reshape(-1, _BLOCK).max(axis=1)
    least = max(float(np.partition(best, -most)[-most]), np.nextafter(-np.inf, 0))
    return np.flatnonzero(values >= least)


def _within_quotas(
    view: View, ranked: list[tuple[Unit, float]], limit: int, settings: SearchSettings
) -> list[tuple[Unit, float]]:
    shares = {**settings.windows, "observation": settings.observations, "local": settings.episodes}
    room = Counter({kind: int(share * limit) for kind, share in shares.items()})
    entities: Counter[int] = Counter()
    associated = Ablation.ASSOCIATION not in settings.without
    chosen, over = list[tuple[Unit, float]](), list[tuple[Unit, float]]()
    for unit, score in ranked:
        entity = int(view.entity_of[unit.number]) if unit.kind == NodeKind.OBSERVATION and associated else -1
        kind = _quota(view, unit)
        if len(chosen) == limit:
            break
        if shares.get(kind, 0) > 0 and (entity < 0 or entities[entity] < settings.per_entity):
            entities[entity] += 1
            (chosen if room[kind] > 0 else over).append((unit, score))
            room[kind] -= 1
    # Places that no other kind wants are not left empty.
    return sorted(chosen + over[: limit - len(chosen)], key=lambda one: (-one[1], one[0]))


def _quota(view: View, unit: Unit) -> str:
    if unit.kind == NodeKind.OBSERVATION:
        return "observation"
    if unit.kind == NodeKind.WINDOW:
        return view.index.windows.versions[int(view.windows[unit.number])].scale
    return "local"


def _channels(unit: Unit, found: list[Seed]) -> tuple[str, ...]:
    """Return which channels seeded a unit, or that the ranking alone brought it in."""
    seeded = sorted({seed.channel for seed in found if seed.unit == unit})
    return tuple(seeded) or ("graph",)


def _read_out(view: View, query: Query, eligible: Eligible) -> Evidence:
    """Return what was recorded in the time asked for: the local episodes, in order."""
    chosen = [int(number) for number in view.order if eligible.episodes[number]]
    items = tuple(item(view, Unit(NodeKind.EPISODE, number), 0.0, ("time",)) for number in chosen[: query.limit])
    return Evidence(
        view.version, view.watermark_us, items, None if items else "empty", max(0, len(chosen) - len(items))
    )

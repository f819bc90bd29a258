"""`biographer bench search`: how long a search of a week's or a month's memory takes, and how near its walk comes.

Three parts, by themselves or one after the other: `ranking`, compared with one personalised PageRank of igraph (PRPACK)
on the same graph and with an exact solution, in the same run; `ingest`, searches beside a writer (`under_ingest`);
`http`, concurrent clients (`load`). What is searched is made in `told_week`.
"""

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import igraph
import numpy as np

from biographer.bench.egolife_questions import read_questions
from biographer.bench.exact import Exact, edges, flat, overlap
from biographer.bench.load import Load, measured_load
from biographer.bench.report import Report, Say, paced, report, spread
from biographer.bench.timed_search import TimedSearch
from biographer.bench.told_week import WEEK_US, Told
from biographer.bench.under_ingest import INGEST_KEPT, SLOWER_AT_MOST, UnderIngest, seeded
from biographer.models.roles import TextEmbedder
from biographer.state.eligible import Eligible
from biographer.state.index import Index
from biographer.state.nodes import Nodes
from biographer.state.push import walk
from biographer.state.query import Query
from biographer.state.relevance import Relevance
from biographer.state.search_settings import SearchSettings
from biographer.state.seeds import reset_vector, seeds
from biographer.state.view import View
from biographer.state.views import Views

OVER_IGRAPH = {"week": 0.15, "month": 0.06}
PARTS = ("ranking", "ingest", "http")

_AT_ONCE = 8
"""Exact solutions found together."""

Figures = dict[str, object]


@dataclass(frozen=True, slots=True)
class Workload:
    """A memory of `scale`, `queries` searches timed, `solves` of igraph's timed, `seed` for who is seen when.

    `video`, if given, is perceived while searches are timed beside ingest.
    """

    scale: str = "week"
    queries: int = 200
    solves: int = 5
    seed: int = 7
    parts: tuple[str, ...] = PARTS
    video: Path | None = None


def measure(
    work: Workload, clips: Path, questions: Path, embedder: TextEmbedder, settings: SearchSettings, say: Say
) -> Report:
    """Embed the week, and measure the parts that are asked for."""
    began = time.time()
    search = TimedSearch([one.text for one in read_questions(questions)][: work.queries], embedder, settings)
    told = Told.of(clips, embedder, say)
    figures, meets = Figures(), dict[str, bool]()
    if "ranking" in work.parts:
        found = ranked(work, told.index(work.scale, work.seed, say), search, say)
        figures |= found
        meets |= {
            "over_igraph": found["over_igraph"] <= OVER_IGRAPH[work.scale],
            "overlap_top50": found["overlap_top50"] >= 0.98,
            "as_of_over_plain": found["as_of_over_plain"] <= 1.5,
        }
        if work.scale == "week":
            meets["p50_20_ms"] = found["p50_ms"] <= 20
    if {"ingest", "http"} & set(work.parts):
        beside, more = _beside(work, told, search, say)
        figures, meets = figures | beside, meets | more
    parameters = {"scale": work.scale, "queries": len(search.texts), "seed": work.seed, "residual": settings.residual}
    return report("search", began, parameters, figures, meets)


def ranked(work: Workload, index: Index, search: TimedSearch, say: Say) -> dict[str, float]:
    """Time searches of an index, now and as of half a day before its end, and compare the walk with exact ones."""
    say("searching")
    views, count = Views(index), len(search.texts)
    last_us = views.at().watermark_us or 0
    cold = search.once(views, 0)
    ours = spread([search.once(views, number) for number in range(count)])
    # Each as of another time: a view that is kept from the one before must not flatter the figure.
    then = spread([search.once(views, number, last_us - WEEK_US // 14 - number) for number in range(count)])
    solved, overlaps, errors = _compared(views.at(), search, work.solves, say)
    solver, view = spread(solved), views.at()
    return {
        "clips": view.clips.total,
        "observations": view.observations.total,
        "entities": view.extent.entities,
        "windows": len(view.windows),
        "texts": view.extent.texts,
        "p50_ms": ours["median"],
        "p95_ms": ours["p95"],
        "first_ms": round(1000 * cold, 1),
        "as_of_p50_ms": then["median"],
        "as_of_p95_ms": then["p95"],
        "igraph_ms": solver["median"],
        "over_igraph": round(ours["median"] / solver["median"], 4),
        "as_of_over_plain": round(then["median"] / ours["median"], 3),
        "overlap_top50": round(float(np.mean(overlaps)), 4),
        "walk_error_l1": round(float(np.mean(errors)), 4),
    }


def _beside(work: Workload, told: Told, search: TimedSearch, say: Say) -> tuple[Figures, dict[str, bool]]:
    """Measure what needs a store: searches beside ingest, and over HTTP."""
    figures, meets = Figures(), dict[str, bool]()
    with tempfile.TemporaryDirectory(prefix="biographer-bench-") as place:
        recording = seeded(Path(place), told, work.scale, work.seed, say)
        if "http" in work.parts:
            figures["http"] = measured_load(Load(Path(place), search, say))
        if "ingest" in work.parts:
            found = UnderIngest(Path(place), recording, search, say).measured(work.video)
            figures["under_ingest"] = found
            meets |= {f"under_ingest_{name}_p95": one["p95_over_idle"] <= SLOWER_AT_MOST for name, one in found.items()}
            meets |= {f"under_ingest_{name}_rate": one["rate_kept"] >= INGEST_KEPT for name, one in found.items()}
    return figures, meets


def _compared(view: View, search: TimedSearch, solves: int, say: Say) -> tuple[list[float], list[float], list[float]]:
    """Return igraph's seconds a solution, and of every query the overlap with the exact top 50 and the walk's error."""
    settings, count = search.settings, len(search.texts)
    graph = edges(view)
    exact = Exact(graph, settings.damping)
    other = igraph.Graph(graph.nodes, np.stack([graph.left, graph.right], axis=1))
    other.es["weight"] = graph.weights.tolist()
    seconds, overlaps, errors = list[float](), list[float](), list[float]()
    for first in paced(range(0, count, _AT_ONCE), -(-count // _AT_ONCE), "batches of exact solutions", say):
        resets = [_reset(view, search.query(number), settings) for number in range(first, min(count, first + _AT_ONCE))]
        walks = [walk(view, reset, settings.damping, settings.residual) for reset in resets]
        solved = exact.solve(np.stack([flat(reset) for reset in resets], axis=1))
        overlaps += [overlap(flat(one.scores), solved[:, place]) for place, one in enumerate(walks)]
        errors += [one.error for one in walks]
        for reset in resets[: max(0, solves - len(seconds))]:
            restart = flat(reset).tolist()
            began = time.perf_counter()
            other.personalized_pagerank(damping=settings.damping, reset=restart, weights="weight")
            seconds.append(time.perf_counter() - began)
    return seconds, overlaps, errors


def _reset(view: View, query: Query, settings: SearchSettings) -> Nodes:
    found = seeds(view, Relevance.of(view, query), Eligible.of(view, query), settings)
    return reset_vector(view, found, settings)

"""`biographer bench search`: how long a search of a week's or a month's memory takes, and how near its walk comes.

The texts are a real week's, over and over for a month; entities are seen again as in GEB's week (`population`). Each
observation is described by a line of its clip. Compared with one personalised PageRank of igraph (PRPACK) on the same
graph, and with an exact solution, in the same run.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import igraph
import numpy as np
from numpy.typing import NDArray

from biographer.bench.exact import Exact, edges, flat, overlap
from biographer.bench.population import PER_CLIP, WEEK_OBSERVATIONS, population
from biographer.bench.questions import read_clips, read_questions
from biographer.bench.report import Report, Say, paced, report, spread
from biographer.models.roles import TextEmbedder
from biographer.state.clip import Clip
from biographer.state.eligible import Eligible
from biographer.state.episode import local_text
from biographer.state.index import Index
from biographer.state.learned import Learned, Seen
from biographer.state.line import LineKind
from biographer.state.nodes import Nodes
from biographer.state.observation import Embedding
from biographer.state.push import walk
from biographer.state.query import Query
from biographer.state.relevance import Relevance
from biographer.state.search import search
from biographer.state.search_settings import SearchSettings
from biographer.state.seeds import reset_vector, seeds
from biographer.state.texts import Vectors
from biographer.state.times import SECOND_US
from biographer.state.view import View
from biographer.state.views import Views
from biographer.state.wording import ordered, segments, spoken

SCALES = {"week": WEEK_OBSERVATIONS, "month": 1_300_000}
OVER_IGRAPH = {"week": 0.15, "month": 0.06}
_NOTHING = "nothing is told"
_WEEK_US = 7 * 86_400 * SECOND_US


@dataclass(frozen=True, slots=True)
class Workload:
    """A memory of `scale`, `queries` searches timed, `solves` of igraph's timed, `seed` for who is seen when."""

    scale: str = "week"
    queries: int = 200
    solves: int = 5
    seed: int = 7


def measure(
    work: Workload, clips: Path, questions: Path, embedder: TextEmbedder, settings: SearchSettings, say: Say
) -> Report:
    """Build the memory in bulk, then search it."""
    began = time.time()
    week = list(read_clips(clips, "week"))
    index = filled(work, week, _vectors(week, embedder, say), embedder.name, say)
    asked = [one.text for one in read_questions(questions)][: work.queries]
    say("searching")
    views = Views(index)
    last_us = views.at().watermark_us or 0
    first = time.perf_counter()
    _search(views, asked[0], embedder, settings, None)
    cold = time.perf_counter() - first
    plain = [_search(views, text, embedder, settings, None) for text in asked]
    then = [_search(views, text, embedder, settings, last_us - _WEEK_US // 14) for text in asked]
    solved, overlaps, errors = _compared(views.at(), asked, embedder, settings, work.solves, say)
    ours, as_of, solver = spread(plain), spread(then), spread(solved)
    figures = {
        "clips": views.at().clips.total,
        "observations": views.at().observations.total,
        "entities": views.at().extent.entities,
        "windows": len(views.at().windows),
        "texts": views.at().extent.texts,
        "p50_ms": ours["median"],
        "p95_ms": ours["p95"],
        "first_ms": round(1000 * cold, 1),
        "as_of_p50_ms": as_of["median"],
        "as_of_p95_ms": as_of["p95"],
        "igraph_ms": solver["median"],
        "over_igraph": round(ours["median"] / solver["median"], 4),
        "as_of_over_plain": round(as_of["median"] / ours["median"], 3),
        "overlap_top50": round(float(np.mean(overlaps)), 4),
        "walk_error_l1": round(float(np.mean(errors)), 4),
    }
    meets = {
        "over_igraph": figures["over_igraph"] <= OVER_IGRAPH[work.scale],
        "overlap_top50": figures["overlap_top50"] >= 0.98,
        "as_of_over_plain": figures["as_of_over_plain"] <= 1.5,
        "p50_20_ms": figures["p50_ms"] <= 20,
    }
    parameters = {"scale": work.scale, "queries": len(asked), "seed": work.seed, "residual": settings.residual}
    return report("search", began, parameters, figures, meets)


def filled(
    work: Workload, week: Sequence[Clip], vectors: dict[str, NDArray[np.float32]], embedder: str, say: Say
) -> Index:
    """Return an index of the scale's observations; the week's clips come again as often as is needed."""
    count = -(-SCALES[work.scale] // PER_CLIP)
    people = population(count, np.random.default_rng(work.seed))
    index, known = Index(), set[str]()
    for number in paced(range(count), count, "clips", say):
        clip = week[number % len(week)]
        fresh = {text: Embedding(embedder, vectors[text]) for text in _texts(clip) if text not in known}
        known.update(fresh)
        index.grow(_learned(clip, number, number // len(week), people.entities[number].tolist(), Vectors.of(fresh)))
    return index


def _learned(clip: Clip, number: int, turn: int, entities: Sequence[int], vectors: Vectors) -> Learned:
    start_us, end_us = clip.start_us + turn * _WEEK_US, clip.end_us + turn * _WEEK_US
    told = [line.text for line in ordered(clip.lines) if line.kind is LineKind.NARRATION] or [_NOTHING]
    seen = [
        Seen(f"kind {entity % 80}", told[slot % len(told)], start_us, start_us + 2 * SECOND_US, entity)
        for slot, entity in enumerate(entities)
    ]
    name = f"{number:06}-{clip.name}"
    return Learned(name, start_us, end_us, end_us, end_us, local_text(clip, ()), clip.lines, seen, vectors)


def _texts(clip: Clip) -> Iterator[str]:
    lines = ordered(clip.lines)
    yield from segments([spoken(line) for line in lines])
    yield from (spoken(line) for line in lines)
    yield from (line.text for line in lines if line.kind is LineKind.NARRATION)


def _vectors(week: Sequence[Clip], embedder: TextEmbedder, say: Say) -> dict[str, NDArray[np.float32]]:
    """Embed every line once; a segment's vector is here the mean of its lines', to spare the bench's own time."""
    lines = list(dict.fromkeys(spoken(line) for clip in week for line in ordered(clip.lines)))
    parts = [lines[at : at + 4096] for at in range(0, len(lines), 4096)]
    say(f"embedding {len(lines)} lines")
    matrix = np.concatenate([embedder.embed(part) for part in paced(parts, len(parts), "batches", say)])
    vectors = dict(zip(lines, matrix, strict=True))
    for clip in week:
        for segment in segments([spoken(line) for line in ordered(clip.lines)]):
            if segment not in vectors:
                mean = np.mean([vectors[line] for line in segment.split("\n") if line in vectors], axis=0)
                vectors[segment] = (mean / np.linalg.norm(mean)).astype(np.float32)
    nothing = np.full(matrix.shape[1], matrix.shape[1] ** -0.5, np.float32)
    return {text: vectors.get(text, nothing) for clip in week for text in _texts(clip)}


def _search(views: Views, text: str, embedder: TextEmbedder, settings: SearchSettings, as_of_us: int | None) -> float:
    """Return the seconds from a question's text to its evidence, embedding included."""
    began = time.perf_counter()
    vector = Embedding(embedder.name, embedder.embed([text])[0])
    search(views.at(as_of_us), Query(text, vector, as_of_us=as_of_us), settings)
    return time.perf_counter() - began


def _compared(
    view: View, asked: Sequence[str], embedder: TextEmbedder, settings: SearchSettings, solves: int, say: Say
) -> tuple[list[float], list[float], list[float]]:
    """Return igraph's seconds a solution, and of every query the overlap with the exact top 50 and the walk's error."""
    graph = edges(view)
    exact = Exact(graph, settings.damping)
    other = igraph.Graph(graph.nodes, np.stack([graph.left, graph.right], axis=1))
    other.es["weight"] = graph.weights.tolist()
    seconds, overlaps, errors = [], [], []
    for number, text in enumerate(paced(asked, len(asked), "exact solutions", say)):
        reset = _reset(view, Query(text, Embedding(embedder.name, embedder.embed([text])[0])), settings)
        walked = walk(view, reset, settings.damping, settings.residual)
        overlaps.append(overlap(flat(walked.scores), exact.solve(flat(reset))))
        errors.append(walked.error)
        if number < solves:
            restart = flat(reset).tolist()
            began = time.perf_counter()
            other.personalized_pagerank(damping=settings.damping, reset=restart, weights="weight")
            seconds.append(time.perf_counter() - began)
    return seconds, overlaps, errors


def _reset(view: View, query: Query, settings: SearchSettings) -> Nodes:
    found = seeds(view, Relevance.of(view, query), Eligible.of(view, query), settings)
    return reset_vector(view, found, settings)

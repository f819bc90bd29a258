"""Whether one search finds the evidence: a real week, questions cut at their time, our ranking against plain fusion.

Plain fusion is BM25 and dense retrieval over whole clips, fused by reciprocal rank: no graph, no finer units. Both
rankings see the same clips, by the same terms and the same text embedder, in the same run. A whole clip's vector is
the mean of its segments', for clips are longer than the embedder reads (cut off there, plain fusion finds less).
"""

import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biographer.bench.answer_scores import recalled
from biographer.bench.egolife_questions import read_questions
from biographer.bench.embedded import embedded
from biographer.bench.questions import Question, read_clips
from biographer.bench.report import Report, Say, paced, report
from biographer.models.roles import TextEmbedder
from biographer.state.index import Index
from biographer.state.memory import Memory
from biographer.state.observation import Embedding
from biographer.state.perceived import Perceived
from biographer.state.query import Query
from biographer.state.rule import Rule
from biographer.state.search import search
from biographer.state.search_settings import SearchSettings
from biographer.state.times import SECOND_US
from biographer.state.tokens import Tokens
from biographer.state.trail import Trail
from biographer.state.view import View
from biographer.state.wording import wording

LIMITS = (16, 80)
SOUND = {16: 0.41, 80: 0.61}
"""What plain fusion reaches on EgoLifeQA's handed questions; below it, the comparison is with something broken."""

_FUSION = 60
"""The constant of reciprocal rank fusion."""

_RESAMPLED = 10_000

Hits = NDArray[np.bool_]
Floats = NDArray[np.float64]


def measure(clips: Path, questions: Path, embedder: TextEmbedder, settings: SearchSettings, say: Say) -> Report:
    """Ingest, ask every question twice, and compare."""
    began = time.time()
    memory = ingest(clips, embedder, say)
    whole = whole_clips(memory.index)
    asked = read_questions(questions)
    vectors = embedder.embed([question.text for question in asked])
    figures: dict[str, Any] = {"questions": len(asked), "clips": len(memory.clips)}
    meets: dict[str, bool] = {}
    for limit in LIMITS:
        ours = [_ours(memory, one, vectors[n], embedder.name, limit, settings) for n, one in enumerate(asked)]
        plain = [_plain(memory.index, one, whole @ vectors[n], limit) for n, one in enumerate(asked)]
        figures |= {f"{name}_{limit}": value for name, value in _compared(asked, ours, plain).items()}
        ratio, plainly = figures[f"over_plain_{limit}"], figures[f"plain_hit_at_{limit}"]
        meets |= {f"over_plain_{limit}": ratio >= 1.0, f"over_plain_{limit}_by_1.2": ratio >= 1.2}
        meets[f"plain_is_sound_{limit}"] = plainly >= 100 * SOUND[limit]
    return report("evidence", began, {"embedder": embedder.name, "limits": LIMITS}, figures, meets)


def ingest(clips: Path, embedder: TextEmbedder, say: Say) -> Memory:
    """Apply every clip, its texts embedded once each."""
    recorded = list(read_clips(clips, "week"))
    texts = list(dict.fromkeys(text for clip in recorded for text in wording(clip, ())))
    vectors = dict(zip(texts, embedded(texts, embedder, say), strict=True))
    memory = Memory("week", Rule(), _no_trail)
    for clip in paced(recorded, len(recorded), "clips", say):
        given = {text: Embedding.of(embedder.name, vectors[text]) for text in wording(clip, ())}
        memory.adopt(memory.plan(Perceived(clip, (), {}, given)))
    return memory


def whole_clips(index: Index) -> NDArray[np.float32]:
    """Return one vector a clip (n, d), the mean of its segments'; zeros for a clip without words."""
    first = index.first_segment.view()
    rows = [index.texts.rows[index.segment_texts[start:end]] for start, end in pairwise(first.tolist())]
    return np.stack(
        [index.texts.codes.mean(found) if len(found) else np.zeros(index.texts.codes.dim) for found in rows]
    )


def _no_trail(observation: int) -> Trail:
    raise KeyError(observation)


def _ours(
    memory: Memory, question: Question, vector: NDArray[np.float32], embedder: str, limit: int, settings: SearchSettings
) -> list[tuple[int, int]]:
    query = Query(question.text, Embedding.of(embedder, vector), limit=limit)
    items = search(View(memory.index, question.asked_us), query, settings).items
    return [(item.start_us, item.end_us) for item in items]


def _plain(index: Index, question: Question, cosines: NDArray[np.float32], limit: int) -> list[tuple[int, int]]:
    view = View(index, question.asked_us)
    lexical, _ = index.episodes.scores(Tokens().asked(question.text), view.clips)
    fused = 1 / (_FUSION + _ranks(lexical)) + 1 / (_FUSION + _ranks(cosines[: view.clips.count]))
    chosen = np.argsort(-fused, kind="stable")[:limit]
    return [(int(view.starts[number]), int(view.ends[number])) for number in chosen]


def _ranks(scores: NDArray[np.floating]) -> Floats:
    ranks = np.empty(len(scores))
    ranks[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return ranks


def hit(question: Question, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether a unit of at most 30 s overlaps a moment of the evidence."""
    return recalled(question.moments, spans, 0) > 0


def _compared(
    asked: Sequence[Question], ours: list[list[tuple[int, int]]], plain: list[list[tuple[int, int]]]
) -> dict[str, object]:
    here = np.array([hit(question, spans) for question, spans in zip(asked, ours, strict=True)])
    there = np.array([hit(question, spans) for question, spans in zip(asked, plain, strict=True)])
    ratio = here.sum() / max(1, there.sum())
    low, high = interval(here, there)
    return {
        "hit_at": round(100 * float(here.mean()), 1),
        "plain_hit_at": round(100 * float(there.mean()), 1),
        "over_plain": round(float(ratio), 3),
        "over_plain_interval_95": [round(low, 3), round(high, 3)],
        "seconds_returned": round(_seconds(ours), 1),
        "plain_seconds_returned": round(_seconds(plain), 1),
        "by_type": _by_type(asked, here, there),
    }


def interval(ours: Hits, plain: Hits) -> tuple[float, float]:
    """Return the 95 % interval of the ratio of hits, questions resampled in pairs."""
    draws = np.random.default_rng(0).integers(0, len(ours), (_RESAMPLED, len(ours)))
    ratios = ours[draws].sum(axis=1) / np.maximum(1, plain[draws].sum(axis=1))
    low, high = np.quantile(ratios, [0.025, 0.975])
    return float(low), float(high)


def _seconds(found: list[list[tuple[int, int]]]) -> float:
    """Return how much recording a question is answered with, on average."""
    return sum(end - start for spans in found for start, end in spans) / SECOND_US / max(1, len(found))


def _by_type(asked: Sequence[Question], ours: Hits, plain: Hits) -> dict[str, dict[str, float]]:
    kinds = np.array([question.type for question in asked])
    return {
        str(kind): {
            "questions": int((kinds == kind).sum()),
            "hit_at": round(100 * float(ours[kinds == kind].mean()), 1),
            "plain_hit_at": round(100 * float(plain[kinds == kind].mean()), 1),
        }
        for kind in sorted(set(kinds))
    }

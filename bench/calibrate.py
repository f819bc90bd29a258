"""`biographer bench calibrate`: an embedder's thresholds, and its statistics, from labelled photographs.

The thresholds are those with which streams of all the photographs are grouped best; what they mean for single pairs is
shown beside them. With `sample`, the embeddings are kept for the benches that resample them.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from biographer.bench.identity import calibrated, remembered
from biographer.bench.metrics import Score, b_cubed, mean, pairwise
from biographer.bench.report import Report, report
from biographer.bench.sample import Sample
from biographer.bench.streams_of_photographs import showing
from biographer.bench.subjects import Appearances, Subjects, numbered
from biographer.bench.vectors import cosines
from biographer.state.rule import Rule, Thresholds

_ORDERS = 5


def measure(subjects: Subjects, looks: Appearances, seed: int, *, refit: bool) -> Report:
    """Derive thresholds; with `refit`, for statistics fitted on these photographs instead of the embedder's own."""
    began, random = time.time(), np.random.default_rng(seed)
    rows = np.arange(len(subjects.names))
    vectors = looks.fitted_on(rows) if refit else looks.unit
    thresholds, cut = calibrated(subjects, vectors, rows, random)
    low, high = round(thresholds.similar_to_all, 3), round(thresholds.similar_to_one, 3)
    figures: dict[str, object] = {
        "similar_to_all": low,
        "similar_to_one": high,
        "offline_cut": round(cut, 3),
        "pairs_at_similar_to_all": _pair_score(subjects, vectors, low),
        "pairs_at_similar_to_one": _pair_score(subjects, vectors, high),
        "grouping": _grouping(subjects, vectors, thresholds, random),
        "cosines": cosines(vectors, numbered(subjects.names), numbered(subjects.kinds)),
        "paste": f'[association]\nthresholds = {{ "{looks.embedder}" = [{low}, {high}] }}\n',
    }
    parameters: dict[str, object] = {
        "embedder": looks.embedder,
        "photographs": len(subjects.names),
        "subjects": len(set(subjects.names)),
        "statistics": "fitted on these photographs" if refit and looks.raw is not None else "the embedder's own",
        "seed": seed,
    }
    return report("calibrate", began, parameters, figures, {})


def write_sample(subjects: Subjects, looks: Appearances, target: Path) -> None:
    """Keep the embeddings with their labels, to be resampled from."""
    sample = Sample.of(looks.embedder, looks.unit, subjects.names, subjects.kinds)
    target.write_bytes(msgspec.json.encode(sample))


def write_statistics(looks: Appearances, target: Path) -> None:
    """Write statistics fitted on all photographs, in the form that the embedder reads; raises ValueError without."""
    fitted = looks.statistics(np.arange(len(looks.unit)))
    if fitted is None:
        raise ValueError(f"{looks.embedder} has no statistics to fit")
    target.write_text(fitted.to_json(), encoding="utf-8")


def _pair_score(subjects: Subjects, vectors: NDArray[np.float32], least: float) -> Mapping[str, float]:
    """Score calling two photographs one thing from a similarity of `least` up."""
    left, right = np.triu_indices(len(vectors), 1)
    called = (vectors @ vectors.T)[left, right] >= least
    names = numbered(subjects.names)
    same = names[left] == names[right]
    right_calls = int((called & same).sum())
    score = Score.of(right_calls / max(1, int(called.sum())), right_calls / max(1, int(same.sum())))
    return {name: round(value, 4) for name, value in msgspec.structs.asdict(score).items()}


def _grouping(
    subjects: Subjects, vectors: NDArray[np.float32], thresholds: Thresholds, random: np.random.Generator
) -> Mapping[str, Mapping[str, float]]:
    """Score what a memory makes of fresh streams of the same photographs."""
    scores: list[tuple[Score, Score]] = []
    for _ in range(_ORDERS):
        shown = showing(subjects, np.arange(len(subjects.names)), random)
        truth: Sequence[str] = [subjects.names[row] for clip in shown.clips for row in clip]
        found = remembered(shown, vectors, Rule(thresholds={"": thresholds}))
        scores.append((pairwise(truth, found), b_cubed(truth, found)))
    means = {"pairwise": mean(one for one, _ in scores), "b_cubed": mean(other for _, other in scores)}
    return {
        name: {key: round(value, 4) for key, value in msgspec.structs.asdict(score).items()}
        for name, score in means.items()
    }

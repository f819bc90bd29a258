"""`biographer bench identity`: how well sightings are told apart and put together, online against offline.

Streams are made of photographs of known subjects. In each of 20 fixed splits one half of the subjects calibrates (the
embedder's statistics and all thresholds), the other is scored, in 5 fixed orders. Online decisions are the memory's
own; offline ones are average-linkage clustering of the same embeddings.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from statistics import fmean

import msgspec
import numpy as np
from numpy.typing import NDArray

from biographer.bench.clustering import Linkage
from biographer.bench.metrics import Score, b_cubed, mean, pairwise
from biographer.bench.rehearsal import best_thresholds, grouping_f1, rehearsed
from biographer.bench.report import Report, Say, paced, report
from biographer.bench.streams_of_photographs import STREAM, Showing, halves, perceived, rows_of, showing
from biographer.bench.subjects import Appearances, Subjects
from biographer.state.memory import Memory
from biographer.state.rule import Rule, Thresholds
from biographer.state.trail import Separation, Trail

RATIO = 0.90
APART_PAIRS = 200
_REHEARSALS = 5

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Trials:
    """How many splits of the subjects, orders of each, and what they follow from."""

    splits: int = 20
    orders: int = 5
    seed: int = 3


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """One stream: the truth, the groupings, and what was seen apart."""

    truth: Sequence[str]
    online: Sequence[int]
    offline: Sequence[int]
    apart: int
    apart_merged: int
    apart_would_merge: int
    apart_similar: int


def measure(subjects: Subjects, looks: Appearances, trials: Trials, speak: Say) -> Report:
    """Score all splits and orders; `looks` are the embeddings of the subjects' photographs."""
    began = time.time()
    outcomes: list[Outcome] = []
    chosen: list[tuple[Thresholds, float]] = []
    for split in paced(range(trials.splits), trials.splits, "splits scored", speak):
        random = np.random.default_rng((trials.seed, split))
        calibrating, scored = (rows_of(subjects, side) for side in halves(subjects, random))
        vectors = looks.fitted_on(calibrating)
        thresholds, cut = calibrated(subjects, vectors, calibrating, random)
        chosen.append((thresholds, cut))
        for _ in range(trials.orders):
            shown = showing(subjects, scored, random)
            outcomes.append(_outcome(subjects, vectors, shown, Rule(thresholds={"": thresholds}), cut))
    figures = _figures(outcomes) | {"thresholds": _summed(chosen)}
    parameters: dict[str, object] = {
        "splits": trials.splits,
        "orders": trials.orders,
        "seed": trials.seed,
        "subjects": len(set(subjects.names)),
        "photographs": len(subjects.names),
        "embedder": looks.embedder,
        "statistics": "fitted on the calibration half" if looks.raw is not None else "the embedder's own",
    }
    return report("identity", began, parameters, figures, _met(figures))


def calibrated(
    subjects: Subjects, vectors: Vectors, rows: NDArray[np.intp], random: np.random.Generator
) -> tuple[Thresholds, float]:
    """Return what groups these photographs best: the online thresholds, over several orders, and the offline cut."""
    similar = vectors.astype(np.float64) @ vectors.astype(np.float64).T
    rehearsals = [showing(subjects, rows, random) for _ in range(_REHEARSALS)]
    truths = [[subjects.names[row] for clip in one.clips for row in clip] for one in rehearsals]

    def score(thresholds: Thresholds) -> float:
        found = (rehearsed(one.clips, similar, thresholds) for one in rehearsals)
        return fmean(grouping_f1(truth, groups) for truth, groups in zip(truths, found, strict=True))

    thresholds, _ = best_thresholds(score)
    return thresholds, Linkage(vectors[rows]).best_cut([subjects.names[row] for row in rows])


def remembered(shown: Showing, vectors: Vectors, rule: Rule) -> list[int]:
    """Return the entity that a memory gives each sighting of a stream."""
    memory = Memory(STREAM, rule, _no_older)
    for number, clip in enumerate(shown.clips):
        memory.adopt(memory.plan(perceived(number, clip, vectors, "")))
    return [int(entity) for entity in memory.entity_of[:]]


def _outcome(subjects: Subjects, vectors: Vectors, shown: Showing, rule: Rule, cut: float) -> Outcome:
    rows = [row for clip in shown.clips for row in clip]
    online = remembered(shown, vectors, rule)
    unseparated = Rule(separation=Separation(min_shared_frames=10**6), thresholds=rule.thresholds)
    alone = remembered(shown, vectors, unseparated)
    starts = np.cumsum([0, *(len(clip) for clip in shown.clips)]).tolist()
    pairs = [(at, at + 1) for at, clip in zip(starts, shown.clips, strict=False) if len(clip) == 2]
    least = rule.thresholds_of("").similar_to_one
    return Outcome(
        truth=[subjects.names[row] for row in rows],
        online=online,
        offline=Linkage(vectors[rows]).cut(cut),
        apart=len(pairs),
        apart_merged=sum(online[left] == online[right] for left, right in pairs),
        apart_would_merge=sum(alone[left] == alone[right] for left, right in pairs),
        apart_similar=sum(float(vectors[rows[left]] @ vectors[rows[right]]) >= least for left, right in pairs),
    )


def _figures(outcomes: Sequence[Outcome]) -> dict[str, object]:
    online, offline = ([_scored(one.truth, groups) for one, groups in taken] for taken in _both(outcomes))
    figures: dict[str, object] = {}
    ratios = []
    for place, name in enumerate(("pairwise", "b_cubed")):
        ours, theirs = mean(one[place] for one in online), mean(one[place] for one in offline)
        ratios.append(ours.f1 / theirs.f1 if theirs.f1 else inf)
        figures[name] = {"online": _rounded(ours), "offline": _rounded(theirs), "f1_ratio": round(ratios[-1], 4)}
    return figures | {
        "online_over_offline_f1": round(min(ratios), 4),
        "streams": len(outcomes),
        "apart_pairs": sum(one.apart for one in outcomes),
        "apart_merged": sum(one.apart_merged for one in outcomes),
        "apart_embedding_alone_would_merge": sum(one.apart_would_merge for one in outcomes),
        "apart_as_similar_as_one_thing": sum(one.apart_similar for one in outcomes),
    }


def _both(
    outcomes: Sequence[Outcome],
) -> tuple[list[tuple[Outcome, Sequence[int]]], list[tuple[Outcome, Sequence[int]]]]:
    return [(one, one.online) for one in outcomes], [(one, one.offline) for one in outcomes]


def _scored(truth: Sequence[str], groups: Sequence[int]) -> tuple[Score, Score]:
    return pairwise(truth, groups), b_cubed(truth, groups)


def _rounded(score: Score) -> dict[str, float]:
    return {name: round(value, 4) for name, value in msgspec.structs.asdict(score).items()}


def _summed(chosen: Sequence[tuple[Thresholds, float]]) -> dict[str, float]:
    return {
        "similar_to_all_mean": round(fmean(one.similar_to_all for one, _ in chosen), 3),
        "similar_to_one_mean": round(fmean(one.similar_to_one for one, _ in chosen), 3),
        "offline_cut_mean": round(fmean(cut for _, cut in chosen), 3),
    }


def _met(figures: dict[str, object]) -> dict[str, bool]:
    numbers = msgspec.convert({key: value for key, value in figures.items() if key in _JUDGED}, dict[str, float])
    return {
        f"online_over_offline_f1 >= {RATIO}": numbers["online_over_offline_f1"] >= RATIO,
        f"apart_pairs >= {APART_PAIRS}": numbers["apart_pairs"] >= APART_PAIRS,
        "the embedding alone would merge some": numbers["apart_embedding_alone_would_merge"] > 0,
        "apart_merged = 0": numbers["apart_merged"] == 0,
    }


_JUDGED = ("online_over_offline_f1", "apart_pairs", "apart_embedding_alone_would_merge", "apart_merged")


def _no_older(observation: int) -> Trail:
    raise KeyError(observation)

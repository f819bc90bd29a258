"""The identity bench in miniature, on made-up subjects whose groups are known."""

import numpy as np
import pytest

from biographer.bench.clustering import Linkage
from biographer.bench.identity import Trials, measure, remembered
from biographer.bench.rehearsal import best_thresholds, rehearsed
from biographer.bench.streams_of_photographs import halves, rows_of, showing
from biographer.bench.subjects import Appearances, Subjects
from biographer.state.rule import Rule, Thresholds


@pytest.fixture
def subjects() -> Subjects:
    names = tuple(name for name in ("cat", "cat2", "dog", "dog2", "cup", "cup2", "car", "car2") for _ in range(5))
    return Subjects((), names, tuple(name.rstrip("2") for name in names))


@pytest.fixture
def vectors(subjects: Subjects) -> np.ndarray:
    random = np.random.default_rng(4)
    kinds = {kind: random.standard_normal(32) for kind in sorted(set(subjects.kinds))}
    own = {name: random.standard_normal(32) for name in sorted(set(subjects.names))}
    rows = [
        2 * kinds[kind] + own[name] + random.standard_normal(32)
        for name, kind in zip(subjects.names, subjects.kinds, strict=True)
    ]
    return (np.stack(rows) / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_half_of_the_clips_show_two_of_like_class_and_each_photograph_is_shown_once(subjects: Subjects):
    shown = showing(subjects, np.arange(40), np.random.default_rng(0))
    pairs = [clip for clip in shown.clips if len(clip) == 2]
    assert sorted(row for clip in shown.clips for row in clip) == list(range(40))
    assert len(pairs) == pytest.approx(len(shown.clips) / 2, abs=1)
    assert shown.kindred == 0
    for left, right in pairs:
        assert subjects.kinds[left] == subjects.kinds[right]
        assert subjects.names[left] != subjects.names[right]


def test_halves_share_no_subject_and_split_every_class(subjects: Subjects):
    one, other = halves(subjects, np.random.default_rng(1))
    assert sorted(one + other) == sorted(set(subjects.names))
    assert {name.rstrip("2") for name in one} == {name.rstrip("2") for name in other}


@pytest.mark.parametrize("seed", range(5))
def test_the_rehearsal_decides_as_the_memory_does(subjects: Subjects, vectors: np.ndarray, seed: int):
    shown = showing(subjects, np.arange(40), np.random.default_rng(seed))
    thresholds = Thresholds(0.3 + 0.05 * seed, 0.6 + 0.05 * seed)
    similar = vectors.astype(np.float64) @ vectors.astype(np.float64).T
    remembering = remembered(shown, vectors, Rule(thresholds={"": thresholds}, references=3))
    assert rehearsed(shown.clips, similar, thresholds, references=3) == remembering


def test_the_best_thresholds_are_found():
    found, score = best_thresholds(lambda one: -abs(one.similar_to_all - 0.35) - abs(one.similar_to_one - 0.625))
    assert (found.similar_to_all, found.similar_to_one) == pytest.approx((0.35, 0.625))
    assert score == pytest.approx(0)


def test_average_linkage_cuts_where_the_truth_is(subjects: Subjects):
    random = np.random.default_rng(0)
    centres = {name: random.standard_normal(32) for name in sorted(set(subjects.names))}
    rows = np.stack([centres[name] + 0.1 * random.standard_normal(32) for name in subjects.names])
    unit = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    linkage = Linkage(unit)
    groups = linkage.cut(linkage.best_cut(subjects.names))
    assert len(set(zip(groups, subjects.names, strict=True))) == len(set(groups)) == 8


def test_what_is_seen_apart_stays_apart_though_it_is_alike(subjects: Subjects, vectors: np.ndarray):
    twins = vectors.copy()
    twins[rows_of(subjects, ["dog", "dog2"])] = np.tile(vectors[rows_of(subjects, ["cat"])], (2, 1))
    twins[rows_of(subjects, ["cat2"])] = vectors[rows_of(subjects, ["cat"])]
    looks = Appearances("made up", twins)
    outcome = measure(subjects, looks, Trials(splits=2, orders=2), lambda _: None)
    assert outcome.figures["apart_merged"] == 0
    assert outcome.figures["apart_pairs"] == 20
    assert outcome.figures["apart_embedding_alone_would_merge"] > 0
    assert 0.5 < outcome.figures["online_over_offline_f1"] < 1.5
    assert outcome.figures["streams"] == 4


def test_rows_of_names(subjects: Subjects):
    assert rows_of(subjects, ["cat", "cup2"]).tolist() == [*range(5), *range(25, 30)]

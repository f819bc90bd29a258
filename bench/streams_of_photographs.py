"""Streams made of photographs of known subjects: who is shown together, in which order.

Every photograph is shown once. Half of the clips show two subjects of like class in separate boxes, for as long as
makes them apart; the other half one. Classes are the data's own; where those don't yield enough pairs, kindred ones do.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biographer.bench.subjects import Subjects
from biographer.state.clip import Clip
from biographer.state.observation import Embedding, Observation
from biographer.state.perceived import Perceived
from biographer.state.times import SECOND_US

STREAM = "photographs"
_FRAMES = 15
_BOXES = (
    np.tile(np.array([0.05, 0.3, 0.45, 0.7], np.float32), (_FRAMES, 1)),
    np.tile(np.array([0.55, 0.3, 0.95, 0.7], np.float32), (_FRAMES, 1)),
)

KINDRED = {
    "cat": "pet",
    "dog": "pet",
    "toy": "plaything",
    "stuffed animal": "plaything",
    "cartoon": "plaything",
    "sneaker": "shoe",
    "boot": "shoe",
    "bowl": "vessel",
    "can": "vessel",
    "candle": "vessel",
    "teapot": "vessel",
    "vase": "vessel",
}
"""Classes of google/dreambooth that are taken for each other more easily than the rest."""

Shown = tuple[int, ...]
"""The photographs (rows of the subjects) that one clip shows: one, or two apart."""


@dataclass(frozen=True, slots=True)
class Showing:
    """The clips of one stream, in order, and how many of them pair subjects of one class and of kindred ones."""

    clips: tuple[Shown, ...]
    paired: int
    kindred: int


def halves(subjects: Subjects, random: np.random.Generator) -> tuple[list[str], list[str]]:
    """Split the subjects in two, those of a class as evenly as can be."""
    class_of = dict(zip(subjects.names, subjects.kinds, strict=True))
    names = random.permutation(sorted(class_of)).tolist()
    ordered = sorted(names, key=lambda name: class_of[name])
    sides: tuple[list[str], list[str]] = ([], [])
    for name in ordered:
        counts = [(sum(class_of[other] == class_of[name] for other in side), len(side)) for side in sides]
        sides[int(counts[1] < counts[0]) if counts[0] != counts[1] else int(random.integers(2))].append(name)
    return sides


def rows_of(subjects: Subjects, names: Sequence[str]) -> NDArray[np.intp]:
    """Return the rows of these subjects' photographs."""
    return np.flatnonzero(np.isin(subjects.names, names))


def showing(subjects: Subjects, rows: NDArray[np.intp], random: np.random.Generator) -> Showing:
    """Draw who is shown with whom, and the order of clips."""
    left = random.permutation(rows).tolist()
    wanted = round(len(left) / 3)
    pairs = _pairs(left, subjects, dict(zip(subjects.kinds, subjects.kinds, strict=True)), wanted)
    paired = len(pairs)
    kin = {kind: KINDRED.get(kind, kind) for kind in subjects.kinds}
    pairs += _pairs(left, subjects, kin, wanted - paired)
    clips: list[Shown] = [*pairs, *((row,) for row in left)]
    order = random.permutation(len(clips)).tolist()
    return Showing(tuple(clips[place] for place in order), paired, len(pairs) - paired)


def perceived(number: int, shown: Shown, vectors: NDArray[np.float32], embedder: str) -> Perceived:
    """Return the clip of that number; clips are a minute apart, so that nothing is anchored across a cut."""
    start_us = number * 60 * SECOND_US
    times_us = start_us + np.arange(_FRAMES, dtype=np.int64) * SECOND_US // 5
    observations = tuple(
        Observation(track, "thing", 1.0, times_us, _BOXES[track], Embedding.of(embedder, vectors[row]), "")
        for track, row in enumerate(shown)
    )
    return Perceived(Clip(STREAM, f"clip-{number}", start_us, start_us + 30 * SECOND_US), observations)


def _pairs(left: list[int], subjects: Subjects, like: dict[str, str], most: int) -> list[Shown]:
    """Take up to `most` pairs of different subjects of like class out of `left`, from the largest choice first."""
    pairs: list[Shown] = []
    while len(pairs) < most:
        by_class: dict[str, dict[str, list[int]]] = {}
        for row in left:
            by_class.setdefault(like[subjects.kinds[row]], {}).setdefault(subjects.names[row], []).append(row)
        able = [group for group in by_class.values() if len(group) > 1]
        if not able:
            break
        most_left = max(able, key=lambda group: sum(map(len, group.values())))
        first, second = sorted(most_left.values(), key=len, reverse=True)[:2]
        pairs.append((first[0], second[0]))
        left.remove(first[0])
        left.remove(second[0])
    return pairs

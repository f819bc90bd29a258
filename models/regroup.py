"""Regrouping: tracks that the tracker split, joined again by appearance; never two that share a frame."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from biographer.models.camera_path import CameraPath
from biographer.models.cleanup import CleanupSettings
from biographer.models.track import Track, join, shared_rows
from biographer.state.box import iou
from biographer.state.times import SECOND_US

Vectors: TypeAlias = Mapping[int, NDArray[np.float64]]
"""The unit vector of each track that has one, by the track's number."""


def regrouped(tracks: Sequence[Track], vectors: Vectors, path: CameraPath, settings: CleanupSettings) -> list[Track]:
    """Return the tracks with split ones joined, by number.

    Groups grow by the highest mean similarity over all pairs of their tracks (average linkage), as long as that
    reaches what the pairs need on average; equals go by number. A track without a vector stays alone.
    """
    ordered = sorted(tracks, key=lambda track: track.number)
    groups = [[row] for row in range(len(ordered))]
    surplus = _surplus(ordered, vectors, path, settings)
    while True:
        best = max(
            ((_mean(surplus, one, other), -a, -b) for a, one in enumerate(groups) for b, other in _later(groups, a)),
            default=(-np.inf, 0, 0),
        )
        if best[0] < 0:
            return [join([ordered[row] for row in group]) for group in groups]
        groups[-best[1]] += groups.pop(-best[2])


def can_join(left: Track, right: Track) -> bool:
    """Say whether two tracks never share a frame."""
    return not len(shared_rows(left, right)[0])


def _later(groups: list[list[int]], place: int) -> list[tuple[int, list[int]]]:
    return list(enumerate(groups))[place + 1 :]


def _mean(surplus: NDArray[np.float64], one: list[int], other: list[int]) -> float:
    return float(surplus[np.ix_(one, other)].mean())


def _surplus(
    tracks: Sequence[Track], vectors: Vectors, path: CameraPath, settings: CleanupSettings
) -> NDArray[np.float64]:
    """Return (n, n): by how much each pair is more similar than it must be; minus infinity where never."""
    result = np.full((len(tracks), len(tracks)), -np.inf)
    for row, left in enumerate(tracks):
        for column in range(row + 1, len(tracks)):
            right = tracks[column]
            if left.number in vectors and right.number in vectors and can_join(left, right):
                likeness = float(vectors[left.number] @ vectors[right.number])
                result[row, column] = result[column, row] = likeness - needed(left, right, path, settings)
    return result


def needed(left: Track, right: Track, path: CameraPath, settings: CleanupSettings) -> float:
    """Return the similarity from which two tracks are one: less where place speaks for it, more where labels differ."""
    in_place = _meet(left, right, path, settings) or _meet(right, left, path, settings)
    base = settings.regroup_in_place if in_place else settings.regroup_similarity
    return base + (settings.regroup_other_label if left.label != right.label else 0.0)


def _meet(earlier: Track, later: Track, path: CameraPath, settings: CleanupSettings) -> bool:
    """Say whether the later track begins where the earlier one was left, moved as the camera moved."""
    left_us, back_us = int(earlier.times_us[-1]), int(later.times_us[0])
    if not 0 < back_us - left_us <= settings.regroup_place_s * SECOND_US or path.scene(left_us) != path.scene(back_us):
        return False
    return float(iou(earlier.boxes[-1] + path.offset(left_us, back_us), later.boxes[0])) >= 0.4

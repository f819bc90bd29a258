"""Regrouping: tracks that the tracker split, joined again by appearance; never two that share a frame."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biographer.models.camera_path import CameraPath
from biographer.models.cleanup import CleanupSettings
from biographer.models.track import Track, join, shared_counts, shared_overlap
from biographer.state.box import iou
from biographer.state.times import SECOND_US


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """How a track looks: a unit vector (float64, (d,)), and whether its pictures are large enough to trust it."""

    vector: NDArray[np.float64]
    clear: bool


def regrouped(
    tracks: Sequence[Track], looks: Mapping[int, Look], path: CameraPath, settings: CleanupSettings
) -> list[Track]:
    """Return the tracks with split ones joined, by number; `looks` are by number, a track without one stays alone.

    Groups grow by the highest mean over all pairs of their tracks (average linkage) of how much more alike the two
    are than they must be, as long as that is not negative; of equals the lowest numbers. Two that share a frame, and
    so all groups that hold them, never join.
    """
    ordered = sorted(tracks, key=lambda track: track.number)
    sums, sizes = _surplus(ordered, looks, path, settings), np.ones(len(ordered))
    groups = [[track] for track in ordered]
    while len(groups) > 1:
        means = sums / (sizes[:, None] * sizes[None, :])
        means[np.tril_indices(len(groups))] = -np.inf
        row, column = divmod(int(np.argmax(means)), len(groups))
        if not means[row, column] >= 0:
            break
        groups[row] += groups.pop(column)
        sums, sizes = _joined(sums, sizes, row, column)
    return [join(group) for group in groups]


def _joined(
    sums: NDArray[np.float64], sizes: NDArray[np.float64], row: int, column: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return sums and sizes with the group of `column` added to that of `row`."""
    sums, sizes = sums.copy(), sizes.copy()
    sums[row] += sums[column]
    sums[:, row] = sums[row]
    sizes[row] += sizes[column]
    return np.delete(np.delete(sums, column, axis=0), column, axis=1), np.delete(sizes, column)


def _surplus(
    tracks: Sequence[Track], looks: Mapping[int, Look], path: CameraPath, settings: CleanupSettings
) -> NDArray[np.float64]:
    """Return (n, n): by how much each pair is more alike than it must be; minus infinity where it can't be one."""
    result = np.full((len(tracks), len(tracks)), -np.inf)
    known = [row for row, track in enumerate(tracks) if track.number in looks]
    if len(known) < 2:
        return result
    seen = [tracks[row] for row in known]
    likeness = _likeness([looks[track.number].vector for track in seen])
    counts = shared_counts(seen)
    rivals = _rivals(seen, likeness, counts)
    least = min(settings.regroup_in_place, settings.regroup_similarity)
    for one, other in np.argwhere(np.triu((counts == 0) & (likeness >= least), 1)).tolist():
        left, right = seen[one], seen[other]
        clear = looks[left.number].clear and looks[right.number].clear
        must = needed(left, right, path, settings, clear=clear, rival=max(rivals[one], rivals[other]))
        surplus = likeness[one, other] - must
        result[known[one], known[other]] = result[known[other], known[one]] = surplus
    return result


def needed(
    left: Track, right: Track, path: CameraPath, settings: CleanupSettings, *, clear: bool, rival: float
) -> float:
    """Return the likeness from which two tracks are one.

    Less where the one begins where the other was left, more where labels differ. Elsewhere small pictures prove
    nothing, since blur makes them all alike, and `rival`, the likeness to what is known to be another, must be beaten.
    """
    other = settings.regroup_other_label if left.label != right.label else 0.0
    if _meet(left, right, path, settings) or _meet(right, left, path, settings):
        return settings.regroup_in_place + other
    return max(settings.regroup_similarity + other, rival) if clear else float("inf")


def _likeness(vectors: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return (n, n) cosines, alike for (a, b) and (b, a) to the last bit."""
    stacked = np.stack(vectors)
    # Not a matrix product: that one's last bits, and its waiting for other threads, depend on the machine's load.
    upper = np.triu(np.einsum("id,jd->ij", stacked, stacked))
    both: NDArray[np.float64] = upper + np.triu(upper, 1).T
    return both


def _rivals(tracks: Sequence[Track], likeness: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return (n,): how much like it the most similar track is that was seen elsewhere in the same frames."""
    rivals = np.full(len(tracks), -np.inf)
    for one, other in np.argwhere(np.triu(counts >= 2, 1)).tolist():
        if float(np.median(shared_overlap(tracks[one], tracks[other]))) < 0.1:
            rivals[one] = max(rivals[one], likeness[one, other])
            rivals[other] = max(rivals[other], likeness[one, other])
    return rivals


def _meet(earlier: Track, later: Track, path: CameraPath, settings: CleanupSettings) -> bool:
    """Say whether the later track begins where the earlier one was left, moved as the camera moved."""
    left_us, back_us = int(earlier.times_us[-1]), int(later.times_us[0])
    if not 0 < back_us - left_us <= settings.regroup_place_s * SECOND_US or path.scene(left_us) != path.scene(back_us):
        return False
    return float(iou(earlier.boxes[-1] + path.offset(left_us, back_us), later.boxes[0])) >= settings.regroup_overlap

"""Tracks: detections joined within one clip, as the tracker leaves them and the clean-up takes them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biographer.state.box import iou


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """One subject of one clip.

    `label` is the one with the highest sum of scores, of equals the lowest number; made by `Track.of`.
    `times_us` (int64, (n,), strictly rising, n >= 1), `boxes` (float32, (n, 4), 0..1), `scores` (float32, (n,), 0..1)
    and `labels` (int32, (n,), numbers of the detector's labels) are its sightings. `parts` are the tracker's numbers
    that it was made of, rising.
    """

    parts: tuple[int, ...]
    label: int
    times_us: NDArray[np.int64]
    boxes: NDArray[np.float32]
    scores: NDArray[np.float32]
    labels: NDArray[np.int32]

    @classmethod
    def of(
        cls,
        parts: tuple[int, ...],
        times_us: NDArray[np.int64],
        boxes: NDArray[np.float32],
        scores: NDArray[np.float32],
        labels: NDArray[np.int32],
    ) -> "Track":
        """Return the track of these sightings, its label voted for by their scores."""
        kinds, inverse = np.unique(labels, return_inverse=True)
        votes = np.bincount(inverse, weights=scores.astype(np.float64))
        return cls(parts, int(kinds[int(np.argmax(votes))]), times_us, boxes, scores, labels)

    def __len__(self) -> int:
        """Count the sightings."""
        return len(self.times_us)

    @property
    def number(self) -> int:
        """The lowest of the tracker's numbers."""
        return self.parts[0]

    @property
    def score(self) -> float:
        """Mean score of the sightings."""
        return float(self.scores.mean(dtype=np.float64))

    def visible_us(self, period_us: int, gap_us: int) -> int:
        """Return the time seen: gaps up to `gap_us` count, longer ones do not, the last sighting lasts a period.

        Runs of a single sighting thus count as one period, and no span of absence counts at all.
        """
        steps = np.diff(self.times_us)
        seen = np.where(steps <= gap_us, steps, period_us)
        return int(seen.sum()) + period_us


def shared_rows(left: Track, right: Track) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows of each track at the presentation times that both have."""
    if left.times_us[-1] < right.times_us[0] or right.times_us[-1] < left.times_us[0]:
        none = np.zeros(0, dtype=np.intp)
        return none, none
    _, ours, theirs = np.intersect1d(left.times_us, right.times_us, assume_unique=True, return_indices=True)
    return ours, theirs


def shared_counts(tracks: Sequence[Track]) -> NDArray[np.int64]:
    """Return (n, n): how many presentation times each two tracks share."""
    if not tracks:
        return np.zeros((0, 0), dtype=np.int64)
    every = np.unique(np.concatenate([track.times_us for track in tracks]))
    present = np.zeros((len(tracks), len(every)), dtype=np.float32)
    for row, track in enumerate(tracks):
        present[row, np.searchsorted(every, track.times_us)] = 1
    counts: NDArray[np.int64] = np.rint(np.einsum("it,jt->ij", present, present)).astype(np.int64)
    return counts


def shared_overlap(left: Track, right: Track) -> NDArray[np.float32]:
    """Return the IoU of the two at each shared time."""
    ours, theirs = shared_rows(left, right)
    return iou(left.boxes[ours], right.boxes[theirs])


def join(tracks: Sequence[Track]) -> Track:
    """Return the union of tracks of one subject; where several saw it at one time, the highest score stands.

    Of equal scores the one of the earlier track in the sequence stands.
    """
    times = np.concatenate([track.times_us for track in tracks])
    scores = np.concatenate([track.scores for track in tracks])
    order = np.lexsort((np.arange(len(times)), -scores, times))
    first = np.ones(len(times), dtype=bool)
    first[1:] = np.diff(times[order]) > 0
    rows = order[first]
    return Track.of(
        parts=tuple(sorted(part for track in tracks for part in track.parts)),
        times_us=times[rows],
        boxes=np.concatenate([track.boxes for track in tracks])[rows],
        scores=scores[rows],
        labels=np.concatenate([track.labels for track in tracks])[rows],
    )

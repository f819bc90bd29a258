"""Duplicates: tracks that follow one thing at the same time, made one."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from biographer.models.cleanup import CleanupSettings
from biographer.models.track import Track, join, shared_counts, shared_rows
from biographer.state.box import areas, iou


def merged(tracks: Sequence[Track], settings: CleanupSettings) -> list[Track]:
    """Return the tracks, by number: those of one box made one, those nested in a larger one of their label left out."""
    left = sorted(tracks, key=lambda track: track.number)
    while True:
        pair = next((pair for pair in _together(left) if have_one_box(left[pair[0]], left[pair[1]], settings)), None)
        if pair is None:
            break
        left[pair[0]] = join([left[pair[0]], left.pop(pair[1])])
    nested = {row for row, within in _both_ways(_together(left)) if is_nested(left[row], left[within], settings)}
    return [track for row, track in enumerate(left) if row not in nested]


def have_one_box(left: Track, right: Track, settings: CleanupSettings) -> bool:
    """Say whether the two were seen together for half of the shorter one's sightings, mostly in one box."""
    ours, theirs = shared_rows(left, right)
    if not len(ours) or 2 * len(ours) < min(len(left), len(right)):
        return False
    same = iou(left.boxes[ours], right.boxes[theirs]) >= settings.same_overlap
    return float(same.mean()) >= settings.same_share


def is_nested(inner: Track, outer: Track, settings: CleanupSettings) -> bool:
    """Say whether the inner track is but a part of the outer one, of the same label: nearly always seen within it.

    One that spans neither most of its width nor of its height is left alone: it is likely a thing further away.
    """
    if inner.label != outer.label:
        return False
    ours, theirs = shared_rows(inner, outer)
    if not len(ours) or len(ours) < settings.nested_share * len(inner):
        return False
    within = _is_within(inner.boxes[ours], outer.boxes[theirs], settings)
    return float(within.mean()) >= settings.nested_share


def _is_within(inner: NDArray[np.float32], outer: NDArray[np.float32], settings: CleanupSettings) -> NDArray[np.bool_]:
    low, high = np.maximum(inner[:, :2], outer[:, :2]), np.minimum(inner[:, 2:], outer[:, 2:])
    common = np.clip(high - low, 0, None).prod(axis=1)
    spans = ((inner[:, 2:] - inner[:, :2]) >= settings.nested_span * (outer[:, 2:] - outer[:, :2])).any(axis=1)
    size = areas(inner)
    within: NDArray[np.bool_] = spans & (common >= settings.nested_cover * size) & (size < areas(outer))
    return within


def _together(tracks: Sequence[Track]) -> list[tuple[int, int]]:
    """Return the pairs of rows, each rising, that share enough frames to be compared."""
    counts = shared_counts(tracks)
    lengths = np.array([len(track) for track in tracks])
    enough = np.triu(2 * counts >= np.minimum(lengths[:, None], lengths[None, :]), 1) if len(tracks) else counts > 0
    return [(int(row), int(column)) for row, column in np.argwhere(enough)]


def _both_ways(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    return [way for row, column in pairs for way in ((row, column), (column, row))]

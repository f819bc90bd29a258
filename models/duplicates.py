"""Duplicates: tracks that follow one thing at the same time, made one."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from biographer.models.cleanup import CleanupSettings
from biographer.models.track import Track, join, shared_rows
from biographer.state.box import areas, iou


def merged(tracks: Sequence[Track], settings: CleanupSettings) -> list[Track]:
    """Return the tracks, duplicates of one thing made one until none is left; by number."""
    left = sorted(tracks, key=lambda track: track.number)
    place = 0
    while place < len(left):
        twin = next((row for row in range(place + 1, len(left)) if are_same(left[place], left[row], settings)), None)
        if twin is None:
            place += 1
        else:
            whole = join([left[place], left.pop(twin)])
            left[place], place = whole, 0
    return left


def are_same(left: Track, right: Track, settings: CleanupSettings) -> bool:
    """Say whether two tracks are one thing: for half of the shorter one's sightings seen together, mostly in one box.

    Boxes of one label are also the same where one is nested in the other and not much smaller.
    """
    ours, theirs = shared_rows(left, right)
    if 2 * len(ours) < min(len(left), len(right)) or not len(ours):
        return False
    one, other = left.boxes[ours], right.boxes[theirs]
    same = iou(one, other) >= settings.same_overlap
    if left.label == right.label:
        same = same | _nested(one, other, settings)
    return float(same.mean()) >= settings.same_share


def _nested(one: NDArray[np.float32], other: NDArray[np.float32], settings: CleanupSettings) -> NDArray[np.bool_]:
    low, high = np.maximum(one[:, :2], other[:, :2]), np.minimum(one[:, 2:], other[:, 2:])
    inner = np.clip(high - low, 0, None).prod(axis=1)
    smaller, larger = np.minimum(areas(one), areas(other)), np.maximum(areas(one), areas(other))
    nested: NDArray[np.bool_] = (inner >= settings.nested_cover * smaller) & (smaller >= settings.nested_size * larger)
    return nested

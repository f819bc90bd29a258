"""Overlays: boxes that are no thing of the world, as they are the whole frame or burnt into the picture."""

from collections.abc import Sequence

import numpy as np

from biographer.models.camera_path import CameraPath
from biographer.models.cleanup import CleanupSettings
from biographer.models.track import Track
from biographer.state.box import iou
from biographer.state.times import SECOND_US

_BESIDE_US = SECOND_US
"""How near to a cut a track must end or begin to be compared across it."""


def without_overlays(tracks: Sequence[Track], path: CameraPath, settings: CleanupSettings) -> list[Track]:
    """Return the tracks that are things, in their order."""
    crossing = over_cuts(tracks, path, settings)
    return [
        track
        for track in tracks
        if not (is_whole_frame(track, settings) or is_burnt_in(track, path, settings) or track.number in crossing)
    ]


def is_whole_frame(track: Track, settings: CleanupSettings) -> bool:
    """Say whether the box is the whole picture in at least half of the sightings."""
    sides = track.boxes[:, 2:] - track.boxes[:, :2]
    return bool((sides >= settings.whole_frame_side).all(axis=1).mean() >= 0.5)


def is_burnt_in(track: Track, path: CameraPath, settings: CleanupSettings) -> bool:
    """Say whether the box keeps its place in the picture while the camera travels."""
    travelled = path.travelled(int(track.times_us[0]), int(track.times_us[-1]))
    return travelled >= settings.still_camera and stands_still(track, settings)


def stands_still(track: Track, settings: CleanupSettings) -> bool:
    """Say whether nine in ten sides of the boxes stay where the middle one has them."""
    stray = np.quantile(np.abs(track.boxes - np.median(track.boxes, axis=0)), 0.9)
    return float(stray) <= settings.still_box


def over_cuts(tracks: Sequence[Track], path: CameraPath, settings: CleanupSettings) -> set[int]:
    """Return the numbers of tracks that keep their box over scene cuts, as an overlay does and no thing can.

    One cut is enough where most tracks beside it do not; else it takes two, as a flash, or a lamp that is switched
    on, looks like a cut over which everything stays.
    """
    links: list[tuple[int, int]] = []
    sure: set[int] = set()
    for cut_us in path.cuts_us:
        pairs, beside = _over_cut(tracks, cut_us, settings)
        links += pairs
        if 2 * len(pairs) < beside:
            sure |= {number for pair in pairs for number in pair}
    middles = {left for left, _ in links} & {right for _, right in links}
    return _reached(sure | middles, links)


def _over_cut(tracks: Sequence[Track], cut_us: int, settings: CleanupSettings) -> tuple[list[tuple[int, int]], int]:
    """Return the pairs of numbers that keep one box over this cut, and how many could have on the emptier side."""
    before = [track for track in tracks if cut_us - _BESIDE_US <= track.times_us[-1] < cut_us]
    after = [track for track in tracks if cut_us <= track.times_us[0] <= cut_us + _BESIDE_US]
    still = {track.number: stands_still(track, settings) for track in [*before, *after]}
    pairs = [
        (left.number, right.number)
        for left in before
        for right in after
        if still[left.number] and still[right.number] and left.label == right.label and _one_place(left, right)
    ]
    return pairs, min(len(before), len(after))


def _one_place(left: Track, right: Track) -> bool:
    return float(iou(np.median(left.boxes, axis=0), np.median(right.boxes, axis=0))) >= 0.9


def _reached(numbers: set[int], links: Sequence[tuple[int, int]]) -> set[int]:
    """Return the numbers and all that links lead to from them."""
    found = set(numbers)
    while True:
        more = {number for pair in links if found & set(pair) for number in pair} - found
        if not more:
            return found
        found |= more

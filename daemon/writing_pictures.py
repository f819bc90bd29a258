"""The pictures that writers are shown of a clip: crops that were kept, and whole views, decoded once a clip."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from biographer.models.describing import View
from biographer.models.views import SIDE, box_at, spread, view_file
from biographer.state.errors import BadClipError
from biographer.state.media import MediaFolder
from biographer.state.observation import Observation
from biographer.state.recalled_clips import ClipRecord
from biographer.state.times import SECOND_US
from biographer.streams.still import stills

_MOST = 30
"""Frames of one clip that are kept at hand: one a second of 30 s, some 30 MB."""

_NEAR_US = SECOND_US // 2
"""A frame shows a subject that was seen within so long of it."""


@dataclass(slots=True)
class ClipPictures:
    """Of one stream. Decodes for one caller at a time, and keeps the frames of the clip that it was asked for last."""

    media: MediaFolder
    _clip: int = -1
    _frames: list[tuple[int, NDArray[np.uint8]]] = field(default_factory=list)

    def crops(self, observation: Observation) -> tuple[bytes, ...]:
        """Return the pictures of an observation that are still kept."""
        files = (self.media.get(crop.sha256) for crop in observation.crops)
        return tuple(file for file in files if file is not None)

    def views_of(self, clip: ClipRecord, observation: Observation, most: int) -> tuple[View, ...]:
        """Return views in which an observation was seen, spread over its time, each with its frame."""
        near = [one for one in self._of(clip) if int(np.abs(observation.times_us - one[0]).min()) <= _NEAR_US]
        shown = _thinned(near, most)
        return tuple(View(at_us, view_file(pixels, box_at(observation, at_us))) for at_us, pixels in shown)

    def views(self, clip: ClipRecord, most: int) -> tuple[View, ...]:
        """Return views of a clip, spread over its time."""
        return tuple(View(at_us, view_file(pixels)) for at_us, pixels in _thinned(self._of(clip), most))

    def _of(self, clip: ClipRecord) -> list[tuple[int, NDArray[np.uint8]]]:
        if clip.number != self._clip:
            self._frames = self._decoded(clip)
            self._clip = clip.number
        return self._frames

    def _decoded(self, clip: ClipRecord) -> list[tuple[int, NDArray[np.uint8]]]:
        """Return frames of a clip about a second apart; none where its video is not kept or cannot be decoded."""
        path = None if clip.media is None else self.media.path(clip.media)
        if path is None or not path.exists():
            return []
        length_us = clip.end_us - clip.start_us
        count = int(min(_MOST, max(1, length_us // SECOND_US)))
        return _taken(path, clip.start_us, spread(0, length_us, count))


def _taken(path: Path, start_us: int, offsets_us: tuple[int, ...]) -> list[tuple[int, NDArray[np.uint8]]]:
    try:
        return [(start_us + one.at_us, one.pixels().copy()) for one in stills(path, offsets_us, SIDE)]
    except BadClipError:
        return []


def _thinned(frames: list[tuple[int, NDArray[np.uint8]]], most: int) -> list[tuple[int, NDArray[np.uint8]]]:
    if len(frames) <= most:
        return frames
    rows = np.unique(np.linspace(0, len(frames) - 1, most).round().astype(int)) if most else ()
    return [frames[row] for row in rows]

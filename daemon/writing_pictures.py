"""What writers are shown of a clip: crops that were kept, whole views, decoded once a clip, and its sound."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from biographer.models.describing import View
from biographer.models.views import SIDE, box_at, spread, view_file
from biographer.state.errors import BadClipError
from biographer.state.media import MediaFolder
from biographer.state.observation import Crop, Observation
from biographer.state.recalled_clips import ClipRecord
from biographer.state.sound import Sound
from biographer.state.times import SECOND_US
from biographer.streams.sound import sound_of
from biographer.streams.still import stills

Frames = list[tuple[int, NDArray[np.uint8]]]
"""When, and RGB pixels of at most SIDE."""

_MOST = 30
"""Frames of one clip: one a second of 30 s, some 30 MB."""

_KEPT = 3
"""Clips whose frames are kept: one is captioned when it comes, and described some 40 s later."""

_NEAR_US = SECOND_US // 2
"""A frame shows a subject that was seen within so long of it."""


@dataclass(slots=True)
class ClipPictures:
    """Of one stream. Decodes for one caller at a time, and keeps the frames of the clips that it was asked for last."""

    media: MediaFolder
    _frames: OrderedDict[int, Frames] = field(default_factory=OrderedDict)

    def crops(self, crops: Iterable[Crop]) -> tuple[bytes, ...]:
        """Return the pictures of an observation that are still kept."""
        files = (self.media.get(crop.sha256) for crop in crops)
        return tuple(file for file in files if file is not None)

    def views_of(self, clip: ClipRecord, observation: Observation, most: int) -> tuple[View, ...]:
        """Return views in which an observation was seen, spread over its time, each with its frame."""
        return framed_views(self._of(clip), observation, most)

    def views(self, clip: ClipRecord, most: int) -> tuple[View, ...]:
        """Return views of a clip, spread over its time."""
        return tuple(View(at_us, view_file(pixels)) for at_us, pixels in _thinned(self._of(clip), most))

    def sound(self, clip: ClipRecord) -> Sound | str | None:
        """Return a clip's sound, None where it has none, or why it can't be had."""
        path = None if clip.media is None else self.media.path(clip.media)
        if path is None or not path.exists():
            return "its file is not kept any more"
        try:
            return sound_of(path, clip.start_us, clip.end_us - clip.start_us)
        except BadClipError as error:
            return str(error)

    def _of(self, clip: ClipRecord) -> Frames:
        if clip.number not in self._frames:
            path = None if clip.media is None else self.media.path(clip.media)
            here = path is not None and path.exists()
            self._frames[clip.number] = frames_of(path, clip.start_us, clip.end_us) if path and here else []
        self._frames.move_to_end(clip.number)
        while len(self._frames) > _KEPT:
            self._frames.popitem(last=False)
        return self._frames[clip.number]


def frames_of(source: bytes | Path, start_us: int, end_us: int) -> Frames:
    """Return frames of a clip about a second apart; none where it cannot be decoded. Blocks."""
    count = int(min(_MOST, max(1, (end_us - start_us) // SECOND_US)))
    offsets_us = spread(0, end_us - start_us, count)
    try:
        return [(start_us + one.at_us, one.pixels().copy()) for one in stills(source, offsets_us, SIDE)]
    except BadClipError:
        return []


def framed_views(frames: Frames, observation: Observation, most: int) -> tuple[View, ...]:
    """Return, of frames, those in which an observation was seen, spread over its time, with a frame around it."""
    near = [one for one in frames if int(np.abs(observation.times_us - one[0]).min()) <= _NEAR_US]
    return tuple(View(at, view_file(pixels, box_at(observation, at))) for at, pixels in _thinned(near, most))


def _thinned(frames: Frames, most: int) -> Frames:
    if len(frames) <= most:
        return frames
    rows = np.unique(np.linspace(0, len(frames) - 1, most).round().astype(int)) if most else ()
    return [frames[row] for row in rows]

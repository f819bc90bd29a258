"""Device tracks made fit for observation: their sightings put in order, their crops opened, their flaws named."""

import io
import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from biographer.models.crops import Candidate, limited
from biographer.models.observer import Identity, stated
from biographer.models.roles import Embedder
from biographer.models.tracker import Sightings
from biographer.state.box import areas
from biographer.state.device_track import DeviceTrack
from biographer.state.errors import BadClipError
from biographer.state.times import SECOND_US

log = logging.getLogger(__name__)

_MOST_PIXELS = 16_000_000
"""A crop with more is not opened: it is no crop, and would take hundreds of megabytes."""
_NEAR_US = SECOND_US
"""How far apart two sightings may be for the box between them to be believed."""


@dataclass(frozen=True, slots=True, eq=False)
class Reported:
    """A device track with its sightings in order of time, one a time, all of them finite and within the picture."""

    track: DeviceTrack
    times_us: NDArray[np.int64]
    boxes: NDArray[np.float32]

    def box_at(self, at_us: int) -> NDArray[np.float32] | None:
        """Return the box at a time, between two sightings by straight line; None where it was not seen around then."""
        after = int(np.searchsorted(self.times_us, at_us))
        if after < len(self.times_us) and self.times_us[after] == at_us:
            exact: NDArray[np.float32] = self.boxes[after]
            return exact
        if after in {0, len(self.times_us)}:
            return None
        early, late = int(self.times_us[after - 1]), int(self.times_us[after])
        if late - early > _NEAR_US:
            return None
        share: np.float32 = np.float32((at_us - early) / (late - early))
        box: NDArray[np.float32] = self.boxes[after - 1] * (1 - share) + self.boxes[after] * share
        return box


def reported(tracks: Sequence[DeviceTrack]) -> list[Reported]:
    """Return the tracks in order, by number; raises BadClipError where a number comes twice.

    A track without any usable box is left out and named in the log: it says nothing, and the others still do.
    """
    numbers = [track.track for track in tracks]
    twice = sorted({number for number in numbers if numbers.count(number) > 1})
    if twice:
        raise BadClipError(f"device tracks {twice[:5]} come more than once; number each subject of a clip differently")
    usable = [_in_order(track) for track in sorted(tracks, key=lambda track: track.track)]
    return [item for item in usable if item is not None]


def sightings_at(several: Sequence[Reported], at_us: int) -> Sightings:
    """Return what the device saw at a time, as the tracker would have said it; numbers are the device's."""
    seen = [(item.track.track, box) for item in several if (box := item.box_at(at_us)) is not None]
    return Sightings(
        np.array([number for number, _ in seen], dtype=np.int64),
        np.array([box for _, box in seen], dtype=np.float32).reshape(-1, 4),
        np.ones(len(seen), dtype=np.float32),
    )


def stated_identity(track: DeviceTrack, embedder: Embedder | None) -> Identity | None:
    """Return the device's own evidence of identity, or why it is refused; None where it sent none."""
    if track.embedding is None:
        return None
    if not track.embedder:
        return None, "the device's embedding names no embedder"
    length = int(np.size(track.embedding))
    if embedder is not None and track.embedder == embedder.name and length != embedder.dim:
        return None, f"embedding of {track.embedder!r} has {length} numbers, not {embedder.dim}"
    return stated(track.embedder, track.embedding)


def opened(item: Reported, side: int) -> tuple[Candidate | None, str | None]:
    """Return the device's crop as a picture at the middle sighting, or None and why it could not be opened."""
    if item.track.crop is None:
        return None, None
    try:
        with Image.open(io.BytesIO(item.track.crop), formats=("JPEG", "PNG")) as picture:
            if picture.width * picture.height > _MOST_PIXELS:
                return None, f"the device's crop has {picture.width}x{picture.height} pixels, over {_MOST_PIXELS}"
            pixels = limited(np.asarray(picture.convert("RGB")), side)
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError, SyntaxError) as error:
        return None, f"the device's crop is no readable JPEG or PNG: {error}"
    middle = len(item.times_us) // 2
    x0, y0, x1, y1 = (float(value) for value in item.boxes[middle])
    return Candidate(int(item.times_us[middle]), (x0, y0, x1, y1), float("inf"), pixels), None


def _in_order(track: DeviceTrack) -> Reported | None:
    times = np.asarray(track.times_us, dtype=np.int64).reshape(-1)
    boxes = np.asarray(track.boxes, dtype=np.float32).reshape(-1, 4)
    clipped = np.clip(boxes, 0, 1)
    good = np.isfinite(boxes).all(axis=1) & (areas(np.nan_to_num(clipped)) > 0)
    if not good.any():
        log.warning("device track %d has no usable box of %d: left out", track.track, len(boxes))
        return None
    kept, rows = np.unique(times[good], return_index=True)
    return Reported(track, kept, clipped[good][rows])

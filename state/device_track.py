"""Tracks that a device found for itself: what its clip message says of one subject, already typed, not yet judged."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class DeviceTrack:
    """One subject of one clip as the device reports it.

    `times_us` (int64, shape (n,)) are event times and `boxes` (float32, shape (n, 4), 0..1) where it was; nothing is
    promised yet of their order or finiteness. `embedding` (float, shape (d,)) comes with the `embedder` that made it,
    whose gallery it joins. `text` describes the subject; `crop` is a JPEG or PNG file.
    """

    track: int
    label: str
    score: float
    times_us: NDArray[np.int64]
    boxes: NDArray[np.float32]
    embedding: NDArray[np.float32] | None = None
    embedder: str | None = None
    text: str | None = None
    crop: bytes | None = None

"""Where to cut a recording into clips; plain numbers in and out."""

import math
from dataclasses import dataclass

import numpy as np

from biographer.streams.outline import Outline

LONGEST = 1.5
"""Clips cut at key frames may be this many times as long as asked for; beyond, the recording is re-encoded."""

SHORTEST = 0.25
"""A rest shorter than this share of a clip stays with the clip before it."""


@dataclass(frozen=True, slots=True)
class Cuts:
    """Clips as (start_us, end_us) after the first picture, each ending where the next one starts.

    `rows` are the key packets (by their number in decoding order) that open the clips, or empty where key frames lie
    too far apart to cut at them.
    """

    spans: tuple[tuple[int, int], ...]
    rows: tuple[int, ...] = ()

    @classmethod
    def of(cls, seen: Outline, clip_us: int, *, copyable: bool) -> "Cuts":
        """Choose key packets nearest to the multiples of clip_us; where that is too coarse, the pictures there."""
        offsets = seen.offsets_us()
        marks = [clip_us * k for k in range(1, math.ceil(seen.length_us / clip_us - SHORTEST))]
        if copyable and seen.shown.all():
            keys = np.flatnonzero(seen.keys)
            nearest = [keys[np.abs(offsets[keys] - mark).argmin()] for mark in marks]
            rows = np.unique([*keys[:1], *nearest]).astype(int)
            spans = _spans(offsets[rows].tolist(), seen.length_us)
            if spans and max(end - start for start, end in spans) <= LONGEST * clip_us:
                return cls(spans, tuple(rows.tolist()))
        times = np.unique(offsets[seen.shown])
        starts = np.unique([0, *(times[np.searchsorted(times, mark)] for mark in marks)])
        return cls(_spans(starts.astype(int).tolist(), seen.length_us))


def _spans(starts: list[int], end: int) -> tuple[tuple[int, int], ...]:
    return tuple(zip(starts, [*starts[1:], end], strict=True))

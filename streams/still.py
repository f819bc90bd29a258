"""One frame of a video, by time: only what that frame needs is decoded."""

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np

from biographer.state.errors import BadClipError
from biographer.streams.container import opened, picture_stream
from biographer.streams.decoder import taken
from biographer.streams.decoding import Decoding
from biographer.streams.outline import Outline, outline
from biographer.streams.probe import probe
from biographer.streams.sampling import Plan, needed
from biographer.streams.time_limit import TimeLimit
from biographer.streams.video_frame import Scaler, VideoFrame

_PIXELS_MAX = 50_000_000


def still(
    source: bytes | Path,
    offset_us: int,
    side_max: int,
    time_limit_s: float = 10.0,
    clock: Callable[[], float] = time.monotonic,
) -> VideoFrame | None:
    """Return the frame that is on show at a time after the first one, None where there are no pictures. Blocks.

    Times before the first frame give the first, times after the last the last. The frame's own time is its offset.
    Raises BadClipError where the video cannot be decoded.
    """
    limit = TimeLimit(time_limit_s, clock)
    kind = probe(source).kind
    with opened(source, kind, _PIXELS_MAX) as container, limit.counted():
        stream = picture_stream(container, _PIXELS_MAX)
        seen = None if stream is None else outline(container, stream)
    if seen is None or not bool(seen.shown.any()):
        return None
    plan = _plan(seen, offset_us)
    with opened(source, kind, _PIXELS_MAX) as container:
        stream = picture_stream(container, _PIXELS_MAX)
        if stream is None:
            return None
        frames = Decoding(container, stream, plan, threads=1).frames(limit)
        with closing(taken(frames, seen, plan, int(seen.offsets_us().max()))) as found:  # type: ignore[type-var]
            for at_us, native in found:
                return VideoFrame(at_us, native, Scaler(), side_max)
    raise BadClipError(f"the frame {offset_us / 1_000_000:.2f} s after the first could not be decoded")


def _plan(seen: Outline, offset_us: int) -> Plan:
    offsets = seen.offsets_us()
    times = np.unique(offsets[seen.shown])
    place = max(0, int(np.searchsorted(times, offset_us, side="right")) - 1)
    wanted = seen.shown & (offsets == times[place])
    return Plan(times[place : place + 1], wanted, needed(offsets, seen.keys, wanted))


def length_us(source: bytes | Path) -> int | None:
    """Return how long the pictures of a video last, None where it has none. Blocks. Raises BadClipError."""
    with opened(source, probe(source).kind, _PIXELS_MAX) as container:
        stream = picture_stream(container, _PIXELS_MAX)
        seen = None if stream is None else outline(container, stream)
    return None if seen is None or not bool(seen.shown.any()) else seen.length_us

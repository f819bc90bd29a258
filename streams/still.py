"""Single frames of a video, by time: only what those frames need is decoded."""

import time
from collections.abc import Callable, Iterator, Sequence
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
    for frame in stills(source, [offset_us], side_max, time_limit_s, clock):
        return frame
    return None


def stills(
    source: bytes | Path,
    offsets_us: Sequence[int],
    side_max: int,
    time_limit_s: float = 10.0,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[VideoFrame]:
    """Yield, each once and in order, the frames that are on show at some times, as `still` does. Blocks."""
    limit = TimeLimit(time_limit_s, clock)
    kind = probe(source).kind
    with opened(source, kind, _PIXELS_MAX) as container, limit.counted():
        stream = picture_stream(container, _PIXELS_MAX)
        seen = None if stream is None else outline(container, stream)
    if seen is None or not bool(seen.shown.any()):
        return
    plan = _plan(seen, offsets_us)
    with opened(source, kind, _PIXELS_MAX) as container:
        stream = picture_stream(container, _PIXELS_MAX)
        if stream is None:
            return
        frames = Decoding(container, stream, plan, threads=1).frames(limit)
        with closing(taken(frames, seen, plan, int(seen.offsets_us().max()))) as found:  # type: ignore[type-var]
            count = 0
            for at_us, native in found:
                count += 1
                yield VideoFrame(at_us, native, Scaler(), side_max)
    if not count:
        raise BadClipError(f"the frame {offsets_us[0] / 1_000_000:.2f} s after the first could not be decoded")


def _plan(seen: Outline, offsets_us: Sequence[int]) -> Plan:
    offsets = seen.offsets_us()
    times = np.unique(offsets[seen.shown])
    places = np.unique(np.maximum(0, np.searchsorted(times, np.array(offsets_us, np.int64), side="right") - 1))
    wanted = seen.shown & np.isin(offsets, times[places])
    return Plan(times[places], wanted, needed(offsets, seen.keys, wanted))


def length_us(source: bytes | Path) -> int | None:
    """Return how long the pictures of a video last, None where it has none. Blocks. Raises BadClipError."""
    with opened(source, probe(source).kind, _PIXELS_MAX) as container:
        stream = picture_stream(container, _PIXELS_MAX)
        seen = None if stream is None else outline(container, stream)
    return None if seen is None or not bool(seen.shown.any()) else seen.length_us

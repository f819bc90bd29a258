"""Frames of a clip, sampled evenly in presentation time.

Packets are looked at first (outline.py), what is worth decoding is chosen from their times (sampling.py), and only
that is decoded. What is done with a frame is not known here.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from av import VideoFrame as NativeFrame
from av.container import InputContainer
from av.video.stream import VideoStream

from biographer.state.errors import RefusedError
from biographer.streams.container import opened, picture_stream
from biographer.streams.decoding import Decoding
from biographer.streams.outline import Outline, outline
from biographer.streams.probe import Probe, probe
from biographer.streams.sampling import Plan
from biographer.streams.time_limit import TimeLimit
from biographer.streams.video_frame import Scaler, VideoFrame


class Decoder:
    """Decodes clips; holds settings only, so that any number of threads may use one at once.

    `rate` frames a second are sampled (0 < rate <= 120); `side_max` bounds the sides of full-size pixels;
    `time_limit_s` bounds the time spent decoding a clip; `pixels_max` the area of a frame, against bombs;
    `threads` is the codec's (0: one a core). `clock` returns seconds.
    """

    def __init__(
        self,
        rate: float = 5.0,
        side_max: int = 1280,
        time_limit_s: float = 60.0,
        *,
        pixels_max: int = 50_000_000,
        threads: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not 0 < rate <= 120:
            raise RefusedError(f"rate is {rate}; sample more than 0 and at most 120 frames a second")
        if side_max < 1:
            raise RefusedError(f"side_max is {side_max}; allow at least 1 pixel")
        self._rate = rate
        self._side_max = side_max
        self._time_limit_s = time_limit_s
        self._pixels_max = pixels_max
        self._threads = threads
        self._clock = clock

    def frames(self, source: bytes | Path, start_us: int, duration_us: int) -> Iterator[VideoFrame]:
        """Yield the first frame at or after each tick of the rate, upright, in order, each at most once.

        A frame's time is start_us plus its presentation time after the first frame's; frames later than
        `duration_us` are left out. A video without pictures yields nothing. Raises BadClipError, perhaps after some
        frames, for what is empty, cut, no video, too large, too slow or mostly faulty. Close the iterator when
        leaving early; the file is closed in any case.
        """
        limit = TimeLimit(self._time_limit_s, self._clock)
        probed = probe(source)
        seen = self._outline(source, probed, limit)
        if seen is None:
            return
        seen.check_whole(0 if probed.sealed else duration_us)
        plan = Plan.of(seen.offsets_us(), seen.keys, seen.shown, self._rate, duration_us)
        scaler = Scaler()
        with self._opened(source, probed) as (container, stream):
            if stream is None:
                return
            decoding = Decoding(container, stream, plan, self._threads)
            for offset_us, native in taken(decoding.frames(limit), seen, plan, duration_us):
                yield VideoFrame(start_us + offset_us, native, scaler, self._side_max)
            decoding.check()

    def _outline(self, source: bytes | Path, probed: Probe, limit: TimeLimit) -> Outline | None:
        with self._opened(source, probed) as (container, stream), limit.counted():
            return None if stream is None else outline(container, stream)

    @contextmanager
    def _opened(self, source: bytes | Path, probed: Probe) -> Iterator[tuple[InputContainer, VideoStream | None]]:
        with opened(source, probed.kind, self._pixels_max) as container:
            yield container, picture_stream(container, self._pixels_max)


def taken(
    frames: Iterator[NativeFrame], seen: Outline, plan: Plan, duration_us: int
) -> Iterator[tuple[int, NativeFrame]]:
    """Yield the planned frames with their offsets; for one that is lost the next that there is, within the clip."""
    row = 0
    for frame in frames:
        if row == len(plan.times_us) or frame.pts is None or frame.is_corrupt:
            continue
        offset_us = seen.offset_us(frame.pts)
        if plan.times_us[row] <= offset_us <= duration_us:
            row = int(np.searchsorted(plan.times_us, offset_us, side="right"))
            yield offset_us, frame

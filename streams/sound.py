"""The sound of a clip: one channel at 16 kHz, each sample where its presentation time puts it."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.stream import Stream
from numpy.typing import NDArray

from biographer.state.errors import BadClipError
from biographer.state.sound import Sound
from biographer.state.times import SECOND_US
from biographer.streams.container import opened
from biographer.streams.probe import probe
from biographer.streams.time_limit import TimeLimit

RATE = 16_000
"""Samples a second: what transcribers of speech are trained on."""

LONGEST_US = 3600 * SECOND_US
"""Longest clip whose sound is decoded: 115 MB of samples."""

_PIXELS_MAX = 50_000_000


def sound_of(
    source: bytes | Path,
    start_us: int,
    duration_us: int,
    time_limit_s: float = 60.0,
    clock: Callable[[], float] = time.monotonic,
) -> Sound | None:
    """Return the sound of a clip that starts at `start_us`, None where it has none.

    Time counts from the first picture, as frames' does, or from the first sound where there are none. Parts that are
    missing or damaged are silent. Raises BadClipError for what is no video, longer than LONGEST_US, or too slow.
    """
    if duration_us > LONGEST_US:
        raise BadClipError(
            f"sound of {duration_us / SECOND_US:.0f} s is over {LONGEST_US // SECOND_US} s; send shorter clips"
        )
    with opened(source, probe(source).kind, _PIXELS_MAX) as container:
        if not container.streams.audio:
            return None
        samples = np.zeros(duration_us * RATE // SECOND_US, np.int16)
        heard = False
        for at, part in _parts(container, TimeLimit(time_limit_s, clock)):
            heard = True
            first, last = max(at, 0), min(at + len(part), len(samples))
            if last > first:
                samples[first:last] = part[first - at : last - at]
        samples.setflags(write=False)
        return Sound(start_us, RATE, samples) if heard else None


def _parts(container: InputContainer, limit: TimeLimit) -> Iterator[tuple[int, NDArray[np.int16]]]:
    """Yield samples and the row of the first of them."""
    stream = container.streams.audio[0]
    origin_s = _origin_s(container, stream)
    resampler = AudioResampler(format="s16", layout="mono", rate=RATE)
    for frame in _frames(container, stream, limit):
        for one in resampler.resample(frame):
            if one.time is not None:
                yield round((one.time - origin_s) * RATE), one.to_ndarray().reshape(-1).astype(np.int16, copy=False)


def _frames(container: InputContainer, stream: AudioStream, limit: TimeLimit) -> Iterator[AudioFrame]:
    """Yield what can be decoded; a damaged packet, or a rest that cannot be read, is left out."""
    packets = container.demux(stream)
    while True:
        with limit.counted():
            try:
                packet = next(packets, None)
            except av.FFmpegError:
                packet = None
        if packet is None:
            return
        with limit.counted():
            try:
                frames = packet.decode()
            except av.FFmpegError:
                frames = []
        for frame in frames:
            if isinstance(frame, AudioFrame):
                yield frame


def _origin_s(container: InputContainer, stream: AudioStream) -> float:
    """Return the presentation time in seconds that is the clip's start."""
    starts = (_start_s(one) for one in (*container.streams.video, stream))
    return next((start_s for start_s in starts if start_s is not None), 0.0)


def _start_s(stream: Stream) -> float | None:
    if stream.start_time is None or stream.time_base is None:
        return None
    return float(stream.start_time * stream.time_base)

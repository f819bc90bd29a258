"""Clips of a recording whose key frames lie too far apart to cut at: decoded and encoded again, without sound."""

import io
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from fractions import Fraction
from pathlib import Path
from typing import cast

import av
from av import VideoFrame
from av.codec import Codec
from av.codec.codec import UnknownCodecError
from av.container import InputContainer
from av.video.stream import VideoStream

from biographer.streams.cuts import Cuts
from biographer.streams.outline import Outline
from biographer.streams.recording_file import recording
from biographer.streams.upright import PLAIN, display_matrix

_TICKS = 60_000
"""Units of time in a second: MPEG-4 part 2 takes up to 65,535."""

_SETTINGS = {"libx264": {"preset": "veryfast", "crf": "20"}, "mpeg4": {"qmin": "2", "qmax": "5"}}


def recoded(path: Path, seen: Outline, cuts: Cuts) -> Iterator[bytes]:
    """Yield each clip as an MP4 of its own, H.264 where this PyAV can encode it, else MPEG-4; times start anew at 0."""
    with recording(path) as (container, stream), ExitStack() as left_open:
        clip: _ClipEncoder | None = None
        opened = 0
        for frame in _decoded(container, stream):
            offset_us = seen.offset_us(frame.pts or 0)
            while opened < len(cuts.spans) and offset_us >= cuts.spans[opened][0]:
                if clip is not None:
                    yield clip.finished()
                clip = left_open.enter_context(closing(_ClipEncoder(frame, cuts.spans[opened][0])))
                opened += 1
            if clip is not None:
                clip.add(frame, offset_us)
        if clip is not None:
            yield clip.finished()


def _decoded(container: InputContainer, stream: VideoStream) -> Iterator[VideoFrame]:
    stream.thread_type = "AUTO"
    for packet in container.demux(stream):
        with suppress(av.FFmpegError):  # a damaged packet costs its own pictures only
            for frame in stream.decode(packet if packet.size else None):
                if frame.pts is not None:
                    yield frame


def encoder() -> str:
    """Return the name of the encoder that this PyAV has."""
    try:
        return Codec("libx264", "w").name
    except UnknownCodecError:
        return "mpeg4"


class _ClipEncoder:
    """One clip being encoded."""

    def __init__(self, like: VideoFrame, start_us: int) -> None:
        self._start_us = start_us
        self._last = -1
        self._file = io.BytesIO()
        self._out = av.open(self._file, "w", format="mp4")
        name = encoder()
        self._stream = cast("VideoStream", self._out.add_stream(name, rate=30, options=_SETTINGS[name]))
        self._stream.width, self._stream.height = like.width // 2 * 2 or 2, like.height // 2 * 2 or 2
        self._stream.pix_fmt = "yuv420p"
        self._stream.codec_context.time_base = Fraction(1, _TICKS)
        self._stream.thread_type = "FRAME"
        a, b, c, d = display_matrix(like)
        if (a, b, c, d) != PLAIN:
            self._stream.set_display_matrix([a, b, 0, c, d, 0, 0, 0, 1 << 30])

    def add(self, frame: VideoFrame, offset_us: int) -> None:
        picture = frame.reformat(self._stream.width, self._stream.height, "yuv420p")
        moment = round((offset_us - self._start_us) * _TICKS / 1_000_000)
        if moment <= self._last:
            return
        self._last = picture.pts = moment
        picture.time_base = Fraction(1, _TICKS)
        self._out.mux(self._stream.encode(picture))

    def finished(self) -> bytes:
        self._out.mux(self._stream.encode())
        self.close()
        return self._file.getvalue()

    def close(self) -> None:
        self._out.close()

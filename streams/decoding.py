"""One video being decoded: the needed packets go to the codec, and its faults are counted."""

from collections.abc import Iterator
from contextlib import suppress

import av
from av import VideoFrame as NativeFrame
from av.container import InputContainer
from av.packet import Packet
from av.video.stream import VideoStream

from biographer.state.errors import BadClipError
from biographer.streams.sampling import Plan
from biographer.streams.time_limit import TimeLimit

FAULTY_SHARE = 0.2
"""A video is refused where more than this share of the packets that were decoded is faulty."""


class Decoding:
    """Decodes what a plan needs; the frames come in the order in which they are shown."""

    def __init__(self, container: InputContainer, stream: VideoStream, plan: Plan, threads: int) -> None:
        self._stream = stream
        self._packets = container.demux(stream)
        self._plan = plan
        self._row = -1
        self._leapt = False
        self._fed = 0
        self._faulty = 0
        self._fault = ""
        self._shown = 0
        stream.thread_type = "AUTO"
        stream.thread_count = threads

    def frames(self, limit: TimeLimit) -> Iterator[NativeFrame]:
        """Yield what the codec yields; raises BadClipError where the limit on time is passed."""
        packet = self._next(limit)
        while packet is not None:
            if self._leapt:
                yield from self._restarted(limit)
            yield from self._decoded(packet, limit)
            packet = self._next(limit)
        yield from self._decoded(None, limit)

    def check(self) -> None:
        """Raise BadClipError where too much of what was decoded is faulty, or nothing came of it."""
        if self._faulty > FAULTY_SHARE * self._fed:
            raise BadClipError(
                f"{self._faulty} of {self._fed} packets of the video are faulty ({self._fault}); send the clip again"
            )
        if self._fed and not self._shown:
            raise BadClipError(f"no frame could be decoded from {self._fed} packets; check the video's codec")

    def _next(self, limit: TimeLimit) -> "Packet[VideoStream] | None":
        """Return the next packet worth decoding, None at the end or where the rest cannot be read."""
        with limit.counted(), suppress(av.FFmpegError):
            for packet in self._packets:
                if packet.pts is None and packet.dts is None:
                    break  # the demuxer's own mark of the end
                self._row += 1
                if self._plan.needed[self._row]:
                    return packet
                self._leapt = True
        return None

    def _restarted(self, limit: TimeLimit) -> list[NativeFrame]:
        """Empty the codec after packets were left out: H.264's open groups otherwise count as damaged by the gap."""
        self._leapt = False
        frames = self._decoded(None, limit)
        self._stream.codec_context.flush_buffers()
        return frames

    def _decoded(self, packet: "Packet[VideoStream] | None", limit: TimeLimit) -> list[NativeFrame]:
        """Return the frames that the codec hands out for a packet, or for None those that it still holds."""
        # What no other frame refers to is decoded only where it is looked at itself.
        wanted = packet is None or bool(self._plan.wanted[self._row])
        self._stream.codec_context.skip_frame = "DEFAULT" if wanted else "NONREF"
        self._fed += packet is not None
        frames: list[NativeFrame] = []
        with limit.counted():
            try:
                frames = self._stream.decode(packet)
            except av.FFmpegError as error:
                self._faulty += 1
                self._fault = str(error.strerror)
        self._shown += len(frames)
        return frames

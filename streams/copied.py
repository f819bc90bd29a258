"""Clips of a recording cut at key frames, packets copied as they are, sound included."""

import io
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.container import InputContainer
from av.packet import Packet
from av.stream import Stream
from av.video.stream import VideoStream

from biographer.streams.cuts import Cuts
from biographer.streams.outline import Outline
from biographer.streams.recording_file import recording

_IN_MP4 = frozenset({"h264", "hevc", "mpeg4", "av1", "aac", "mp3", "ac3", "eac3", "opus", "flac", "alac"})
_FORMATS = frozenset({"mov", "mp4", "matroska", "webm", "mpegts", "flv"})


def copyable(container: InputContainer) -> bool:
    """Say whether the recording's packets bear all that is needed to cut it without decoding."""
    return not _FORMATS.isdisjoint(container.format.name.split(","))


def copied(path: Path, seen: Outline, cuts: Cuts) -> Iterator[bytes]:
    """Yield each clip as a file of its own, MP4 where the codecs allow, else Matroska; times start anew at 0.

    Pictures that are shown ahead of their clip's key frame refer to the clip before and are left out (open groups:
    some frames a cut). A clip is handed out once the next one is full, since sound may lag behind the pictures.
    """
    with recording(path) as (container, stream):
        sorter = _Sorter(stream, seen, cuts)
        sound = next(iter(container.streams.audio), None)
        for packet in container.demux([stream] if sound is None else [stream, sound]):
            sorter.add(packet)
            yield from sorter.ready(keep=2)
        yield from sorter.ready(keep=0)


class _Sorter:
    """Puts packets into their clips."""

    def __init__(self, stream: VideoStream, seen: Outline, cuts: Cuts) -> None:
        self._stream = stream
        self._cuts = cuts
        self._openers = frozenset(cuts.rows)
        self._time_base = seen.time_base
        self._first = seen.origin * seen.time_base
        self._starts = [int(seen.pts[row]) for row in cuts.rows]
        self._clips: defaultdict[int, list[Packet[Stream]]] = defaultdict(list)
        self._row = self._clip = -1
        self._out = 0

    def add(self, packet: "Packet[Stream]") -> None:
        if packet.stream_index != self._stream.index:
            if packet.pts is not None:
                self._clips[self._clip_at(packet.pts * packet.time_base)].append(packet)
        elif packet.pts is not None or packet.dts is not None:
            self._row += 1
            self._clip += self._row in self._openers
            if self._clip >= 0 and packet.pts is not None and packet.pts >= self._starts[self._clip]:
                self._clips[self._clip].append(packet)

    def ready(self, keep: int) -> Iterator[bytes]:
        while self._out <= self._clip - keep:
            yield self._file(self._clips.pop(self._out), self._starts[self._out] * self._time_base)
            self._out += 1

    def _clip_at(self, moment: Fraction) -> int:
        starts = [start for start, _ in self._cuts.spans]
        return int(np.searchsorted(starts, int((moment - self._first) * 1_000_000), side="right")) - 1

    def _file(self, packets: "list[Packet[Stream]]", start: Fraction) -> bytes:
        sources = {packet.stream_index: packet.stream for packet in packets}
        fits = all(getattr(source.codec_context, "name", "") in _IN_MP4 for source in sources.values())
        file = io.BytesIO()
        with av.open(file, "w", format="mp4" if fits else "matroska") as out:
            targets = {index: out.add_stream_from_template(source) for index, source in sorted(sources.items())}
            for packet in packets:
                shift = round(start / packet.time_base)
                packet.pts = None if packet.pts is None else packet.pts - shift
                packet.dts = None if packet.dts is None else packet.dts - shift
                packet.stream = targets[packet.stream_index]
                out.mux(packet)
        return file.getvalue()

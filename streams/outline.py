"""The outline of a video: when each of its packets is shown, known without decoding any.

It serves to choose what to decode, and to notice a file that ends long before it says it does.
"""

from dataclasses import dataclass
from fractions import Fraction

import av
import numpy as np
from av.container import InputContainer
from av.packet import Packet
from av.stream import Stream
from av.video.stream import VideoStream
from numpy.typing import NDArray

from biographer.state.errors import BadClipError

_SHORT_US = 1_000_000
_SHORT_SHARE = 0.1
_SENT_SHARE = 0.5
_FARTHEST_US = 1 << 53


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """Packets of one stream of pictures in decoding order, and what the container claims.

    `pts` (int64, (n,)) in units of the stream's time base, `keys` and `shown` (bool, (n,)); `origin` is the pts
    that is shown first. `covered_us` is the length that packets of any stream cover, `reached_us` where they end
    on the container's own clock; `claimed_us` is the length that the container states, 0 where it states none.
    """

    pts: NDArray[np.int64]
    keys: NDArray[np.bool_]
    shown: NDArray[np.bool_]
    time_base: Fraction
    covered_us: int
    reached_us: int
    claimed_us: int

    @property
    def origin(self) -> int:
        """The presentation time that counts as the clip's start."""
        return int(self.pts[self.shown].min()) if self.shown.any() else 0

    def offset_us(self, pts: int) -> int:
        """Return when a frame is shown, in microseconds after the first one."""
        return round((pts - self.origin) * self.time_base * 1_000_000)

    def offsets_us(self) -> NDArray[np.int64]:
        """Return the same for every packet; raises BadClipError for times that no recording has."""
        origin, scale = self.origin, self.time_base * 1_000_000
        offsets = [round((pts - origin) * scale) for pts in self.pts.tolist()]
        far_us = max(map(abs, offsets), default=0)
        if far_us > _FARTHEST_US:
            raise BadClipError(f"a picture of the video lies {far_us / 3.6e9:.3g} h off the first; send the clip again")
        return np.array(offsets, dtype=np.int64)

    @property
    def length_us(self) -> int:
        """Return the length of the pictures, the last of which is granted as much time as they commonly take."""
        offsets = np.unique(self.offsets_us()[self.shown])
        if len(offsets) < 2:
            return max(1, self.covered_us)
        return int(offsets[-1] + np.median(np.diff(offsets)))

    def check_whole(self, duration_us: int) -> None:
        """Raise BadClipError where the packets end long before the container, or duration_us, says they do.

        One picture alone may stand for any length; uneven videos are granted twice their own largest gap.
        """
        if len(self.pts) == 1:
            return
        gap = 2 * int(np.diff(np.sort(self.offsets_us()[self.shown])).max(initial=0))
        # Matroska states where it ends, MP4 how long it is: the kinder reading counts.
        missing = self.claimed_us - max(self.covered_us, self.reached_us)
        if missing > max(_SHORT_US, gap, _SHORT_SHARE * self.claimed_us):
            raise self._cut("it", self.claimed_us)
        if duration_us - self.covered_us > max(_SHORT_US, gap, _SENT_SHARE * duration_us):
            raise self._cut("its message", duration_us)

    def _cut(self, who: str, length_us: int) -> BadClipError:
        held, said = self.covered_us / 1_000_000, length_us / 1_000_000
        return BadClipError(f"video is cut: it holds {held:.1f} s, {who} says {said:.1f} s; send the whole file")


def outline(container: InputContainer, stream: VideoStream) -> Outline:
    """Read all packets once; arrays are empty where the stream has none."""
    rows: list[tuple[int, bool, bool]] = []
    reach = _Reach()
    try:
        for packet in container.demux():
            reach.add(packet)
            moment = packet.pts if packet.pts is not None else packet.dts
            if packet.stream_index == stream.index and moment is not None:
                rows.append((moment, packet.is_keyframe, not packet.is_discard))
    except av.FFmpegError:
        # What follows is unreadable; check_whole says whether too much of it is missing.
        pass
    return Outline(
        pts=np.array([moment for moment, _, _ in rows], dtype=np.int64),
        keys=np.array([key for _, key, _ in rows], dtype=np.bool_),
        shown=np.array([shown for _, _, shown in rows], dtype=np.bool_),
        time_base=stream.time_base or Fraction(1, 1_000_000),
        covered_us=reach.length_us,
        reached_us=reach.end_us,
        claimed_us=container.duration or 0,
    )


class _Reach:
    """The span of time that packets cover, over all streams."""

    def __init__(self) -> None:
        self._first: Fraction | None = None
        self._last = Fraction(0)

    def add(self, packet: "Packet[Stream]") -> None:
        if packet.pts is None or packet.is_discard:
            return
        start = packet.pts * packet.time_base
        self._first = start if self._first is None else min(self._first, start)
        self._last = max(self._last, start + (packet.duration or 0) * packet.time_base)

    @property
    def length_us(self) -> int:
        return 0 if self._first is None else int((self._last - self._first) * 1_000_000)

    @property
    def end_us(self) -> int:
        return int(self._last * 1_000_000)

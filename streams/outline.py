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


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """Packets of one stream of pictures in decoding order, and what the container claims.

    `pts` (int64, (n,)) in units of the stream's time base, `keys` and `shown` (bool, (n,)); `origin` is the pts
    that is shown first. `covered_us` is the length that packets of any stream cover, `claimed_us` the
    length that the container states, or 0 where it states none.
    """

    pts: NDArray[np.int64]
    keys: NDArray[np.bool_]
    shown: NDArray[np.bool_]
    time_base: Fraction
    covered_us: int
    claimed_us: int

    @property
    def origin(self) -> int:
        """The presentation time that counts as the clip's start."""
        return int(self.pts[self.shown].min())

    def offset_us(self, pts: int) -> int:
        """Return when a frame is shown, in microseconds after the first one."""
        return round((pts - self.origin) * self.time_base * 1_000_000)

    def offsets_us(self) -> NDArray[np.int64]:
        """Return the same for every packet."""
        origin, scale = self.origin, self.time_base * 1_000_000
        return np.array([round((pts - origin) * scale) for pts in self.pts.tolist()], dtype=np.int64)

    def check_whole(self, duration_us: int) -> None:
        """Raise BadClipError where the packets end long before the container or the message says they do.

        One picture alone may stand for any length; uneven streams are given their own largest gap.
        """
        offsets = np.sort(self.offsets_us()[self.shown])
        if len(offsets) < 2:
            return
        gap = 2 * int(np.diff(offsets).max())
        for what, length_us, share in (
            ("it", self.claimed_us, _SHORT_SHARE),
            ("its message", duration_us, _SENT_SHARE),
        ):
            if length_us - self.covered_us > max(_SHORT_US, gap, share * length_us):
                raise BadClipError(
                    f"video is cut: it holds {self.covered_us / 1e6:.1f} s, {what} says {length_us / 1e6:.1f} s; "
                    "send the whole file"
                )


def outline(container: InputContainer, stream: VideoStream) -> Outline | None:
    """Read all packets once; None where the stream has none that are shown."""
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
    if not any(shown for _, _, shown in rows) or stream.time_base is None:
        return None
    pts, keys, shown = zip(*rows, strict=True)
    return Outline(
        pts=np.array(pts, dtype=np.int64),
        keys=np.array(keys, dtype=np.bool_),
        shown=np.array(shown, dtype=np.bool_),
        time_base=stream.time_base,
        covered_us=reach.length_us,
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

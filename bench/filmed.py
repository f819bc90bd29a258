"""The clips of a video as a camera sends them, for benches that feed a daemon."""

from pathlib import Path

from biographer.state.times import SECOND_US
from biographer.streams.message import ClipMessage
from biographer.streams.segmenter import Segmenter

_BEGAN_US = 1_777_593_600 * SECOND_US


def filmed(video: Path, stream: str, clip_seconds: float, count: int) -> list[ClipMessage]:
    """Return the first clips of a video, cut to so many seconds, one behind the other."""
    segments = (one for one in Segmenter(clip_seconds).segments(video) if one.index < count)
    return [
        ClipMessage(stream, f"clip-{one.index:04}", _BEGAN_US + one.offset_us, one.duration_us, one.video)
        for one in segments
    ]

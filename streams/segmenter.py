"""Cutting a recording into self-contained clips, as a wearable would have sent them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import av

from biographer.state.errors import RefusedError
from biographer.streams.copied import copied, copyable
from biographer.streams.cuts import Cuts
from biographer.streams.outline import Outline, outline
from biographer.streams.recoded import recoded
from biographer.streams.recording_file import recording
from biographer.streams.wire import DURATION_MAX_US


@dataclass(frozen=True, slots=True)
class Segment:
    """Clip `index` of `count`: `offset_us` after the recording's first picture, `duration_us` long, as a file."""

    index: int
    count: int
    offset_us: int
    duration_us: int
    video: bytes


class Segmenter:
    """Cuts recordings into clips of about `clip_seconds`; holds settings only."""

    def __init__(self, clip_seconds: float = 30.0) -> None:
        if not 0 < clip_seconds <= DURATION_MAX_US / 2_000_000:
            raise RefusedError(f"clip_seconds is {clip_seconds}; cut clips of more than 0 s and at most half an hour")
        self._clip_us = max(1, round(clip_seconds * 1_000_000))

    def spans(self, path: Path) -> tuple[tuple[int, int], ...]:
        """Return (start_us, end_us) of each clip after the recording's first picture; nothing is decoded.

        Each ends where the next one starts. Raises RefusedError for what is no video, or one without pictures.
        """
        return self._look(path)[1].spans

    def segments(self, path: Path) -> Iterator[Segment]:
        """Yield the clips one after another, cut as by `spans`; a few are held in memory at a time.

        Packets are copied (sound too) where key frames lie densely enough, else pictures are encoded again.
        """
        seen, cuts = self._look(path)
        cut = copied if cuts.rows else recoded
        try:
            for index, video in enumerate(cut(path, seen, cuts)):
                start, end = cuts.spans[index]
                yield Segment(index, len(cuts.spans), start, end - start, video)
        except av.FFmpegError as error:
            raise RefusedError(f"{path} cannot be cut: {error.strerror}; convert it to MP4 first") from error

    def _look(self, path: Path) -> tuple[Outline, Cuts]:
        with recording(path) as (container, stream):
            seen = outline(container, stream)
            fit = copyable(container)
        if not seen.shown.any():
            raise RefusedError(f"{path} holds no pictures; name a video")
        return seen, Cuts.of(seen, self._clip_us, copyable=fit)

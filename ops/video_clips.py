"""A video file as the clips that a wearable would have sent: cut, named so that a repeat is known, with its lines."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from biographer.state.errors import RefusedError
from biographer.state.line import Line
from biographer.streams.lines import assigned
from biographer.streams.message import ClipMessage
from biographer.streams.segmenter import Segmenter
from biographer.streams.wire import StreamName


@dataclass(frozen=True, slots=True)
class VideoClips:
    """How a file becomes clips of `stream`; its first picture is at `start_us`. Nothing is read until it is needed."""

    path: Path
    stream: str
    start_us: int
    clip_seconds: float = 30.0
    lines: tuple[Line, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a stream that every reader of the clips would refuse."""
        try:
            msgspec.convert(self.stream, StreamName)
        except msgspec.ValidationError as error:
            remedy = "a name has 1 to 200 characters, none of them a control character, and is not *, . or .."
            raise RefusedError(f"stream {self.stream[:80]!r} is no name; {remedy}") from error

    def names(self) -> list[str]:
        """Return the clips' names, in order; made of the file's hash, start and clip length, so a repeat has the same.

        Raises RefusedError for what is no video.
        """
        prefix = self._prefix()
        return [f"{prefix}-{index:05d}" for index in range(len(self._spans()))]

    def end_us(self) -> int:
        """Return when the recording ends."""
        return self._spans()[-1][1]

    def outside(self) -> tuple[Line, ...]:
        """Return the lines that start in no clip."""
        return assigned(self.lines, self._spans()).outside

    def clips(self, *, skip: int = 0) -> Iterator[ClipMessage]:
        """Yield the clips from the one numbered `skip` on, a few in memory at a time. Raises RefusedError."""
        prefix, by_clip = self._prefix(), assigned(self.lines, self._spans()).by_clip
        for segment in Segmenter(self.clip_seconds).segments(self.path):
            if segment.index >= skip:
                yield ClipMessage(
                    stream=self.stream,
                    clip=f"{prefix}-{segment.index:05d}",
                    start_us=self.start_us + segment.offset_us,
                    duration_us=segment.duration_us,
                    video=segment.video,
                    lines=by_clip[segment.index],
                )

    def _prefix(self) -> str:
        try:
            with self.path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256")
        except OSError as error:
            raise RefusedError(f"{self.path}: {error.strerror}; name a file that can be read") from error
        digest.update(f"{self.start_us} {self.clip_seconds}".encode())
        return digest.hexdigest()[:16]

    def _spans(self) -> list[tuple[int, int]]:
        spans = Segmenter(self.clip_seconds).spans(self.path)
        return [(self.start_us + start, self.start_us + end) for start, end in spans]

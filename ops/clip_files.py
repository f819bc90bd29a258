"""Files on disk as a log of clips: videos that are cut, and clip messages as a broker would have carried them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from biographer.ops.video_clips import VideoClips
from biographer.state.errors import BadClipError, RefusedError
from biographer.streams.message import ClipMessage, FlushMessage, decode

MESSAGE_SUFFIX = ".msgpack"


@dataclass(frozen=True, slots=True)
class ClipFiles:
    """Paths in the order in which they are taken; those that end in .msgpack are messages, all others videos."""

    paths: Sequence[Path]
    videos: dict[Path, VideoClips] = field(default_factory=dict)

    @classmethod
    def of(cls, paths: Sequence[Path], stream: str | None, start_us: int | None, clip_seconds: float) -> "ClipFiles":
        """Look at the files; videos follow each other without a gap from `start_us` on.

        Raises RefusedError for a video without stream or start, and for what is no video.
        """
        videos: dict[Path, VideoClips] = {}
        for path in paths:
            if path.suffix == MESSAGE_SUFFIX:
                continue
            if stream is None or start_us is None:
                raise RefusedError(f"{path} is a video: say whose and from when, with --stream and --start")
            videos[path] = VideoClips(path, stream, start_us, clip_seconds)
            start_us = videos[path].end_us()
        return cls(paths, videos)

    def count(self) -> int:
        """Return how many clips there are."""
        return sum(len(self.videos[path].names()) if path in self.videos else 1 for path in self.paths)

    def messages(
        self, knows: Callable[[str, str], bool], aside: Callable[[str, str], None]
    ) -> Iterator[ClipMessage | FlushMessage | None]:
        """Yield the log, None for a clip that is known already.

        `knows(stream, clip)` spares what needs no reading; `aside(name, reason)` is told of unreadable messages.
        """
        for path in self.paths:
            if path in self.videos:
                yield from _unknown(self.videos[path], knows)
                continue
            try:
                yield _read(path)
            except BadClipError as error:
                aside(str(path), str(error))


def _unknown(video: VideoClips, knows: Callable[[str, str], bool]) -> Iterator[ClipMessage | None]:
    known = [knows(video.stream, name) for name in video.names()]
    skip = known.index(False) if False in known else len(known)
    yield from [None] * skip
    if skip < len(known):
        yield from video.clips(skip=skip)


def _read(path: Path) -> ClipMessage | FlushMessage:
    try:
        return decode(path.read_bytes())
    except OSError as error:
        raise BadClipError(f"{path}: {error.strerror}; name a file that can be read") from error

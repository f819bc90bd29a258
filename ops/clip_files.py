"""Files on disk as a log of clips: videos that are cut, and clip messages as a broker would have carried them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from biographer.ops.video_clips import VideoClips
from biographer.state.errors import BadClipError, RefusedError
from biographer.state.line import Line
from biographer.streams.lines import read_lines
from biographer.streams.message import ClipMessage, FlushMessage, decode
from biographer.streams.wire import LATEST_US

MESSAGE_SUFFIX = ".msgpack"


@dataclass(frozen=True, slots=True)
class ClipFiles:
    """Paths in the order in which they are taken; those that end in .msgpack are messages, all others videos."""

    paths: Sequence[Path]
    videos: dict[Path, VideoClips] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        paths: Sequence[Path],
        stream: str | None,
        start_us: int | None,
        clip_seconds: float,
        lines: Path | None = None,
    ) -> "ClipFiles":
        """Look at the files; videos follow each other without a gap from `start_us` on, and `lines` run over all.

        Raises RefusedError for a video without stream or start, for what is no video, and for lines without one.
        """
        videos: dict[Path, VideoClips] = {}
        recorded = [path for path in paths if path.suffix != MESSAGE_SUFFIX]
        if lines is not None and not recorded:
            raise RefusedError(f"{lines} has no video to go with: clip messages bring their own lines; name a video")
        for path in recorded:
            if stream is None or start_us is None:
                raise RefusedError(f"{path} is a video: say whose and from when, with --stream and --start")
            videos[path] = VideoClips(path, stream, start_us, clip_seconds)
            start_us = videos[path].end_us()
        return cls(paths, videos if lines is None else _with_lines(videos, lines))

    def count(self) -> int:
        """Return how many clips there are."""
        return sum(len(self.videos[path].names()) if path in self.videos else 1 for path in self.paths)

    def end_us(self) -> int | None:
        """Return when the last video ends, None where there is none."""
        return max((video.end_us() for video in self.videos.values()), default=None)

    def outside(self) -> tuple[Line, ...]:
        """Return the lines that start in no clip."""
        return tuple(line for video in self.videos.values() for line in video.outside())

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


def _with_lines(videos: Mapping[Path, VideoClips], lines: Path) -> dict[Path, VideoClips]:
    """Give each video the lines that start before the next one does; their times count from the first one's start."""
    starts = [video.start_us for video in videos.values()]
    rest, result = read_lines(lines, starts[0]), {}
    for (path, video), end_us in zip(videos.items(), [*starts[1:], LATEST_US], strict=True):
        result[path] = replace(video, lines=tuple(line for line in rest if line.start_us < end_us))
        rest = tuple(line for line in rest if line.start_us >= end_us)
    return result


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

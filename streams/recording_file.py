"""A whole recording on this machine, in whatever form its owner has it, opened to be cut into clips."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import av
from av.container import InputContainer
from av.video.stream import VideoStream

from biographer.state.errors import BadClipError, RefusedError
from biographer.streams.container import picture_stream

PIXELS_MAX = 50_000_000
"""The most pixels a frame may have."""


@contextmanager
def recording(path: Path) -> Iterator[tuple[InputContainer, VideoStream]]:
    """Open a recording and its pictures; raises RefusedError where there are none."""
    if not path.is_file():
        raise RefusedError(f"{path} is no file; name the video itself")
    try:
        container = av.open(
            f"file:{path.absolute()}", "r", options={"protocol_whitelist": "file"}, metadata_errors="replace"
        )
    except av.FFmpegError as error:
        raise RefusedError(f"{path} cannot be read as a video: {error.strerror}; check that it is whole") from error
    with container:
        yield container, _pictures(path, container)


def _pictures(path: Path, container: InputContainer) -> VideoStream:
    try:
        stream = picture_stream(container, PIXELS_MAX)
    except BadClipError as error:
        raise RefusedError(f"{path}: {error}") from error
    if stream is None:
        raise RefusedError(f"{path} holds no pictures; name a video")
    return stream

"""Opening a video for reading, so that nothing but the given bytes is ever read.

The demuxer is fixed by what the file is, no protocol but the file itself is allowed, and frames are bounded.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import av
from av.container import InputContainer
from av.video.stream import VideoStream

from biographer.state.errors import BadClipError
from biographer.streams.probe import container_kind

OPEN_TIMEOUT_S = 10.0
"""Opening and each read may take this long."""


@contextmanager
def opened(source: bytes | Path, pixels_max: int) -> Iterator[InputContainer]:
    """Open a clip; raises BadClipError where it is no MP4, Matroska or WebM that can be read; closes in any case."""
    kind = container_kind(source)
    try:
        container = av.open(
            io.BytesIO(source) if isinstance(source, bytes) else f"file:{source.absolute()}",
            "r",
            format=kind.value,
            options={"protocol_whitelist": "file", "max_pixels": str(pixels_max)},
            metadata_errors="replace",  # titles may be in any encoding, and nobody reads them
            timeout=OPEN_TIMEOUT_S,
        )
    except av.FFmpegError as error:
        raise BadClipError(f"video cannot be opened as {kind.value}: {error.strerror}; send the whole file") from error
    with container:
        yield container


def picture_stream(container: InputContainer) -> VideoStream | None:
    """Return the first stream of moving pictures, or None: cover art does not count."""
    for stream in container.streams.video:
        if not stream.disposition & av.stream.Disposition.attached_pic:
            return stream
    return None

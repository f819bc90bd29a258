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
from biographer.streams.probe import ContainerKind

OPEN_TIMEOUT_S = 10.0
"""Opening and each read may take this long."""


@contextmanager
def opened(source: bytes | Path, kind: ContainerKind, pixels_max: int) -> Iterator[InputContainer]:
    """Open a clip of a known kind; raises BadClipError where it cannot be read; closes it in any case."""
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


def picture_stream(container: InputContainer, pixels_max: int) -> VideoStream | None:
    """Return the first stream of moving pictures, or None: cover art does not count.

    Raises BadClipError where its codec is unknown or its pictures are larger than allowed; the codec holds to the
    same bound, should pictures grow on the way.
    """
    for stream in container.streams.video:
        if stream.disposition & av.stream.Disposition.attached_pic:
            continue
        if getattr(stream, "codec_context", None) is None:  # has then no size either, whatever its type says
            raise BadClipError("the codec of the video is unknown here; send H.264, H.265, VP9 or AV1")
        if stream.width * stream.height > pixels_max:
            raise BadClipError(
                f"video is {stream.width}x{stream.height}, over {pixels_max} pixels a frame; send smaller pictures"
            )
        stream.codec_context.options = {"max_pixels": str(pixels_max)}
        return stream
    return None

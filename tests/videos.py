"""Small videos for tests, made at run time: `from videos import video, numbered`.

Pictures carry their own number as black and white tiles, so that a test can tell which one a decoder handed out.
"""

import io
from collections.abc import Iterable, Sequence
from fractions import Fraction

import av
import numpy as np

COLUMNS, ROWS = 4, 3
TICKS = 1000
"""Units of time in a second, for pictures that are given times."""


def numbered(number, width=64, height=48):
    """Return RGB (height, width, 3) whose twelve tiles are the bits of `number`; the top left one is the lowest."""
    bits = (number >> np.arange(COLUMNS * ROWS)) & 1
    tiles = np.kron(bits.reshape(ROWS, COLUMNS), np.ones((height // ROWS, width // COLUMNS)))
    return np.repeat((40 + 170 * tiles).astype(np.uint8)[..., None], 3, axis=2)


def number_of(picture):
    """Return the number in a picture of any size that shows one upright."""
    height, width = picture.shape[:2]
    rows = ((np.arange(ROWS) + 0.5) * height / ROWS).astype(int)
    columns = ((np.arange(COLUMNS) + 0.5) * width / COLUMNS).astype(int)
    bits = picture[np.ix_(rows, columns)].mean(axis=2).reshape(-1) > 125
    return int((bits << np.arange(COLUMNS * ROWS)).sum())


def video(
    pictures: int | Iterable[np.ndarray] = 30,
    *,
    rate: int = 30,
    times_ms: Sequence[int] | None = None,
    container: str = "mp4",
    codec: str = "libx264",
    options: dict[str, str] | None = None,
    layout: dict[str, str] | None = None,
    gop: int = 12,
    rotation: int = 0,
    hflip: bool = False,
    audio_s: float = 0.0,
    size: tuple[int, int] = (64, 48),
) -> bytes:
    """Encode pictures (a count makes numbered ones) at an even rate, or each at its time in milliseconds.

    `options` set the codec, `layout` the muxer.
    """
    images = [numbered(n, *size) for n in range(pictures)] if isinstance(pictures, int) else list(pictures)
    file = io.BytesIO()
    with av.open(file, "w", format=container, options=layout or {}) as out:
        stream = out.add_stream(codec, rate=rate, options=options or {})
        stream.height, stream.width = images[0].shape[:2]
        stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
        stream.gop_size = gop
        stream.thread_type = "FRAME"  # the default makes several slices a picture, which no camera does
        if times_ms is not None:
            stream.codec_context.time_base = Fraction(1, TICKS)
        if rotation or hflip:
            stream.set_display_rotation(rotation, hflip=hflip)
        sound = out.add_stream("aac", rate=16_000, layout="mono") if audio_s else None
        for number, image in enumerate(images):
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24")
            frame.pts = number if times_ms is None else times_ms[number]
            frame.time_base = Fraction(1, rate) if times_ms is None else Fraction(1, TICKS)
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
        if sound is not None:
            _tone(out, sound, audio_s)
    return file.getvalue()


def audio_only(seconds: float = 1.0, container: str = "mp4") -> bytes:
    """Encode a tone without any pictures."""
    file = io.BytesIO()
    with av.open(file, "w", format=container) as out:
        _tone(out, out.add_stream("aac", rate=16_000, layout="mono"), seconds)
    return file.getvalue()


def _tone(out, stream, seconds):
    wave = (8000 * np.sin(np.arange(int(16_000 * seconds)) * 0.17)).astype(np.int16)
    for start in range(0, len(wave), 1024):
        part = wave[start : start + 1024]
        frame = av.AudioFrame.from_ndarray(part[None, :], format="s16", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = 16_000, start, Fraction(1, 16_000)
        out.mux(stream.encode(frame))
    out.mux(stream.encode())


def packets(data: bytes) -> int:
    """Count the packets of the first stream of pictures."""
    with av.open(io.BytesIO(data)) as container:
        return sum(1 for packet in container.demux(video=0) if packet.size)

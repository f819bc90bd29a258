"""A recording of 1280 x 720 at 30 frames a second, made of a shorter video: scaled once, then looped without encoding.

What is made is kept in a folder of the system's temporary one, by the hash of the source, so that a second run starts
at once. The picture is stretched to the new shape, as every detector input is.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import av

from biographer.bench.report import Say
from biographer.state.errors import RefusedError

WIDTH, HEIGHT, RATE = 1280, 720, 30
_BIT_RATE = 1_700_000
"""Clips of 30 s then stay below the 8 MB that topics are created with."""

_KEY_EVERY = RATE


def footage(source: Path, seconds: float, speak: Say) -> Path:
    """Return a video of at least `seconds`; raises RefusedError where `source` is no video."""
    folder = kept_folder()
    mark = hashlib.sha256(source.read_bytes()).hexdigest()[:16]
    once = folder / f"{mark}-{HEIGHT}p{RATE}.mp4"
    if not once.exists():
        speak(f"scaling {source.name} to {WIDTH} x {HEIGHT} at {RATE} frames a second")
        _replaced(once, lambda target: _scaled(source, target))
    looped = folder / f"{mark}-{HEIGHT}p{RATE}-{seconds:.0f}s.mp4"
    if not looped.exists():
        _replaced(looped, lambda target: _looped(once, target, seconds))
    return looped


def kept_folder() -> Path:
    """Return the folder of what benches make once and use again."""
    folder = Path(tempfile.gettempdir()) / f"biographer-bench-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _replaced(path: Path, write: Callable[[Path], None]) -> None:
    waiting = path.with_suffix(f".{os.getpid()}.mp4")
    write(waiting)
    waiting.replace(path)


def _scaled(source: Path, target: Path) -> None:
    """Encode the source anew; frames are repeated or dropped to come at the rate."""
    try:
        with av.open(str(source)) as opened, av.open(str(target), "w") as made:
            stream = made.add_stream("libx264", rate=RATE)
            stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
            stream.bit_rate, stream.gop_size = _BIT_RATE, _KEY_EVERY
            stream.options = {"preset": "veryfast", "maxrate": str(_BIT_RATE), "bufsize": str(_BIT_RATE)}
            for number, frame in enumerate(_at_rate(opened)):
                scaled = frame.reformat(WIDTH, HEIGHT, "yuv420p")
                scaled.pts, scaled.time_base = number, Fraction(1, RATE)
                made.mux(stream.encode(scaled))
            made.mux(stream.encode(None))
    except av.FFmpegError as error:
        raise RefusedError(f"{source} can't be read as a video: {error}; name one that ffmpeg plays") from error


def _at_rate(opened: av.container.InputContainer) -> Iterator[av.VideoFrame]:
    """Yield the frame that shows at each tick of the rate."""
    shown, tick = None, 0
    for frame in opened.decode(video=0):
        while shown is not None and tick / RATE < frame.time - _first(opened):
            yield shown
            tick += 1
        shown = frame
    if shown is not None:
        yield shown


def _first(opened: av.container.InputContainer) -> float:
    stream = opened.streams.video[0]
    return float((stream.start_time or 0) * (stream.time_base or Fraction(1)))


def _looped(once: Path, target: Path, seconds: float) -> None:
    """Copy the packets of one video again and again, with times that go on."""
    with av.open(str(target), "w") as made:
        begun, stream = 0.0, None
        while begun < seconds:
            with av.open(str(once)) as opened:
                source = opened.streams.video[0]
                stream = stream or made.add_stream_from_template(source)
                base = source.time_base or Fraction(1, RATE)
                shift, last = round(begun / base), 0
                for packet in opened.demux(source):
                    if packet.dts is None or packet.pts is None:
                        continue
                    packet.pts, packet.dts = packet.pts + shift, packet.dts + shift
                    last = max(last, packet.pts + (packet.duration or 0))
                    packet.stream = stream
                    made.mux(packet)
                begun = float(last * base)

"""The demo's first-person recording: a head that looks about, built at run time from real photographs.

A red cup comes and goes over ten clips; in one of them a green cup of the same make stands in the same frames. Only
pixels and narration are made here: what is found in them is up to the detector, and whose it is to the memory.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import av
import numpy as np
from av.video.stream import VideoStream
from PIL import Image

from biographer.ops.camera import Framing, look, walk
from biographer.ops.scenes import MARGIN, Scene, picture
from biographer.state.line import Line, LineKind
from biographer.state.times import SECOND_US
from biographer.streams.message import ClipMessage

RATE = 15
"""Frames a second."""
SIZE = 640
"""Width and height of a frame: wearables of this kind record squares."""
CLIP_SECONDS = 6

_FRAMINGS = {
    Scene.CUP: Framing(310 + MARGIN, MARGIN + 147, 390, sway_x=28, sway_y=10, sway_side=0.04),
    Scene.OTHER_CUP: Framing(310 + MARGIN, MARGIN + 147, 415, sway_x=28, sway_y=10, sway_side=0.04),
    Scene.BOTH_CUPS: Framing(290 + MARGIN, 400 + MARGIN, 760, sway_x=35, sway_y=15, sway_side=0.03, sway_roll=1.5),
    Scene.CAT: Framing(375, 375, 620, sway_x=40, sway_y=40),
    Scene.ASTRONAUT: Framing(406, 406, 700, sway_x=40, sway_y=40),
    Scene.DESK: Framing(300, 300, 420, sway_x=60, sway_y=60),
}
"""Chosen so that the default detector boxes the cup alone: lower it boxes the saucer too, further left the table."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One clip of the recording: where the head is turned, and what the wearer says of it."""

    scene: Scene
    narration: str


SHOTS = (
    Shot(Scene.CUP, "I pour myself a coffee and set the red cup down on the table."),
    Shot(Scene.CAT, "In the hall I stop at the picture of the cat."),
    Shot(Scene.CUP, "Back at the table, the red cup is where I left it."),
    Shot(Scene.ASTRONAUT, "I look up at the poster of the astronaut."),
    Shot(Scene.BOTH_CUPS, "Someone has put a green cup of the same make beside my red one."),
    Shot(Scene.CUP, "I take a sip from the red cup; it is still warm."),
    Shot(Scene.DESK, "I wipe the other end of the table, where nothing stands."),
    Shot(Scene.OTHER_CUP, "The green cup stands alone on the next table, and nobody drinks from it."),
    Shot(Scene.CAT, "On the way to the kitchen I pass the cat again."),
    Shot(Scene.CUP, "I finish my coffee and leave the red cup on the table."),
)


def record(
    seed: int, stream: str, start_us: int, shots: Sequence[Shot] = SHOTS, seconds: int = CLIP_SECONDS
) -> Iterator[ClipMessage]:
    """Yield the clips in order, each built when it is asked for; the same seed gives the same bytes."""
    duration_us = seconds * SECOND_US
    for index, shot in enumerate(shots):
        start = start_us + index * duration_us
        frames = _frames(shot.scene, seconds * RATE, np.random.default_rng([seed, index]))
        line = Line(start + duration_us // 10, start + duration_us * 9 // 10, LineKind.NARRATION, shot.narration)
        name = f"demo-{seed}-{index:03d}"
        yield ClipMessage(stream, name, start, duration_us, video=_encoded(frames), lines=(line,))


def _frames(scene: Scene, count: int, random: np.random.Generator) -> Iterator[Image.Image]:
    whole = picture(scene)
    for view in walk(_FRAMINGS[scene], count, RATE, random):
        yield look(whole, view, SIZE)


def _encoded(frames: Iterator[Image.Image]) -> bytes:
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=RATE, options={"preset": "veryfast", "crf": "22", "threads": "1"})
        _shape(stream)
        for image in frames:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.asarray(image), format="rgb24")))
        container.mux(stream.encode(None))
    return buffer.getvalue()


def _shape(stream: VideoStream) -> None:
    stream.width = stream.height = SIZE
    stream.pix_fmt = "yuv420p"

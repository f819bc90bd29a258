"""Observations and clips that tests make: small vectors, plain boxes, frames at a set rate, seconds for times."""

from collections.abc import Sequence
from hashlib import sha256

import numpy as np

from biographer.state.clip import Clip
from biographer.state.line import Line, LineKind
from biographer.state.observation import Crop, Embedding, Observation
from biographer.state.perceived import Perceived
from biographer.state.times import SECOND_US

STREAM = "wearer"

LEFT = (0.0, 0.0, 0.25, 0.5)
RIGHT = (0.5, 0.0, 0.75, 0.5)

Box = tuple[float, float, float, float]


def us(seconds: float) -> int:
    return round(seconds * SECOND_US)


def unit(*values: float) -> np.ndarray:
    vector = np.asarray(values, np.float64)
    return vector / np.linalg.norm(vector)


def leaning(cosine: float, towards: int = 1, dim: int = 4) -> np.ndarray:
    """A unit vector whose product with the first axis is `cosine`, to the precision of float32."""
    vector = np.zeros(dim)
    vector[0], vector[towards] = cosine, np.sqrt(1 - cosine**2)
    return vector


def seen(
    track: int,
    vector: Sequence[float] | np.ndarray | None,
    start: float = 0.0,
    *,
    frames: int = 10,
    rate: float = 10.0,
    box: Box = LEFT,
    boxes: Sequence[Box] | None = None,
    embedder: str = "e",
    label: str = "cup",
    crops: tuple[Crop, ...] = (),
) -> Observation:
    """A subject seen in `frames` frames at `rate` a second from `start`, at one place or at one place a frame."""
    places = [box] * frames if boxes is None else boxes
    times = us(start) + np.round(np.arange(len(places)) * SECOND_US / rate).astype(np.int64)
    embedding = None if vector is None else Embedding.of(embedder, np.asarray(vector))
    flaw = "no evidence of identity" if vector is None else None
    return Observation(track, label, 0.5, times, np.array(places, np.float32), embedding, f"a {label}", crops, flaw)


def clip(
    name: str,
    start: float,
    *observations: Observation,
    seconds: float = 30.0,
    stream: str = STREAM,
    words: str | None = None,
    media: Sequence[bytes] = (),
) -> Perceived:
    """A clip from `start`, with what was seen in it, a spoken line where there are words, and files to keep."""
    begin, end = us(start), us(start + seconds)
    lines = () if words is None else (Line(begin, end, LineKind.SPEECH, words),)
    files = {sha256(content).hexdigest(): content for content in media}
    return Perceived(Clip(stream, name, begin, end, lines), tuple(observations), files)


def pictured(content: bytes, at: float) -> Crop:
    return Crop(us(at), (0.0, 0.0, 0.5, 0.5), sha256(content).hexdigest())

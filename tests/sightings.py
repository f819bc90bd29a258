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


def recording(seed: int, clips: int, kinds: int = 3, spread: float = 0.5, stream: str = STREAM) -> list[Perceived]:
    """Clips of things that look like one of a few kinds, each with words and with a picture of what is in it.

    Some stay in place across a cut, some clips overlap in time, some come late, some observations lack a vector.
    """
    random = np.random.default_rng(seed)
    looks = random.normal(size=(kinds, 8)) + 1.0
    made: list[Perceived] = []
    staying: list[Observation] = []
    start = 0.0
    for number in range(clips):
        start = max(0.0, start + float(random.choice([30.0, 30.0, 30.0, 15.0, 90.0, -45.0])))
        content = f"{stream} {seed} {number // 2}".encode()
        observations: list[Observation] = []
        for track in range(int(random.integers(0, 6))):
            vector = np.concatenate([looks[random.integers(kinds)] + spread * random.normal(size=8), np.zeros(4)])
            corner = random.choice([0.0, 0.4]) + random.uniform(0, 0.1, 2)
            box = np.concatenate([corner, corner + random.uniform(0.3, 0.4, 2)])
            at = float(random.choice([0.0, 0.0, 0.2, 5.0, 29.0, 29.0]))
            embedder = "e" if random.random() > 0.2 else "f"
            if track < len(staying) and (before := staying[track].embedding) is not None and random.random() < 0.7:
                vector[:8] = before.vector[:8] + 0.5 * spread * random.normal(size=8)
                box, at, embedder = staying[track].boxes[-1], 0.0, before.embedder
            observations.append(
                seen(
                    track,
                    vector if random.random() > 0.1 else None,
                    start + at,
                    frames=int(random.integers(2, 9)),
                    rate=5,
                    box=tuple(box.tolist()),
                    embedder=embedder,
                    label=str(random.choice(["cup", "bowl"])),
                    crops=(pictured(content, start + at),),
                )
            )
        staying = [one for one in observations if one.start_us > us(start + 28)]
        made.append(clip(f"c{number}", start, *observations, stream=stream, words=f"word {number}", media=[content]))
    return made


def pictured(content: bytes, at: float) -> Crop:
    return Crop(us(at), (0.0, 0.0, 0.5, 0.5), sha256(content).hexdigest())

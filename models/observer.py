"""The observer: writes a tracked subject down as an observation, and its pictures as files."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from biographer.models.appearance import Portrait, pooled
from biographer.models.crops import jpeg
from biographer.models.roles import Describer, Embedder, Subject
from biographer.state.clip import Clip
from biographer.state.errors import RefusedError
from biographer.state.line import Line
from biographer.state.observation import Crop, Embedding, Observation
from biographer.state.times import SECOND_US

Number = TypeVar("Number", bound=np.generic)

_EARSHOT_US = SECOND_US // 2
"""How far from a sighting a line may lie and still count as spoken while the subject was visible."""


@dataclass(frozen=True, slots=True, eq=False)
class Sighted:
    """What is known of one subject: numbers and sightings as in Observation, its portraits, and perhaps its text."""

    track: int
    label: str
    score: float
    times_us: NDArray[np.int64]
    boxes: NDArray[np.float32]
    portraits: tuple[Portrait, ...]
    text: str | None = None


Identity: TypeAlias = tuple[Embedding | None, str | None]
"""The evidence of identity, or the reason why there is none."""


class Observer:
    """Writes the observations of one clip; `media` fills with the files they refer to, by SHA-256 (hex)."""

    def __init__(self, clip: Clip, embedder: Embedder | None, describer: Describer, quality: int) -> None:
        self.media: dict[str, bytes] = {}
        self._clip = clip
        self._embedder = embedder
        self._describer = describer
        self._quality = quality

    def observe(self, sighted: Sighted, identity: Identity | None = None) -> Observation:
        """Return the observation; without an identity of its own it gets the one that its portraits pool to."""
        embedding, flaw = identity if identity is not None else self.identity(sighted.portraits)
        return Observation(
            track=sighted.track,
            label=sighted.label,
            score=sighted.score,
            times_us=_fixed(sighted.times_us),
            boxes=_fixed(sighted.boxes),
            embedding=embedding,
            text=sighted.text if sighted.text is not None else self._describe(sighted),
            crops=tuple(self._keep(portrait) for portrait in sighted.portraits),
            flaw=flaw,
        )

    def identity(self, portraits: Sequence[Portrait]) -> Identity:
        """Return the pooled embedding, or None and what is missing."""
        if self._embedder is None:
            return None, "no embedder is configured"
        if not portraits:
            return None, "no crop could be cut"
        vector = pooled(portraits)
        if vector is None:
            return None, f"embedder {self._embedder.name!r} found no evidence in {len(portraits)} crops"
        return stated(self._embedder.name, vector)

    def _describe(self, sighted: Sighted) -> str:
        pictures = tuple(portrait.picture.pixels for portrait in sighted.portraits)
        lines = heard(self._clip.lines, sighted.times_us)
        return self._describer.describe(Subject(sighted.label, sighted.times_us, sighted.boxes, pictures, lines))

    def _keep(self, portrait: Portrait) -> Crop:
        picture = portrait.picture
        file = jpeg(picture.pixels, self._quality)
        name = hashlib.sha256(file).hexdigest()
        self.media[name] = file
        return Crop(picture.at_us, picture.box, name)


def stated(embedder: str, vector: NDArray[np.floating]) -> Identity:
    """Return the embedding, or None and why it is refused."""
    try:
        return Embedding.of(embedder, vector), None
    except RefusedError as error:
        return None, str(error)


def heard(lines: Sequence[Line], times_us: NDArray[np.int64]) -> tuple[Line, ...]:
    """Return the lines spoken while the subject was seen, by time: near a sighting, not merely within its span."""
    near = [line for line in lines if _covers(line, times_us)]
    return tuple(sorted(near, key=lambda line: (line.start_us, line.end_us)))


def _covers(line: Line, times_us: NDArray[np.int64]) -> bool:
    first = int(np.searchsorted(times_us, line.start_us - _EARSHOT_US))
    return first < len(times_us) and int(times_us[first]) <= line.end_us + _EARSHOT_US


def _fixed(array: NDArray[Number]) -> NDArray[Number]:
    """Return the array, not to be written to from now on."""
    array.setflags(write=False)
    return array

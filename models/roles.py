"""The roles that networks play, as protocols: what the perceiver asks of a detector, an embedder and a describer.

Implementations live in files of their own; one conformance suite a role tests all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from biographer.state.frame import Frame
from biographer.state.line import Line


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """What a detector saw in one frame: boxes (float32, (n, 4), 0..1), scores (float32, (n,)), labels (int32, (n,)).

    `labels` index the detector's `labels`. `features` (float32, (n, d)) where the detector's own pass yields an
    appearance vector a box, else None; filtered together with the boxes, always (ultralytics/ultralytics#21485).
    """

    boxes: NDArray[np.float32]
    scores: NDArray[np.float32]
    labels: NDArray[np.int32]
    features: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        """Count the boxes."""
        return len(self.scores)

    def take(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> "Detections":
        """Return only the given rows, of every array alike."""
        features = None if self.features is None else self.features[rows]
        return Detections(self.boxes[rows], self.scores[rows], self.labels[rows], features)


class Detector(Protocol):
    """Finds things in frames."""

    @property
    def name(self) -> str:
        """The catalogue's name, or the file's."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What each label number means."""

    def detect(self, frames: Sequence[Frame]) -> list[Detections]:
        """Return one record a frame, in order; a batch never mixes clips, and its size never changes a result."""


class Embedder(Protocol):
    """Turns crops into vectors in which the same physical thing is near itself."""

    @property
    def name(self) -> str:
        """The catalogue's name with its version; galleries of different names never mix."""

    @property
    def dim(self) -> int:
        """Length of a vector."""

    def embed(self, crops: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """Return (n, dim) unit vectors of n RGB crops of any size; a crop without evidence gets a row of zeros."""


class TextEmbedder(Protocol):
    """Turns texts into vectors in which what means the same is near."""

    @property
    def name(self) -> str:
        """The catalogue's name with its version; vectors of different names are never compared."""

    @property
    def dim(self) -> int:
        """Length of a vector."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, dim) unit vectors of n texts; a blank text gets zeros, and no row depends on the others."""


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """What a describer is told of one tracked subject: GEB appendix A, description, without the model."""

    label: str
    times_us: NDArray[np.int64]
    boxes: NDArray[np.float32]
    crops: tuple[NDArray[np.uint8], ...]
    lines: tuple[Line, ...]


class Describer(Protocol):
    """Writes the first description of a subject."""

    def describe(self, subject: Subject) -> str:
        """Return one or two sentences about this subject; lines are quoted as data."""

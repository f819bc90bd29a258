"""Observations: one tracked subject in one clip, before anyone decides which entity it is."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from biographer.state.errors import RefusedError


@dataclass(frozen=True, slots=True)
class Crop:
    """A picture of the subject at one moment, kept by the SHA-256 (hex) of its JPEG bytes."""

    at_us: int
    box: tuple[float, float, float, float]
    sha256: str


@dataclass(frozen=True, slots=True, eq=False)
class Embedding:
    """A unit vector (float32, shape (d,)) and the name of the embedder that made it: galleries never mix embedders."""

    embedder: str
    vector: NDArray[np.float32]

    @classmethod
    def of(cls, embedder: str, values: NDArray[np.floating]) -> "Embedding":
        """Normalise values; raises RefusedError where they are empty, not finite or of zero length."""
        wide = np.asarray(values, dtype=np.float64).reshape(-1)
        norm = float(np.linalg.norm(wide)) if wide.size else 0.0
        if not np.isfinite(norm) or norm < 1e-12:
            raise RefusedError(f"embedding of {embedder!r} has norm {norm}; identity needs a finite, non-zero vector")
        vector = np.ascontiguousarray(wide / norm, dtype=np.float32)
        vector.setflags(write=False)
        return cls(embedder, vector)


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """One tracked subject in one clip, known by (stream, clip, track).

    `times_us` (int64, shape (n,), rising, n >= 1) are the presentation times at which the subject was seen, and
    `boxes` (float32, shape (n, 4), 0..1) where. `embedding` is None where there is no evidence of identity;
    `flaw` then says why. GEB section 3.1.
    """

    track: int
    label: str
    score: float
    times_us: NDArray[np.int64]
    boxes: NDArray[np.float32]
    embedding: Embedding | None
    text: str
    crops: tuple[Crop, ...] = field(default=())
    flaw: str | None = None

    @property
    def start_us(self) -> int:
        """When the subject was first seen in the clip."""
        return int(self.times_us[0])

    @property
    def end_us(self) -> int:
        """When the subject was last seen in the clip."""
        return int(self.times_us[-1])

"""Real embeddings to resample from: those of photographs of known subjects, kept with the embedder that made them.

`subjects-sample.json` was written by `biographer bench calibrate ../shared/data/dreambooth_subjects --sample ...`, from
the photographs of google/dreambooth (CC BY 4.0); benches that only need vectors of a real shape need no photographs.
"""

from collections.abc import Sequence
from importlib import resources

import msgspec
import numpy as np
from numpy.typing import NDArray


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """Unit vectors of an embedder, as little-endian float16 (n x dim), with subject and kind of thing of each."""

    embedder: str
    dim: int
    subjects: Sequence[str]
    kinds: Sequence[str]
    packed: bytes

    @classmethod
    def of(cls, embedder: str, vectors: NDArray[np.float32], subjects: Sequence[str], kinds: Sequence[str]) -> "Sample":
        """Pack vectors (n, dim)."""
        return cls(
            embedder=embedder,
            dim=vectors.shape[1],
            subjects=subjects,
            kinds=kinds,
            packed=vectors.astype("<f2").tobytes(),
        )

    @property
    def vectors(self) -> NDArray[np.float32]:
        """The unit vectors (n, dim)."""
        rows = np.frombuffer(self.packed, "<f2").astype(np.float32).reshape(-1, self.dim)
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


def shipped_sample() -> Sample:
    """Return the sample that lies beside this file."""
    text = resources.files("biographer.bench").joinpath("subjects-sample.json").read_bytes()
    return msgspec.json.decode(text, type=Sample)

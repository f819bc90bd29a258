"""Fixed statistics by which raw appearance vectors are brought to a common scale: fitting, keeping, applying.

Fixed, so that a vector means the same in every clip and stream; where raw vectors come from is the embedder's.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biographer.state.errors import FatalError


@dataclass(frozen=True, slots=True, eq=False)
class Standard:
    """What is usual in each number of a raw vector, and by how much it varies (float32, (d,) each)."""

    mean: NDArray[np.float32]
    spread: NDArray[np.float32]

    @classmethod
    def fit(cls, raw: NDArray[np.float32]) -> "Standard":
        """Derive the statistics of (n, d) raw vectors."""
        wide = raw.astype(np.float64)
        return cls(wide.mean(axis=0).astype(np.float32), wide.std(axis=0).astype(np.float32))

    @classmethod
    def from_json(cls, text: str) -> "Standard":
        """Read what `to_json` wrote; raises FatalError for anything else."""
        read: Mapping[str, Any] = json.loads(text)
        if not {"mean", "spread"} <= read.keys():
            raise FatalError("statistics of an embedder need 'mean' and 'spread': fit them again")
        return cls(np.array(read["mean"], np.float32), np.array(read["spread"], np.float32))

    def to_json(self) -> str:
        """Write with four significant digits, which is more than they are known to."""
        both = {"mean": self.mean, "spread": self.spread}
        return json.dumps({name: [float(f"{value:.4g}") for value in values] for name, values in both.items()})

    def apply(self, raw: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return unit vectors (n, d), zeros where a raw one is not finite; numbers that never vary are left out."""
        varies = self.spread > 0
        scaled = np.where(varies, (raw.astype(np.float64) - self.mean) / np.where(varies, self.spread, 1), 0)
        norms = np.linalg.norm(scaled, axis=1, keepdims=True)
        sound = np.isfinite(norms) & (norms > 0)
        unit: NDArray[np.float32] = np.where(sound, scaled / np.where(sound, norms, 1), 0).astype(np.float32)
        return unit

"""Unit vectors as small whole numbers, so that a product of two is exact in float32 whatever the order of summing.

A matrix product's last bits depend on how many rows it has, and so a question asked as of then would not score as it
did then. Whole numbers up to `levels` whose products sum below 2**24 leave nothing to round. The cosine itself is
off by about 0.0007 (384 numbers). Kept as bytes they are also a quarter of what has to be read, which is what a
product with all of them takes its time for.
"""

from math import isqrt

import numpy as np
import simsimd
from numpy.typing import NDArray

from biographer.state.column import Column

_EXACT = 2**24


def levels(dim: int) -> int:
    """Return the largest code of a vector of `dim` numbers."""
    return min(127, isqrt(_EXACT // max(1, dim)))


def encode(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return codes (int8, (n, d)) of vectors (n, d), and scales (float32, (n,)) by which they are vectors again."""
    most = np.abs(vectors).max(axis=1, initial=0.0)
    scales = np.where(most > 0, most / levels(vectors.shape[1]), 1.0).astype(np.float32)
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales


class Codes:
    """Encoded vectors numbered from 0."""

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.codes = Column(np.int8, (dim,))
        self.scales = Column(np.float32)

    def __len__(self) -> int:
        """Count the vectors."""
        return len(self.scales)

    def extend(self, codes: NDArray[np.int8], scales: NDArray[np.float32]) -> None:
        """Add vectors; their scales come last, and so are what readers count."""
        self.codes.extend(codes)
        self.scales.extend(scales)

    def cosines(self, query: NDArray[np.float32], count: int) -> NDArray[np.float32]:
        """Return the cosines of the first `count` vectors with a unit vector (d,)."""
        if not count:
            return np.empty(0, np.float32)
        codes, scales = encode(query.reshape(1, -1))
        # numpy multiplies whole numbers one by one; this adds them up as such, many at once.
        products = np.array(simsimd.cdist(self.codes[:count], codes, "dot"), np.float32).reshape(count)
        products *= self.scales[:count] * scales[0]
        return products

    def cosines_of(self, query: NDArray[np.float32], rows: NDArray[np.integer]) -> NDArray[np.float32]:
        """Return the cosines of some vectors with a unit vector (d,)."""
        codes, scales = encode(query.reshape(1, -1))
        products: NDArray[np.float32] = self.codes[rows].astype(np.float32) @ codes[0].astype(np.float32)
        products *= self.scales[rows] * scales[0]
        return products

    def mean(self, rows: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the mean of vectors, normalised; zeros where it has no direction."""
        mean = (self.codes[rows].astype(np.float64) * self.scales[rows][:, None]).mean(axis=0)
        norm = float(np.linalg.norm(mean))
        result: NDArray[np.float32] = (mean / norm if norm > 1e-9 else np.zeros(self.dim)).astype(np.float32)
        return result

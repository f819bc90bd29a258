"""Fixed statistics by which raw appearance vectors are brought to a common scale: fitting, keeping, applying.

Fixed, so that a vector means the same in every clip and stream. A raw vector has parts (a layer's statistics, a
colour histogram); each is scaled for itself and has its weight. Where raw vectors come from is the embedder's.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biographer.state.errors import FatalError, RefusedError

FEWEST = 20
"""Raw vectors from which statistics can be fitted at all."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the raw vector, of `length` numbers, and its weight among the others."""

    name: str
    length: int
    weight: float


@dataclass(frozen=True, slots=True, eq=False)
class Standard:
    """What is usual in each number of a raw vector, and by how much it varies (float32, (k, d) and (d,)).

    What is usual depends on k numbers that say under which circumstances a picture was taken (`circumstances`): what
    they are times `usual` is taken away from each raw vector.
    """

    parts: tuple[Part, ...]
    usual: NDArray[np.float32]
    spread: NDArray[np.float32]

    @classmethod
    def fit(cls, parts: Sequence[Part], raw: NDArray[np.float32], taken: NDArray[np.float64]) -> "Standard":
        """Derive the statistics of (n, d) raw vectors, taken under (n, k) circumstances.

        Raises RefusedError for fewer than FEWEST.

        The part's median spread is added (in squares) to each number's own: a number that hardly varies in the few
        pictures at hand would otherwise shout in the first one in which it does.
        """
        if len(raw) < FEWEST:
            raise RefusedError(f"statistics need at least {FEWEST} pictures, not {len(raw)}: give more")
        wide = raw.astype(np.float64)
        usual = np.linalg.lstsq(taken, wide, rcond=None)[0]
        spread = (wide - taken @ usual).std(axis=0)
        for rows in _stretches(parts):
            varying = spread[rows][spread[rows] > 0]
            spread[rows] = np.hypot(spread[rows], np.median(varying) if len(varying) else 1.0)
        return cls(tuple(parts), usual.astype(np.float32), spread.astype(np.float32))

    @classmethod
    def none(cls, parts: Sequence[Part], terms: int) -> "Standard":
        """Return statistics that change nothing: where to start from before any are fitted."""
        count = sum(part.length for part in parts)
        return cls(tuple(parts), np.zeros((terms, count), np.float32), np.ones(count, np.float32))

    @classmethod
    def from_json(cls, text: str) -> "Standard":
        """Read what `to_json` wrote; raises FatalError for anything else."""
        read: Mapping[str, Any] = json.loads(text)
        if not {"parts", "usual", "spread"} <= read.keys():
            raise FatalError("statistics of an embedder need 'parts', 'usual' and 'spread': fit them again")
        parts = tuple(Part(name, length, weight) for name, length, weight in read["parts"])
        return cls(parts, np.array(read["usual"], np.float32), np.array(read["spread"], np.float32))

    def to_json(self) -> str:
        """Write with four significant digits, which is more than they are known to."""
        parts = [(part.name, part.length, part.weight) for part in self.parts]
        usual = [_rounded(term) for term in self.usual]
        return json.dumps({"parts": parts, "usual": usual, "spread": _rounded(self.spread)})

    def apply(self, raw: NDArray[np.float32], taken: NDArray[np.float64], length: int) -> NDArray[np.float32]:
        """Return (n, length) unit vectors of (n, d) raw ones, taken under (n, k); zeros where one is not finite."""
        # A sum a row and not a matrix product, whose last bits depend on how many rows there are.
        usual = np.stack([(self.usual * one[:, None]).sum(axis=0) for one in taken])
        scaled = (raw.astype(np.float64) - usual) / self.spread
        # Each part is scaled by itself: the others would go on as if the one that says nothing said nothing else.
        scaled[~np.isfinite(scaled).all(axis=1)] = 0
        for part, rows in zip(self.parts, _stretches(self.parts), strict=True):
            scaled[:, rows] = _unit(scaled[:, rows]) * part.weight
        return _unit(folded(scaled, length)).astype(np.float32)


def folded(vectors: NDArray[np.float64], length: int) -> NDArray[np.float64]:
    """Return (n, length) sums of the stretches of (n, d) vectors, each number with a fixed, arbitrary sign.

    Keeps inner products but for noise of about 1/sqrt(length) (feature hashing, Weinberger et al. 2009), and a
    gallery pays for `length` numbers instead of d.
    """
    count = vectors.shape[1]
    bits = np.frombuffer(hashlib.shake_256(b"biographer").digest((count + 7) // 8), np.uint8)
    signed = vectors * (1.0 - 2.0 * np.unpackbits(bits)[:count])
    sums = np.zeros((len(vectors), length))
    for at in range(0, count, length):
        stretch = signed[:, at : at + length]
        sums[:, : stretch.shape[1]] += stretch
    return sums


def _rounded(values: NDArray[np.float32]) -> list[float]:
    return [float(f"{value:.4g}") for value in values]


def _stretches(parts: Sequence[Part]) -> Iterator[slice]:
    at = 0
    for part in parts:
        yield slice(at, at + part.length)
        at += part.length


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    sound = np.isfinite(norms) & (norms > 0)
    unit: NDArray[np.float64] = np.where(sound, vectors / np.where(sound, norms, 1), 0)
    return unit

"""Appearance: the pictures of a subject with the vector of each, and the one vector that pools them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biographer.models.crops import Candidate, choose
from biographer.models.regroup import Look
from biographer.models.roles import Embedder


@dataclass(frozen=True, slots=True, eq=False)
class Portrait:
    """One picture of a subject and its vector (float32, (d,)); zeros, or nothing, where there is no evidence."""

    picture: Candidate
    vector: NDArray[np.float32]


def portraits(pictures: Sequence[Sequence[Candidate]], embedder: Embedder | None) -> list[tuple[Portrait, ...]]:
    """Return the portraits of each subject; all pictures are embedded in one call."""
    flat = [picture for several in pictures for picture in several]
    if embedder is None or not flat:
        vectors = np.zeros((len(flat), 0), dtype=np.float32)
    else:
        vectors = embedder.embed([picture.pixels for picture in flat])
    made = iter([Portrait(picture, vector) for picture, vector in zip(flat, vectors, strict=True)])
    return [tuple(next(made) for _ in several) for several in pictures]


def best(several: Iterable[Portrait], count: int) -> tuple[Portrait, ...]:
    """Return up to `count` portraits, spread over time, by time."""
    by_picture = {id(portrait.picture): portrait for portrait in several}
    chosen = choose((portrait.picture for portrait in by_picture.values()), count)
    return tuple(by_picture[id(picture)] for picture in chosen)


def pooled(several: Iterable[Portrait]) -> NDArray[np.float64] | None:
    """Return the mean of the unit vectors, of length one; vectors that say nothing are ignored; None if all are."""
    good = [unit for unit in (_unit(portrait.vector) for portrait in several) if unit is not None]
    return _unit(np.mean(good, axis=0)) if good else None


def look(several: Sequence[Portrait], side: float) -> Look | None:
    """Return how the subject looks, clear where the usual picture has the area of a square of that side."""
    vector = pooled(several)
    if vector is None:
        return None
    sizes = [np.sqrt(portrait.picture.pixels.shape[0] * portrait.picture.pixels.shape[1]) for portrait in several]
    return Look(vector, clear=bool(np.median(sizes) >= side))


def _unit(vector: NDArray[np.floating]) -> NDArray[np.float64] | None:
    norm = float(np.linalg.norm(vector.astype(np.float64)))
    return vector.astype(np.float64) / norm if np.isfinite(norm) and norm > 1e-6 else None

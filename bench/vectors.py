"""Vectors for memories of any size, resampled from real embeddings so that they are as alike as real ones.

A vector is the sum of what its kind, its entity, its spell (a stretch of sightings in one place) and the sighting
itself add; each part is a random mixture of differences between real vectors: of subjects from each other, and of
photographs from the mean of their subject. So the cosines between sightings of one thing, of like things and of unlike
things are distributed as those of the sample, which `cosines` shows. Sightings of one spell are as alike as real crops
of one track.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biographer.bench.sample import Sample

KINDS = 80
"""So many labels, equally common: 49 sightings then have about 15 pairs of one label, as GEB's week has."""

LOOK_ALIKES = 0.1
"""Share of entities that are copies of another of their kind, but for what a photograph adds."""

WITHIN_SPELL = 0.85
"""Share of what a photograph adds that stays for a spell; crops of one real track have a median cosine of 0.94."""

_POOL = 8192
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Differences:
    """What the sample says: its centre (d,), how subjects differ (s, d), how photographs of one do (p, d), scaled.

    A mixture of rows by independent normal weights has the sample's covariance. `alike` is the share of the subjects'
    variance that those of one kind have in common.
    """

    centre: Array
    subjects: Array
    photographs: Array
    alike: float

    @classmethod
    def of(cls, sample: Sample) -> "Differences":
        """Split a sample's variance so that cosines of unlike and of the same things keep their means.

        What all things have in common is the mean cosine of unlike ones; what photographs add is what is missing from
        1 between two of one thing; subjects have the rest.
        """
        vectors, names = sample.vectors, np.array(sample.subjects)
        groups = [vectors[names == name] for name in sorted(set(sample.subjects))]
        means = np.stack([group.mean(axis=0) for group in groups])
        inner = np.concatenate([group - group.mean(axis=0) for group in groups])
        centre = means.mean(axis=0)
        outer = means - centre
        same, like, unlike = _mean_cosines(sample)
        common = max(unlike, 0.0)
        alike = (like - unlike) / (same - unlike) if same > unlike else 0.0
        return cls(
            _of_square(centre, common),
            _of_square(outer, max(same - common, 0.0)),
            _of_square(inner, 1 - same),
            min(max(alike, 0.0), 1.0),
        )


class Vectors:
    """A source of unit vectors (float32) for numbered entities, spells and sightings; all follow from the generator."""

    def __init__(self, sample: Sample, entities: int, random: np.random.Generator) -> None:
        self._differences = Differences.of(sample)
        subjects = len(self._differences.subjects)
        self.kinds = random.integers(0, KINDS, entities)
        self._latents = self._entity_latents(subjects, random)
        weights = random.standard_normal((_POOL, len(self._differences.photographs)), np.float32)
        self._pool = weights @ self._differences.photographs

    def sightings(self, entities: NDArray[np.int64], spells: NDArray[np.int64], random: np.random.Generator) -> Array:
        """Return one vector a sighting (n, d)."""
        kept = self._pool[(spells * 2_654_435_761) % _POOL]
        passing = self._pool[random.integers(0, _POOL, len(entities))]
        base = self._differences.centre + self._latents[entities] @ self._differences.subjects
        return unit(base + np.sqrt(WITHIN_SPELL) * kept + np.sqrt(1 - WITHIN_SPELL) * passing)

    def _entity_latents(self, width: int, random: np.random.Generator) -> Array:
        shared = random.standard_normal((KINDS, width), np.float32)[self.kinds]
        own = random.standard_normal((len(self.kinds), width), np.float32)
        latents: Array = np.sqrt(self._differences.alike) * shared + np.sqrt(1 - self._differences.alike) * own
        copies = np.flatnonzero(random.random(len(latents)) < LOOK_ALIKES)
        copied = random.integers(0, len(latents), len(copies))
        latents[copies], self.kinds[copies] = latents[copied], self.kinds[copied]
        return latents.astype(np.float32)


def unit(rows: Array) -> Array:
    """Return rows of length one."""
    scaled: Array = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return scaled


def cosines(vectors: Array, subjects: NDArray[np.int64], kinds: NDArray[np.int64]) -> Mapping[str, Mapping[str, float]]:
    """Return quantiles of the cosines between rows of one subject, of one kind, and of different kinds."""
    left, right = np.triu_indices(len(vectors), 1)
    values = (vectors @ vectors.T)[left, right]
    same = subjects[left] == subjects[right]
    like = ~same & (kinds[left] == kinds[right])
    groups = {"same": same, "like": like, "unlike": ~same & ~like}
    return {name: _quantiles(values[chosen]) for name, chosen in groups.items() if chosen.any()}


def _quantiles(values: Array) -> Mapping[str, float]:
    return {f"q{round(100 * at):02}": round(float(np.quantile(values, at)), 3) for at in _QUANTILES}


def _of_square(rows: Array, square: float) -> Array:
    """Return the rows scaled so that the squares of all their numbers sum to `square`."""
    present = float((rows**2).sum())
    scaled: Array = rows * np.float32(np.sqrt(square / present)) if present > 0 else rows
    return scaled


def _mean_cosines(sample: Sample) -> tuple[float, float, float]:
    """Return the mean cosine of two photographs of one subject, of one kind, and of different kinds."""
    vectors, names, kinds = sample.vectors, np.array(sample.subjects), np.array(sample.kinds)
    left, right = np.triu_indices(len(vectors), 1)
    values = (vectors @ vectors.T)[left, right]
    same = names[left] == names[right]
    like = ~same & (kinds[left] == kinds[right])
    unlike = float(values[~same & ~like].mean())
    return float(values[same].mean()), float(values[like].mean()) if like.any() else unlike, unlike

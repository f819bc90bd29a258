"""Re-identification by the statistics of a detector's inner values: the default Embedder.

A crop goes through the network's trunk; the mean and standard deviation of each channel over the places, brought to a
common scale by a `Standard`, make a vector in which the same physical thing is near itself.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from biographer.models.runtime import Network
from biographer.models.standard import Standard

SMALLEST = 4
"""Pixels a side under which a crop shows nothing that could identify it."""


class TrunkEmbedder:
    """Channel statistics of a trunk as an Embedder."""

    def __init__(self, name: str, network: Network, side: int, standard: Standard) -> None:
        self._name, self._network, self._side, self._standard = name, network, side, standard

    @property
    def name(self) -> str:
        """The catalogue's name."""
        return self._name

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return len(self._standard.mean)

    def embed(self, crops: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """Return (n, dim) unit vectors; zeros for crops too small to show anything."""
        vectors = np.zeros((len(crops), self.dim), np.float32)
        rows = [at for at, crop in enumerate(crops) if min(crop.shape[:2]) >= SMALLEST]
        if rows:
            vectors[rows] = self._standard.apply(self.raw([crops[at] for at in rows]))
        return vectors

    def raw(self, crops: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """Return (n, dim) statistics before they are brought to scale: what `Standard.fit` is fitted on."""
        pictures = np.stack([square(crop, self._side) for crop in crops])
        (maps,) = self._network.run(pictures, ["appearance"])
        return channel_statistics(maps)


def channel_statistics(maps: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return mean and standard deviation over the places of each channel: (n, c, h, w) to (n, 2 c)."""
    flat = maps.reshape(*maps.shape[:2], -1).astype(np.float64)
    both: NDArray[np.float32] = np.concatenate([flat.mean(axis=2), flat.std(axis=2)], axis=1).astype(np.float32)
    return both


def square(crop: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """Return the RGB crop stretched to (side, side, 3)."""
    return np.asarray(Image.fromarray(crop).resize((side, side), Image.Resampling.BILINEAR))

"""Re-identification by what a detector's trunk and the colours say of a crop: the default Embedder.

Mean and standard deviation of two layers' channels, and a histogram of colours, each weighted towards the middle of
the crop, where the subject is; brought to a common scale by a `Standard`. In the result the same physical thing is
near itself, also under other light, and a copy of it in another colour is not.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from biographer.models.circumstances import circumstances
from biographer.models.colour_histogram import LENGTH, colour_histogram
from biographer.models.lesser_pictures import versions
from biographer.models.runtime import Network
from biographer.models.standard import Part, Standard

PARTS = (Part("late", 512, 1.0), Part("middle", 512, 0.5), Part("colour", LENGTH, 0.55))
"""Weights were chosen on data/dreambooth_subjects, statistics from one half and tested on the other."""
DIM = 512
SMALLEST = 4
"""Pixels a side under which a crop shows nothing that could identify it."""
_COLOUR_SIDE = 64
_LAYER_FOCUS, _COLOUR_FOCUS = 0.45, 0.4
"""How narrow the middle is: the standard deviation of a Gaussian, in halves of the crop's side."""


class TrunkEmbedder:
    """Layer statistics and colours as an Embedder."""

    def __init__(self, name: str, network: Network, side: int, standard: Standard) -> None:
        self._name, self._network, self._side, self._standard = name, network, side, standard

    @property
    def name(self) -> str:
        """The catalogue's name."""
        return self._name

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return DIM

    @property
    def provider(self) -> str:
        """Where its network runs now."""
        return self._network.provider

    def embed(self, crops: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """Return (n, dim) unit vectors; zeros for crops too small to show anything."""
        vectors = np.zeros((len(crops), DIM), np.float32)
        rows = [at for at, crop in enumerate(crops) if min(crop.shape[:2]) >= SMALLEST]
        if rows:
            sound = [crops[at] for at in rows]
            vectors[rows] = self._standard.apply(self.raw(sound), circumstances(sound), DIM)
        return vectors

    def raw(self, crops: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """Return (n, d) statistics before they are brought to scale, in the order of PARTS."""
        pictures = np.stack([square(crop, self._side) for crop in crops])
        middle, late = self._network.run(pictures, ["middle", "late"])
        weights = focus(_COLOUR_SIDE, _COLOUR_FOCUS)
        colours = np.stack([colour_histogram(square(picture, _COLOUR_SIDE), weights) for picture in pictures])
        return np.concatenate([channel_statistics(late), channel_statistics(middle), colours], axis=1)

    def fitted(self, crops: Sequence[NDArray[np.uint8]], seed: int = 0) -> "TrunkEmbedder":
        """Return this embedder with statistics of these crops and lesser pictures of each.

        The shipped ones (nanodet-g-416-stats.json) are those of all photographs of data/dreambooth_subjects, by path.

        Photographs show things whole and sharp, a worn camera in part, small and dark. Without glimpses all that a
        kitchen's video shows is alike (median similarity of unlike things 0.53 instead of 0.37, on photographs no
        difference), and without small, dark ones whatever is small and dark.
        """
        random = np.random.default_rng(seed)
        seen = [version for crop in crops for version in versions(crop, random)]
        return self.standardised(Standard.fit(PARTS, self.raw(seen), circumstances(seen)))

    def standardised(self, standard: Standard) -> "TrunkEmbedder":
        """Return this embedder with other statistics."""
        return TrunkEmbedder(self._name, self._network, self._side, standard)

    @property
    def standard(self) -> Standard:
        """The statistics in use."""
        return self._standard


def channel_statistics(maps: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return mean and standard deviation of each channel, the middle weighing most: (n, c, h, h) to (n, 2 c)."""
    weights = focus(maps.shape[2], _LAYER_FOCUS).ravel().astype(np.float64)
    # One picture at a time: all of them as float64 would leave the processor's cache.
    return np.stack([_weighted_statistics(one.reshape(len(one), -1).astype(np.float64), weights) for one in maps])


def _weighted_statistics(flat: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float32]:
    mean = np.einsum("cp,p->c", flat, weights)
    square_mean = np.einsum("cp,p->c", flat * flat, weights)
    spread = np.sqrt(np.maximum(square_mean - mean * mean, 0))
    both: NDArray[np.float32] = np.concatenate([mean, spread]).astype(np.float32)
    return both


def focus(side: int, width: float) -> NDArray[np.float32]:
    """Return (side, side) weights that sum to 1: a Gaussian about the middle."""
    places = (np.arange(side) + 0.5) / side * 2 - 1
    bell = np.exp(-(places**2) / (2 * width**2))
    weights = np.outer(bell, bell)
    result: NDArray[np.float32] = (weights / weights.sum()).astype(np.float32)
    return result


def square(crop: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """Return the RGB crop stretched to (side, side, 3)."""
    return np.asarray(Image.fromarray(crop).resize((side, side), Image.Resampling.BILINEAR))

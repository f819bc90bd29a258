"""How alike observations look to a picture that is given as a query: the visual channel of a search.

The picture's vector must come from the embedder of a gallery; observations of other embedders look like nothing.
"""

import numpy as np
from numpy.typing import NDArray

from biographer.state.errors import RefusedError
from biographer.state.gallery import Gallery
from biographer.state.observation import Embedding
from biographer.state.view import View


def looks(view: View, galleries: dict[str, Gallery], picture: Embedding) -> NDArray[np.float64]:
    """Return each of the view's observations' cosine with a picture (count,), 0 where there is none to compare.

    Raises RefusedError where no gallery is of the picture's embedder, or its vectors have another length.
    """
    gallery = galleries.get(picture.embedder)
    if gallery is None or gallery.dim != len(picture.vector):
        known = ", ".join(f"{name!r} ({one.dim} numbers)" for name, one in sorted(galleries.items())) or "none"
        raise RefusedError(
            f"a picture by embedder {picture.embedder!r} of {len(picture.vector)} numbers cannot be compared: "
            f"this stream has {known}"
        )
    return _cosines(view, gallery, picture.vector)


def looks_of(view: View, galleries: dict[str, Gallery], observation: int) -> NDArray[np.float64] | None:
    """Return each of the view's observations' cosine with one of them (count,), None where that has no vector."""
    for gallery in galleries.values():
        observations, vectors = gallery.seen()
        place = int(np.searchsorted(observations, observation))
        if place < len(observations) and observations[place] == observation:
            return _cosines(view, gallery, vectors[place])
    return None


def _cosines(view: View, gallery: Gallery, vector: NDArray[np.float32]) -> NDArray[np.float64]:
    observations, vectors = gallery.seen()
    count = int(np.searchsorted(observations, view.observations.count))
    found = np.zeros(view.observations.count)
    found[observations[:count]] = np.maximum(0.0, vectors[:count] @ vector)
    return view.observations.hide(found, 0.0)

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
    observations, vectors = gallery.seen()
    count = int(np.searchsorted(observations, view.observations.count))
    found = np.zeros(view.observations.count)
    found[observations[:count]] = np.maximum(0.0, vectors[:count] @ picture.vector)
    return view.observations.hide(found, 0.0)

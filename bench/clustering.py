"""Offline grouping by average linkage: what could be had if all sightings were at hand at once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from biographer.bench.rehearsal import grouping_f1
from biographer.state.errors import FatalError


class Linkage:
    """The merges of average-linkage clustering by cosine distance, to be cut at any height."""

    def __init__(self, vectors: NDArray[np.float32]) -> None:
        # scipy is for measuring only: it is imported where it is used, and is in the extra `dev` alone.
        try:
            from scipy.cluster.hierarchy import linkage  # noqa: PLC0415
            from scipy.spatial.distance import squareform  # noqa: PLC0415
        except ImportError as error:
            raise FatalError("clustering needs scipy; pip install 'biographer[dev]'") from error
        wide = vectors.astype(np.float64)
        distances = np.clip(1 - wide @ wide.T, 0, None)
        np.fill_diagonal(distances, 0)
        self.merges = linkage(squareform((distances + distances.T) / 2, checks=False), "average")

    def cut(self, similarity: float) -> list[int]:
        """Return a group for each row: merged as long as the mean cosine between groups is at least `similarity`."""
        from scipy.cluster.hierarchy import fcluster  # noqa: PLC0415

        return [int(group) for group in fcluster(self.merges, 1 - similarity, "distance")]

    def best_cut(self, truth: Sequence[str]) -> float:
        """Return the similarity at which the groups agree best with the truth, half-way to the next worse cut."""
        heights = np.unique(np.concatenate([[0.0], self.merges[:, 2]]))
        middles = np.append((heights[:-1] + heights[1:]) / 2, heights[-1] + 0.01)
        scores = [grouping_f1(truth, self.cut(1 - middle)) for middle in middles]
        return float(1 - middles[int(np.argmax(scores))])

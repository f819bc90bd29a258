"""Embedder roles played by an endpoint: for texts, for crops, and for a described subject (GEB section 3.3).

They are called in worker threads and wait there. Galleries never mix embedders, so the name says what went in: vectors
of crops alone and of crops with words are not compared.
"""

import asyncio
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from biographer.models.crops import jpeg
from biographer.models.embeddings import EmbeddingModel
from biographer.models.waiting import Wait
from biographer.state.errors import TransientError
from biographer.state.observation import Embedding

_QUALITY = 85
_LEAST_SIDE = 4
"""Pixels under which a crop shows nothing."""


class EndpointTextEmbedder:
    """A TextEmbedder: unit vectors of texts."""

    def __init__(self, model: EmbeddingModel, wait: Wait) -> None:
        self._model, self._wait = model, wait

    @property
    def name(self) -> str:
        """The model's name and the length of its vectors: of another length they are another model's."""
        return f"{self._model.name}:{self.dim}"

    @property
    def dim(self) -> int:
        """Length of a vector; while none is known, one is asked for. Raises TransientError and RefusedError."""
        return self._model.dim or int(self._wait(self._model.of_texts(["length"])).shape[1])

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, dim) unit vectors of n texts, zeros for blank ones. Raises TransientError and RefusedError."""
        rows = [row for row, text in enumerate(texts) if text.strip()]
        return _spread(self.dim, len(texts), rows, self._of([texts[row] for row in rows]))

    def _of(self, texts: Sequence[str]) -> NDArray[np.float32] | None:
        return self._wait(self._model.of_texts(texts)) if texts else None


def is_of_model(embedder: str, model: str) -> bool:
    """Whether a text embedder of that name is an endpoint's model, whatever the length of its vectors."""
    name, _, dim = embedder.rpartition(":")
    return name == model and dim.isdigit()


class EndpointEmbedder:
    """An Embedder: unit vectors of crops by a multimodal model, one request each."""

    def __init__(self, model: EmbeddingModel, wait: Wait) -> None:
        self._model, self._wait = model, wait

    @property
    def name(self) -> str:
        """The model's name, and what went in."""
        return f"{self._model.name}:crop"

    @property
    def dim(self) -> int:
        """Length of a vector; while none is known, one is asked for."""
        grey = jpeg(np.full((32, 32, 3), 128, np.uint8), _QUALITY)
        return self._model.dim or len(self._wait(self._model.of_subject([grey])))

    def embed(self, crops: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """Return (n, dim) unit vectors of n crops, zeros for empty ones. Raises TransientError and RefusedError."""
        rows = [row for row, crop in enumerate(crops) if min(crop.shape[:2]) >= _LEAST_SIDE]
        return _spread(self.dim, len(crops), rows, self._of([crops[row] for row in rows]))

    def _of(self, crops: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32] | None:
        return self._wait(self._all(crops)) if crops else None

    async def _all(self, crops: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        files = [jpeg(crop, _QUALITY) for crop in crops]
        return np.stack(await asyncio.gather(*(self._model.of_subject([file]) for file in files)))


def subjects_name(model: str) -> str:
    """Return the gallery of a model's vectors of crops with words."""
    return f"{model}:crops+text"


class SubjectEmbedder:
    """The paper's embedding of an observation: all crops with the words about it, as one vector."""

    def __init__(self, model: EmbeddingModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The gallery of such vectors."""
        return subjects_name(self._model.name)

    async def embed(self, crops: Sequence[bytes], text: str) -> Embedding:
        """Return the embedding of JPEG crops and a text. Raises TransientError and RefusedError."""
        return Embedding.of(self.name, await self._model.of_subject(crops, text))


def _spread(dim: int, count: int, rows: Sequence[int], found: NDArray[np.float32] | None) -> NDArray[np.float32]:
    """Return (count, dim) vectors, those found in their rows; raises TransientError for vectors of another length."""
    vectors = np.zeros((count, dim), np.float32)
    if found is not None:
        if found.shape[1] != dim:
            raise TransientError("the length of an endpoint's vectors changed while they were asked for; ask again")
        vectors[rows] = found
    return vectors

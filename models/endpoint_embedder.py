"""Embedder roles played by an endpoint: for texts, for crops, and for a described subject (GEB section 3.3).

They are called in worker threads and wait there. Galleries never mix embedders, so the name says what went in: vectors
of crops alone and of crops with words are not compared.
"""

import asyncio
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from biographer.models.crops import jpeg
from biographer.models.embeddings import EmbeddingModel
from biographer.models.waiting import Wait
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

    @cached_property
    def dim(self) -> int:
        """Length of a vector; the first use asks for one. Raises TransientError and RefusedError."""
        return int(self._wait(self._model.of_texts(["length"])).shape[1])

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, dim) unit vectors of n texts, zeros for blank ones. Raises TransientError and RefusedError."""
        vectors = np.zeros((len(texts), self.dim), np.float32)
        rows = [row for row, text in enumerate(texts) if text.strip()]
        if rows:
            vectors[rows] = self._wait(self._model.of_texts([texts[row] for row in rows]))
        return vectors


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

    @cached_property
    def dim(self) -> int:
        """Length of a vector; the first use asks for one."""
        grey = jpeg(np.full((32, 32, 3), 128, np.uint8), _QUALITY)
        return len(self._wait(self._model.of_subject([grey])))

    def embed(self, crops: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """Return (n, dim) unit vectors of n crops, zeros for empty ones. Raises TransientError and RefusedError."""
        vectors = np.zeros((len(crops), self.dim), np.float32)
        rows = [row for row, crop in enumerate(crops) if min(crop.shape[:2]) >= _LEAST_SIDE]
        if rows:
            vectors[rows] = self._wait(self._all([crops[row] for row in rows]))
        return vectors

    async def _all(self, crops: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        files = [jpeg(crop, _QUALITY) for crop in crops]
        return np.stack(await asyncio.gather(*(self._model.of_subject([file]) for file in files)))


class SubjectEmbedder:
    """The paper's embedding of an observation: all crops with the words about it, as one vector."""

    def __init__(self, model: EmbeddingModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The gallery of such vectors."""
        return f"{self._model.name}:crops+text"

    async def embed(self, crops: Sequence[bytes], text: str) -> Embedding:
        """Return the embedding of JPEG crops and a text. Raises TransientError and RefusedError."""
        return Embedding.of(self.name, await self._model.of_subject(crops, text))

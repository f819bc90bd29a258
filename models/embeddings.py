"""Vectors from an endpoint: of texts in batches (OpenAI's form), of pictures with a text (vLLM's form)."""

import asyncio
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from biographer.models.chat import Part, Picture, content_of
from biographer.models.language_client import LanguageClient
from biographer.models.language_fault import Fault
from biographer.state.errors import RefusedError, TransientError

PATH = "embeddings"

TOGETHER = 32
"""Texts of one request."""


class _Row(msgspec.Struct, frozen=True):
    index: int
    embedding: list[float]


class _Rows(msgspec.Struct, frozen=True):
    data: list[_Row]


class EmbeddingModel:
    """One embedding model of an endpoint."""

    def __init__(self, client: LanguageClient, name: str) -> None:
        self.name = name
        self._client = client
        self._dim = 0

    async def of_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, d) unit vectors of n texts, n >= 1. Raises TransientError and RefusedError."""
        batches = [texts[at : at + TOGETHER] for at in range(0, len(texts), TOGETHER)]
        parts = await asyncio.gather(*(self._asked({"input": list(batch)}, len(batch)) for batch in batches))
        return np.concatenate(parts)

    async def of_subject(self, pictures: Sequence[bytes], text: str = "") -> NDArray[np.float32]:
        """Return one unit vector (d,) of JPEG files and a text together. Raises TransientError and RefusedError."""
        parts: list[Part] = [Picture(file) for file in pictures]
        parts += [text] if text else []
        message = {"role": "user", "content": content_of(tuple(parts))}
        (row,) = await self._asked({"messages": [message]}, 1)
        vector: NDArray[np.float32] = row
        return vector

    async def _asked(self, given: Mapping[str, object], count: int) -> NDArray[np.float32]:
        answer = await self._client.ask(PATH, {"model": self.name, "encoding_format": "float", **given})
        if isinstance(answer, Fault):
            answer.raised()
        try:
            rows = sorted(msgspec.json.decode(answer, type=_Rows).data, key=lambda row: row.index)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise TransientError(f"model {self.name!r} answers no vectors: {error}; check its server") from error
        if [row.index for row in rows] != list(range(count)) or len({len(row.embedding) for row in rows}) != 1:
            raise TransientError(f"model {self.name!r} answers {len(rows)} vectors for {count}; check its server")
        wide = len(rows[0].embedding)
        if self._dim not in (0, wide):
            raise TransientError(f"model {self.name!r} gives {wide} numbers, {self._dim} before; check its server")
        self._dim = wide
        return _unit(np.array([row.embedding for row in rows], np.float64), self.name)


def _unit(wide: NDArray[np.float64], model: str) -> NDArray[np.float32]:
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    # `not all good` and not `any bad`: a NaN is neither above nor below (FAULTS, IEEE NaN).
    if not (wide.shape[1] and bool(np.all(np.isfinite(norms) & (norms > 1e-12)))):
        raise RefusedError(f"model {model!r} gives a vector of no length or of no numbers; choose an embedding model")
    vectors: NDArray[np.float32] = (wide / norms).astype(np.float32)
    return vectors

"""Vectors from an endpoint: of texts in batches (OpenAI's form), of pictures with a text (vLLM's form)."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

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

Stored: TypeAlias = Callable[[], frozenset[int]]
"""Returns the lengths of this model's vectors that are stored; blocks."""


class _Row(msgspec.Struct, frozen=True):
    index: int
    embedding: list[float]


class _Rows(msgspec.Struct, frozen=True):
    data: list[_Row]


def none_stored() -> frozenset[int]:
    """Return none: for who stores no vectors."""
    return frozenset()


class EmbeddingModel:
    """One embedding model of an endpoint. Vectors that are `stored` say how long they are, whatever it answers.

    Where none are, a length holds until the model answers with another: which of the two is right nobody can tell, so
    the first is forgotten as well, and one wrong answer spoils nothing for longer.
    """

    def __init__(self, client: LanguageClient, name: str, stored: Stored = none_stored) -> None:
        self.name = name
        self.dim = 0
        """Length of the last vectors; 0 while there are none, or that was forgotten."""
        self._client, self._stored = client, stored

    async def of_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, d) unit vectors of n texts, n >= 1. Raises TransientError and RefusedError."""
        batches = [texts[at : at + TOGETHER] for at in range(0, len(texts), TOGETHER)]
        parts = await asyncio.gather(*(self._asked({"input": list(batch)}, len(batch)) for batch in batches))
        if len({part.shape[1] for part in parts}) != 1:
            raise TransientError(f"model {self.name!r} gives vectors of several lengths; check its server")
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
        await self._settle(len(rows[0].embedding))
        return _unit(np.array([row.embedding for row in rows], np.float64), self.name)

    async def _settle(self, wide: int) -> None:
        """Take a length; raises TransientError where it is not that of what is stored, or was another before."""
        if wide == self.dim:
            return
        stored = await asyncio.to_thread(self._stored)
        if stored and wide not in stored:
            told = " or ".join(map(str, sorted(stored)))
            raise TransientError(f"model {self.name!r} gives {wide} numbers where {told} are stored; check its server")
        # Others were settled meanwhile, so it is looked at only now.
        before, self.dim = self.dim, wide
        if not stored and before not in (0, wide):
            self.dim = 0
            raise TransientError(f"model {self.name!r} gives {wide} numbers, {before} before; check its server")


def _unit(wide: NDArray[np.float64], model: str) -> NDArray[np.float32]:
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    # `not all good` and not `any bad`: a NaN is neither above nor below (FAULTS, IEEE NaN).
    if not (wide.shape[1] and bool(np.all(np.isfinite(norms) & (norms > 1e-12)))):
        raise RefusedError(f"model {model!r} gives a vector of no length or of no numbers; choose an embedding model")
    vectors: NDArray[np.float32] = (wide / norms).astype(np.float32)
    return vectors

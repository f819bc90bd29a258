"""Texts that the memory searches, each kept once: its words, and its vector where a text embedder gave one.

Texts are numbered from 0 and never change. One that comes again with a vector, and had none, becomes a new one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgpack
import numpy as np
from numpy.typing import NDArray

from biographer.state.codes import Codes, encode
from biographer.state.column import Column
from biographer.state.observation import Embedding

NO_VECTOR = -1


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Encoded vectors of new texts, of one embedder: codes (int8, (n, d)) and scales (float32, (n,))."""

    embedder: str = ""
    texts: tuple[str, ...] = ()
    codes: NDArray[np.int8] = field(default_factory=lambda: np.empty((0, 0), np.int8))
    scales: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))

    @classmethod
    def of(cls, given: Mapping[str, Embedding]) -> "Vectors":
        """Encode vectors of one embedder, in the order of their texts."""
        if not given:
            return cls()
        texts = tuple(sorted(given))
        return cls(given[texts[0]].embedder, texts, *encode(np.stack([given[text].vector for text in texts])))


class Texts:
    """All texts of one stream; one writer, any number of readers.

    The first embedder that gives a vector is the stream's; vectors of others are not taken, for they compare with none.
    """

    def __init__(self) -> None:
        self.strings: list[str] = []
        self.rows = Column(np.int32)
        self.embedder: str | None = None
        self.codes = Codes(0)
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        """Count the texts."""
        return len(self.rows)

    def learn(self, vectors: Vectors) -> None:
        """Keep the vectors of new texts."""
        first = len(self.codes)
        self.encoded(vectors)
        for row, text in enumerate(vectors.texts, first):
            self._add(text, row)

    def encoded(self, vectors: Vectors) -> None:
        """Keep vectors alone, of texts that are here, or come."""
        if not vectors.texts:
            return
        if self.embedder is None:
            self.embedder, self.codes = vectors.embedder, Codes(vectors.codes.shape[1])
        self.codes.extend(vectors.codes, vectors.scales)

    def renumber(self) -> None:
        """Find the texts that came in bulk by their words; of two the later, which has the vector."""
        self._numbers = {text: number for number, text in enumerate(self.strings)}

    def has_vector(self, text: str) -> bool:
        """Whether a text is known with a vector."""
        known = self._numbers.get(text)
        return known is not None and bool(self.rows[known] != NO_VECTOR)

    def number(self, text: str) -> int:
        """Return the number of a text, known or new."""
        known = self._numbers.get(text)
        return self._add(text, NO_VECTOR) if known is None else known

    def cosines(self, query: Embedding | None, count: int, vectors: int) -> NDArray[np.float32]:
        """Return the cosines of the first `count` texts with the query; 0 where there is none to compare."""
        if query is None or query.embedder != self.embedder or not vectors:
            return np.zeros(count, np.float32)
        found = np.append(self.codes.cosines(query.vector, vectors), np.float32(0))
        cosines: NDArray[np.float32] = found[self.rows[:count]]
        return cosines

    def cosines_of(self, query: Embedding | None, numbers: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the cosines of some texts with the query, to 6 places; 0 where there is none to compare."""
        rows = self.rows[numbers]
        found = np.zeros(len(rows))
        if query is not None and query.embedder == self.embedder:
            known = rows != NO_VECTOR
            found[known] = self.codes.cosines_of(query.vector, rows[known])
        rounded: NDArray[np.float64] = np.round(found, 6)
        return rounded

    def _add(self, text: str, row: int) -> int:
        self.strings.append(text)
        number = self.rows.append(row)
        self._numbers[text] = number
        return number


def vectors_of(embedder: str, texts: bytes, codes: bytes, scales: bytes) -> Vectors:
    """Return the vectors that the store holds in a row."""
    names = tuple(msgpack.unpackb(texts))
    return Vectors(embedder, names, np.frombuffer(codes, np.int8).reshape(len(names), -1), np.frombuffer(scales, "<f4"))

"""The gallery of one embedder: the reference set of every entity, searchable exactly (GEB section 3.3).

By condition 1 a candidate passes `similar_to_all` at each of its references, so one reference an entity is enough to
propose all candidates: a matrix product over those rows, with a margin for its rounding. The decision then
recomputes the few similarities in a fixed order, so it depends neither on batch nor on chunk. Nothing here knows of
biographies, clips or stores. Rows (of entities) and slots (of vectors) are this file's own; identifiers are numbers
of the memory's, which it is given and gives back.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biographer.state.column import Column

MARGIN = 1e-4
"""What the rounding of a float32 product of two unit vectors can reach at most, with room."""

_CHUNK = 65_536
_NO_SLOT = -1


@dataclass(frozen=True, slots=True, eq=False)
class References:
    """The reference set of one entity, oldest first: observation numbers and their vectors (float32, (r, d))."""

    observations: tuple[int, ...]
    vectors: NDArray[np.float32]


class Gallery:
    """Reference sets of at most `references` slots an entity, over vectors of `dim` numbers.

    A slot is one embedded observation; it is never removed or re-used.
    """

    __slots__ = (
        "_counts",
        "_observations",
        "_proposals",
        "_proposed",
        "_row_of",
        "_slot_of",
        "_slots",
        "dim",
        "entities",
        "references",
        "vectors",
    )

    def __init__(self, dim: int, references: int) -> None:
        self.dim = dim
        self.references = references
        self.vectors = Column(np.float32, (dim,))
        self.entities = Column(np.int32)
        self._slots = Column(np.int32, (references,))
        self._counts = Column(np.int32)
        self._proposals = Column(np.float32, (dim,))
        self._proposed = Column(np.int32)
        self._observations = Column(np.int32)
        self._row_of: dict[int, int] = {}
        self._slot_of = Column(np.int32)
        """By observation number; -1 for what has no vector here."""

    def __len__(self) -> int:
        """Count the entities."""
        return len(self.entities)

    def add_vectors(self, observations: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Keep the vectors (float32, (n, dim)) of new observations."""
        self.await_vectors(np.asarray(observations, np.int32))[:] = vectors

    def expect_vectors(self, count: int) -> None:
        """Make room for so many, and for those of the next days: a week's are not to be copied at the next clip."""
        self.vectors.reserve(_roomy(count))

    def await_vectors(self, observations: NDArray[np.int32]) -> NDArray[np.float32]:
        """Make room for the vectors of new observations, numbers rising; return the rows (n, dim) to be filled."""
        first, count = len(self.vectors), len(observations)
        self._slot_of.lengthen(int(observations.max(initial=-1)) + 1, _NO_SLOT)
        self._slot_of.put(observations, np.arange(first, first + count))
        self._observations.extend(observations)
        return self.vectors.room_for(count)

    def set_references(self, entity: int, observations: Sequence[int]) -> None:
        """Set an entity's references, oldest first; one that is not known yet is added, one without any never matches.

        The proposing row stays for as long as its slot is among them: copying one is the costlier part.
        """
        slots = [self._slot(observation) for observation in observations]
        row = self._row_of.get(entity)
        if row is None and not slots:
            return
        if row is None:
            row = self._add_entity(entity, slots[-1])
        self._slots.set(row, slots + [_NO_SLOT] * (self.references - len(slots)))
        self._counts.set(row, len(slots))
        if int(self._proposed[row]) not in slots:
            self._proposed.set(row, slots[-1] if slots else _NO_SLOT)
            self._proposals.set(row, self.vectors[slots[-1]] if slots else 0.0)

    def restore_references(self, entities: NDArray[np.integer], observations: NDArray[np.integer]) -> None:
        """Set the references of many new entities at once: (n,) and (n, references), padded with -1 behind."""
        used = observations >= 0
        slots = np.full(observations.shape, _NO_SLOT, np.int32)
        slots[used] = self._slot_of[observations[used]]
        if bool(np.any(slots[used] == _NO_SLOT)):
            raise KeyError("a reference has no vector in its entity's gallery")
        counts = used.sum(axis=1)
        newest = slots[np.arange(len(slots)), counts - 1]
        first = len(self.entities)
        self._row_of.update(zip(entities.tolist(), range(first, first + len(entities)), strict=True))
        for column, rows in ((self.entities, entities), (self._slots, slots), (self._counts, counts)):
            column.extend(rows)
        self._proposed.extend(newest)
        self._proposals.reserve(_roomy(first + len(newest)))
        np.take(self.vectors.view(), newest, axis=0, out=self._proposals.room_for(len(newest)), mode="clip")

    def references_of(self, entity: int) -> References:
        """Return the references of a known entity."""
        row = self._row_of[entity]
        slots = self._slots[row][: self._counts[row]]
        return References(tuple(self._observations[slots].tolist()), self.vectors[slots])

    def row_of(self, entity: int) -> int | None:
        """Return the entity's row, or None where it lives in another gallery."""
        return self._row_of.get(entity)

    def holds(self, observation: int) -> bool:
        """Whether an observation has a vector here."""
        return observation < len(self._slot_of) and bool(self._slot_of[observation] != _NO_SLOT)

    def vector_of(self, observation: int) -> NDArray[np.float32]:
        """Return the vector of a known observation; raises KeyError where it has none here."""
        vector: NDArray[np.float32] = self.vectors[self._slot(observation)]
        return vector

    def seen(self) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return all observations with a vector here, rising, and their vectors; for readers beside the writer."""
        observations = self._observations.view()
        vectors: NDArray[np.float32] = self.vectors[: len(observations)]
        return observations[: len(vectors)], vectors

    def _slot(self, observation: int) -> int:
        slot = int(self._slot_of[observation]) if observation < len(self._slot_of) else _NO_SLOT
        if slot == _NO_SLOT:
            raise KeyError(observation)
        return slot

    def _add_entity(self, entity: int, slot: int) -> int:
        row = self.entities.append(entity)
        self._row_of[entity] = row
        self._slots.append(np.full(self.references, _NO_SLOT, np.int32))
        self._counts.append(0)
        self._proposals.append(self.vectors[slot])
        self._proposed.append(slot)
        return row

    def propose(self, queries: NDArray[np.float32], least: float) -> list[NDArray[np.intp]]:
        """Return, for each query (float32, (q, d), unit), the rows whose proposing reference may reach `least`.

        No row that can be a candidate is left out; some that cannot are in.
        """
        found: list[list[NDArray[np.intp]]] = [[] for _ in queries]
        proposals = self._proposals[:]
        for start in range(0, len(proposals), _CHUNK):
            similar = proposals[start : start + _CHUNK] @ queries.T >= least - MARGIN
            rows, columns = np.nonzero(similar)
            by_query = np.argsort(columns, kind="stable")
            cuts = np.searchsorted(columns[by_query], np.arange(1, len(queries)))
            for query, part in enumerate(np.split(rows[by_query] + start, cuts)):
                found[query].append(part)
        return [np.concatenate(parts) if parts else np.empty(0, np.intp) for parts in found]

    def narrow(
        self, query: NDArray[np.float32], rows: NDArray[np.intp], least: float, most: float, anchored: int | None
    ) -> NDArray[np.intp]:
        """Return the rows that may have every reference at `least` and one at `most`, with a margin.

        `anchored` names a row that needs no reference at `most`. One reference after another is compared, so that
        a row which fails is not looked at again.
        """
        best = np.full(len(rows), -np.inf, np.float32)
        for turn in range(self.references):
            slots = self._slots[rows][:, turn]
            similar = np.full(len(rows), np.inf, np.float32)
            used = slots != _NO_SLOT
            if not used.any():
                break
            similar[used] = self.vectors[slots[used]] @ query
            best = np.maximum(best, np.where(used, similar, -np.inf))
            kept = similar >= least - MARGIN
            rows, best = rows[kept], best[kept]
        enough = best >= most - MARGIN
        if anchored is not None:
            enough |= rows == anchored
        return rows[enough]

    @property
    def nbytes(self) -> int:
        """Bytes that the columns take."""
        columns = (self.vectors, self.entities, self._slots, self._counts, self._proposals, self._proposed)
        return sum(column.nbytes for column in columns)


def _roomy(rows: int) -> int:
    return rows + rows // 4


def similarities(query: NDArray[np.float32], references: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the cosines of a unit vector (d,) with references (r, d), each summed in one fixed order in float64."""
    products: NDArray[np.float64] = references.astype(np.float64) * query.astype(np.float64)
    totals: NDArray[np.float64] = products.sum(axis=1)
    return totals

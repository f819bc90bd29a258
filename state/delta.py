"""What one clip adds to the search index, as values that a file can hold: columns grow at their ends alone.

What follows from these (windows and what they tell, biographies, numbers by text) is not in here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgpack
import numpy as np

from biographer.state.column import Column
from biographer.state.postings import Posted, Postings

Columns = dict[str, "Column[Any]"]
Names = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Delta:
    """The rows that were added to each column, the names to each list, and the documents to each lexical index."""

    rows: dict[str, bytes]
    names: dict[str, list[str]]
    posted: dict[str, Posted]

    def packed(self) -> bytes:
        """Return it as bytes."""
        posted = {name: one.packed() for name, one in self.posted.items()}
        packed: bytes = msgpack.packb((self.rows, self.names, posted))
        return packed

    @classmethod
    def unpacked(cls, packed: bytes) -> "Delta":
        """Return what was packed; raises ValueError for other bytes."""
        rows, names, posted = msgpack.unpackb(packed, strict_map_key=False)
        return cls(rows, names, {name: Posted.unpacked(*one) for name, one in posted.items()})


@dataclass(frozen=True, slots=True)
class Mark:
    """How far columns and lists reached."""

    rows: dict[str, int]
    names: dict[str, int]


def mark(columns: Columns, names: Names) -> Mark:
    """Note how far these reach."""
    return Mark({key: len(one) for key, one in columns.items()}, {key: len(one) for key, one in names.items()})


def since(start: Mark, columns: Columns, names: Names, postings: dict[str, Postings]) -> Delta:
    """Return what was added since a mark."""
    return Delta(
        {key: one[start.rows.get(key, 0) :].tobytes() for key, one in columns.items()},
        {key: one[start.names[key] :] for key, one in names.items()},
        {key: one.taken() for key, one in postings.items()},
    )


def refill(deltas: Sequence[Delta], columns: Columns, names: Names, postings: dict[str, Postings]) -> None:
    """Add to new columns, lists and lexical indexes all that these deltas hold, in their order."""
    for key, column in columns.items():
        like = column[:0]
        rows = np.frombuffer(b"".join(delta.rows.get(key, b"") for delta in deltas), like.dtype)
        column.extend(rows.reshape(-1, *like.shape[1:]))
    for key, found in names.items():
        for delta in deltas:
            found.extend(delta.names[key])
    for key, one in postings.items():
        one.refill([delta.posted[key] for delta in deltas])

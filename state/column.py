"""A column: an append-only array that doubles, so that what was read of it stays valid while it grows."""

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)


class Column(Generic[T]):
    """Rows of a fixed dtype and shape, appended at the end.

    `view()` is a slice of the present buffer: appending never writes below its length, and growing makes a new
    buffer, so a view is immutable for as long as nobody calls `set`.
    """

    __slots__ = ("_buffer", "_length")

    def __init__(self, dtype: type[T], shape: tuple[int, ...] = (), room: int = 64) -> None:
        self._buffer: NDArray[T] = np.empty((room, *shape), dtype=dtype)
        self._length = 0

    @classmethod
    def of(cls, rows: NDArray[T]) -> "Column[T]":
        """Return a column of these rows, which it keeps without copying."""
        column = cls(rows.dtype.type, rows.shape[1:], room=0)
        column._buffer, column._length = rows, len(rows)
        return column

    def __len__(self) -> int:
        """Count the rows."""
        return self._length

    def __getitem__(self, rows: Any) -> Any:  # noqa: ANN401 - numpy's own indexing has no narrower type
        """Index the rows as numpy does."""
        # The length first: a reader beside the writer must not pair an old buffer with a later length.
        length = self._length
        return self._buffer[:length][rows]

    def view(self) -> NDArray[T]:
        """Return all rows, read-only, without copying."""
        length = self._length
        rows = self._buffer[:length]
        rows.flags.writeable = False
        return rows

    def reserve(self, rows: int) -> None:
        """Make room for that many rows in all."""
        if rows > len(self._buffer):
            grown = np.empty((max(rows, 2 * len(self._buffer)), *self._buffer.shape[1:]), dtype=self._buffer.dtype)
            grown[: self._length] = self._buffer[: self._length]
            self._buffer = grown

    def append(self, row: Any) -> int:  # noqa: ANN401 - a scalar or an array of the row's shape
        """Add one row; return its number."""
        self.reserve(self._length + 1)
        self._buffer[self._length] = row
        self._length += 1
        return self._length - 1

    def extend(self, rows: Any) -> None:  # noqa: ANN401 - an array or a sequence of rows
        """Add rows at the end."""
        more = np.asarray(rows, dtype=self._buffer.dtype)
        self.reserve(self._length + len(more))
        self._buffer[self._length : self._length + len(more)] = more
        self._length += len(more)

    def room_for(self, rows: int) -> NDArray[T]:
        """Add rows at the end and return them, to be filled before anybody reads them."""
        self.reserve(self._length + rows)
        self._length += rows
        return self._buffer[self._length - rows : self._length]

    def lengthen(self, rows: int, value: Any) -> None:  # noqa: ANN401 - as append
        """Fill with one value up to that many rows in all."""
        if rows > self._length:
            self.room_for(rows - self._length)[:] = value

    def set(self, row: int, value: Any) -> None:  # noqa: ANN401 - as append
        """Replace one row in place; only for columns of which no views are handed out."""
        if not 0 <= row < self._length:
            raise IndexError(f"row {row} of a column of {self._length}")
        self._buffer[row] = value

    def put(self, rows: NDArray[np.integer], values: Any) -> None:  # noqa: ANN401 - as append
        """Replace many rows in place; only for columns of which no views are handed out."""
        self._buffer[: self._length][rows] = values

    @property
    def nbytes(self) -> int:
        """Bytes that the buffer takes."""
        return int(self._buffer.nbytes)

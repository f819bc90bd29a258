"""Rows of a table as Parquet, part by part, and back. In memory: whoever calls reads and writes the files."""

import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from biographer.state.errors import RefusedError
from biographer.state.snapshot_tables import SnapshotTable

if TYPE_CHECKING:
    from arro3.core import DataType, RecordBatchReader

_PART_ROWS = 100_000
_PART_BYTES = 64 * 1024 * 1024
_AT_ONCE = 8192
_REMEDY = "copy or export the snapshot again"

Row = tuple[Any, ...]


def parts(table: SnapshotTable, rows: Iterable[Row]) -> Iterator[tuple[int, bytes]]:
    """Yield (rows, Parquet) of each part of a table; at least one, so that an empty table has its columns too."""
    waiting: list[Row] = []
    size, some = 0, False
    for row in rows:
        waiting.append(row)
        size += sum(len(value) for value in row if isinstance(value, bytes | str))
        if len(waiting) == _PART_ROWS or size > _PART_BYTES:
            yield len(waiting), _written(table, waiting)
            waiting, size, some = [], 0, True
    if waiting or not some:
        yield len(waiting), _written(table, waiting)


def rows_of(table: SnapshotTable, content: bytes, name: str) -> Iterator[Row]:
    """Yield the rows of a part; raises RefusedError, which names the file, for what is no such part."""
    try:
        yield from _read(table, content, name)
    except (ValueError, TypeError, OverflowError) as error:
        raise RefusedError(f"{name} holds what no such table holds ({error}); {_REMEDY}") from error


def refuse_missing_extra() -> None:
    """Raise RefusedError where the extra that reads and writes Parquet is not installed."""
    try:
        import arro3.core  # noqa: PLC0415 - an extra
        import arro3.io  # noqa: F401, PLC0415 - likewise
    except ImportError as error:
        raise RefusedError("snapshots need the extra `snapshot`: pip install 'biographer[snapshot]'") from error


def _written(table: SnapshotTable, rows: list[Row]) -> bytes:
    from arro3.core import Array, Field, RecordBatch, Schema  # noqa: PLC0415 - an extra
    from arro3.io import write_parquet  # noqa: PLC0415 - likewise

    kinds = _kinds()
    schema = Schema([Field(one.name, kinds[one.kind], nullable=one.nullable) for one in table.columns])
    columns = zip(*rows, strict=True) if rows else [()] * len(table.columns)
    arrays = [Array(list(column), kinds[one.kind]) for one, column in zip(table.columns, columns, strict=True)]
    file = io.BytesIO()
    write_parquet(RecordBatch.from_arrays(arrays, schema=schema), file, compression="zstd(3)")
    return file.getvalue()


def _read(table: SnapshotTable, content: bytes, name: str) -> Iterator[Row]:
    batches = _opened(content, name)
    found = tuple(batches.schema.names)
    if found != table.names:
        told = f"expected columns {', '.join(table.names)}, found {', '.join(found)}"
        raise RefusedError(f"{name}: {told}; read it with the program it is of")
    for batch in batches:
        yield from zip(*(batch.column(number).to_pylist() for number in range(len(found))), strict=True)


def _opened(content: bytes, name: str) -> "RecordBatchReader":
    from arro3.io import read_parquet  # noqa: PLC0415 - an extra

    try:
        return read_parquet(content, batch_size=_AT_ONCE)
    except BaseException as error:
        # What the library raises has no class to catch it by: Exception itself, or a panic that is not even that.
        if type(error) is not Exception and type(error).__name__ != "PanicException":
            raise
        raise RefusedError(f"{name} is no Parquet that can be read ({error}); {_REMEDY}") from error


def _kinds() -> dict[str, "DataType"]:
    from arro3.core import DataType  # noqa: PLC0415 - an extra

    return {
        "INTEGER": DataType.int64(),
        "REAL": DataType.float64(),
        "TEXT": DataType.string(),
        "BLOB": DataType.binary(),
    }

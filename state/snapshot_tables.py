"""Which tables of a store make up a memory, with their columns, and the same tables as of a version.

For snapshots that leave the state folder. Where the log stands and which media are kept is not part of a memory: the
first belongs to a broker, the second to a disk. The database says for itself which tables and columns it has.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import apsw

from biographer.state.database import fetch
from biographer.state.errors import FatalError

_NO_MEMORY = ("meta", "position", "media", "media_total")

_TABLES = "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
_COLUMNS = "SELECT name, type, \"notnull\" OR pk FROM pragma_table_info(?, 'main')"

_BEFORE = """
SELECT coalesce((SELECT min(number) FROM clip WHERE known_us > :t OR watermark_us > :t), (SELECT count(*) FROM clip))
"""

_MEDIA = """
SELECT m.sha256, min(m.clip, (SELECT max(number) FROM clip)), m.bytes FROM main.media m
WHERE m.sha256 IN (SELECT media FROM clip UNION SELECT sha256 FROM crop) ORDER BY m.sha256
"""


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column: `kind` is INTEGER, REAL, TEXT or BLOB."""

    name: str
    kind: str
    nullable: bool


@dataclass(frozen=True, slots=True)
class SnapshotTable:
    """A table and its columns, in the order in which its rows are read and written."""

    name: str
    columns: tuple[TableColumn, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(column.name for column in self.columns)

    def rows(self, cursor: apsw.Cursor) -> Iterator[tuple[Any, ...]]:
        """Yield the rows, in order of the first two columns: those that rows are known by, in every table."""
        order = ", ".join(self.names[:2])
        yield from cursor.execute(f"SELECT {', '.join(self.names)} FROM {self.name} ORDER BY {order}")  # noqa: S608 - ours

    def insert(self, cursor: apsw.Cursor, rows: Iterator[tuple[Any, ...]]) -> None:
        """Add rows."""
        marks = ", ".join("?" * len(self.columns))
        cursor.executemany(f"INSERT INTO {self.name} ({', '.join(self.names)}) VALUES ({marks})", rows)  # noqa: S608 - ours


MEDIA = SnapshotTable(
    "media",
    (
        TableColumn("sha256", "TEXT", nullable=False),
        TableColumn("clip", "INTEGER", nullable=False),
        TableColumn("bytes", "INTEGER", nullable=False),
    ),
)
"""Kept files; in a snapshot those that it brings."""


def memory_tables(cursor: apsw.Cursor) -> tuple[SnapshotTable, ...]:
    """Return the tables that make up a memory, by name."""
    names = [name for (name,) in fetch(cursor, _TABLES) if name not in _NO_MEMORY]
    return tuple(SnapshotTable(name, _columns(cursor, name)) for name in names)


def cut_at(cursor: apsw.Cursor, as_of_us: int) -> None:
    """Let this connection see the memory as it stood before the first clip that was not known by then.

    For a log delivered in order that is the log cut at that time. What came late is left out with all that followed:
    numbers count up without a gap, so a memory is only ever its own beginning. Lasts as long as the connection.
    """
    ((clips,),) = fetch(cursor, _BEFORE, {"t": as_of_us})
    tables = memory_tables(cursor)
    # Views of the connection go before the database's tables of the same name, for every query of ours.
    for table in sorted(tables, key=lambda one: _FIRST.get(one.name, len(_FIRST))):
        where = _cut(table, int(clips), int(as_of_us))
        cursor.execute(f"CREATE TEMP VIEW {table.name} AS SELECT * FROM main.{table.name} WHERE {where}")  # noqa: S608 - ours


def media_rows(cursor: apsw.Cursor) -> list[tuple[str, int, int]]:
    """Return (SHA-256, clip, bytes) of the kept files that the memory names."""
    return [(sha256, clip, size) for sha256, clip, size in fetch(cursor, _MEDIA)]


_FIRST = {"clip": 0, "observation": 1, "membership": 2}
"""Views that others look into."""

_RULES = {
    "clip": "number < {clips}",
    "entity": "number IN (SELECT entity FROM membership)",
    "apart": "low_observation IN (SELECT number FROM observation) "
    "AND high_observation IN (SELECT number FROM observation)",
    "episode": "number < {clips}",
}


def _cut(table: SnapshotTable, clips: int, as_of_us: int) -> str:
    found = []
    if table.name in _RULES:
        found.append(_RULES[table.name].format(clips=clips))
    elif "clip" in table.names:
        found.append(f"clip < {clips}")
    elif "observation" in table.names:
        found.append("observation IN (SELECT number FROM observation)")
    if "known_us" in table.names:
        found.append(f"known_us <= {as_of_us}")
    if not found:
        raise FatalError(f"table {table.name!r} does not say since when its rows are known; export without --as-of")
    return " AND ".join(found)


def _columns(cursor: apsw.Cursor, table: str) -> tuple[TableColumn, ...]:
    return tuple(TableColumn(name, kind, not required) for name, kind, required in fetch(cursor, _COLUMNS, (table,)))

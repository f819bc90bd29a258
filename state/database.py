"""One SQLite connection: how it is opened, and what its failures mean to the project's error tree.

apsw carries a SQLite of its own: Python's is commonly within the range whose WAL reset can corrupt (3.7.0-3.51.2).
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import apsw

from biographer.state.digests import fill
from biographer.state.errors import FatalError, RefusedError, TransientError
from biographer.state.schema import SCHEMA_VERSION, SINCE_1, TABLES
from biographer.state.zones import UTC_ZONE, zone_of

_BUSY_MS = 10_000

_SURROUNDINGS = (
    apsw.FullError,
    apsw.ReadOnlyError,
    apsw.IOError,
    apsw.CantOpenError,
    apsw.PermissionsError,
    apsw.BusyError,
    apsw.LockedError,
    apsw.ProtocolError,  # others were faster at the write-ahead log, time and again
)
"""What the disk or others that use it are to blame for; the same call may succeed later."""


_REMEDY_OF: dict[object, str] = {1: "start the daemon once, which brings it up to date"}


class Database:
    """The database of one stream, for one thread at a time."""

    def __init__(self, path: Path, stream: str, *, write: bool, timezone: str = UTC_ZONE) -> None:
        """Open the database; one that is new is of `timezone`, another stays what it was begun with."""
        self.path = path
        if not write and not path.exists():
            raise RefusedError(f"stream {stream!r} is unknown: {path.name} does not exist")
        with meaning(path):
            if not write:
                _roll_back_what_was_cut_off(path)
            flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE if write else apsw.SQLITE_OPEN_READONLY
            self.connection = apsw.Connection(str(path), flags=flags)
            self.connection.set_busy_timeout(_BUSY_MS)
            self._place = _place(path)
            if write:
                self._prepare(stream, timezone)
            self._refuse_other(stream, write=write)

    def refuse_moved(self) -> None:
        """Raise TransientError where the file is not at its path any more: SQLite would write on into nowhere."""
        with meaning(self.path):
            moved = not self.path.exists() or _place(self.path) != self._place
        if moved:
            raise TransientError(
                f"{self.path} is not the file any more that was opened: its folder was moved or deleted; "
                "move it back, or start again to begin anew"
            )

    def close(self) -> None:
        """Close the connection; the write-ahead log is folded in by the last one."""
        self.connection.close()

    @property
    def zone(self) -> ZoneInfo:
        """Where the stream's midnight is, from its first day on: another setting later re-cuts no window."""
        told = self.connection.execute("SELECT value FROM meta WHERE key = 'timezone'").fetchall()
        return zone_of(str(told[0][0]) if told else UTC_ZONE)

    @contextmanager
    def transaction(self) -> Iterator[apsw.Cursor]:
        """Yield a cursor whose writes are durable together when the block ends, or not at all."""
        self.refuse_moved()
        with meaning(self.path):
            cursor = self.connection.cursor()
            cursor.execute("BEGIN IMMEDIATE")
            try:
                yield cursor
                cursor.execute("COMMIT")
            finally:
                if not self.connection.get_autocommit():
                    cursor.execute("ROLLBACK")

    @contextmanager
    def reading(self) -> Iterator[apsw.Cursor]:
        """Yield a cursor that sees one state of the database throughout, and never holds the writer up."""
        with meaning(self.path):
            cursor = self.connection.cursor()
            cursor.execute("BEGIN")
            try:
                yield cursor
            finally:
                cursor.execute("COMMIT")

    def _prepare(self, stream: str, timezone: str) -> None:
        self.connection.execute("PRAGMA journal_mode=WAL")
        self.connection.execute("PRAGMA synchronous=FULL")
        (tables,) = self.connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()[0]
        if tables:
            self._bring_up_to_date()
            return
        with self.transaction() as cursor:
            cursor.execute(TABLES)
            told = [("schema", SCHEMA_VERSION), ("stream", stream), ("timezone", timezone)]
            cursor.executemany("INSERT INTO meta VALUES (?, ?)", told)

    def _bring_up_to_date(self) -> None:
        """Give a store of the version before what it lacks: a digest of every clip, of its rows as they are now."""
        if self.connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").fetchall():
            with self.transaction() as cursor:
                if cursor.execute("SELECT value FROM meta WHERE key = 'schema'").fetchall() == [(1,)]:
                    cursor.execute(SINCE_1)
                    fill(cursor)
                    cursor.execute("UPDATE meta SET value = 2 WHERE key = 'schema'")

    def _refuse_other(self, stream: str, *, write: bool) -> None:
        if not self.connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").fetchall():
            if write:
                raise FatalError(
                    f"{self.path} is a database, but none of Biographer's; move it out of the state folder"
                )
            # The writer has made the file and not yet its tables.
            raise RefusedError(f"stream {stream!r} is only being begun; ask again in a moment")
        known: dict[Any, Any] = dict(self.connection.execute("SELECT key, value FROM meta"))
        if known.get("schema") != SCHEMA_VERSION:
            raise FatalError(
                f"{self.path}: schema version {known.get('schema')} where this program knows {SCHEMA_VERSION}; "
                f"{_REMEDY_OF.get(known.get('schema'), 'use the program that wrote it, or export and import')}"
            )
        if known.get("stream") != stream:
            raise FatalError(f"{self.path} holds stream {known.get('stream')!r}, not {stream!r}; move it back")


def _place(path: Path) -> tuple[int, int]:
    told = path.stat()
    return told.st_dev, told.st_ino


def _roll_back_what_was_cut_off(path: Path) -> None:
    """Undo the beginning of a database whose writer was killed in it, which who only reads may not.

    Only that leaves a rollback journal: from then on there is a write-ahead log, which needs no undoing.
    """
    if path.with_name(f"{path.name}-journal").exists() and os.access(path, os.W_OK):
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        connection.set_busy_timeout(_BUSY_MS)
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        connection.close()


def refuse_damaged(path: Path) -> None:
    """Read the whole file; raise FatalError where pages, indexes or kinds of values are not as SQLite writes them."""
    with meaning(path):
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            told = [str(one) for (one,) in connection.execute("PRAGMA integrity_check(3)")]
        finally:
            connection.close()
    if told != ["ok"]:
        raise FatalError(f"{path} is damaged ({'; '.join(told)}); restore it from a snapshot or feed the log again")


def delete(path: Path) -> None:
    """Delete a database with what SQLite keeps beside it; raises OSError where that cannot be."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def fetch(cursor: apsw.Cursor, query: str, bindings: tuple[object, ...] | dict[str, Any] = ()) -> list[tuple[Any, ...]]:
    """Return all rows of a query of ours; what comes from outside goes into `bindings` only."""
    return cursor.execute(query, bindings).fetchall()


@contextmanager
def meaning(path: Path) -> Iterator[None]:
    """Turn SQLite's and the system's failures within the block into the project's: retry, or stop."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError, apsw.FormatError, UnicodeDecodeError) as error:
        raise FatalError(f"{path} is damaged ({error}); restore it from a snapshot or feed the log again") from error
    except apsw.SQLError as error:
        raise FatalError(f"{path} has other tables than this program ({error}); use the one that wrote it") from error
    except (*_SURROUNDINGS, OSError) as error:
        raise TransientError(f"{path} cannot be written or read now ({error}); free or repair the disk") from error

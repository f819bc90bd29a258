"""Which records were at work when the daemon died, so that one that kills it each time is set aside.

A small database of its own beside the memory: it is about this machine's crashes, not about what was seen.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import apsw

from biographer.state.database import delete
from biographer.state.errors import TransientError

T = TypeVar("T")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS attempt (
  topic TEXT NOT NULL, partition INTEGER NOT NULL, offset INTEGER NOT NULL, sha256 TEXT NOT NULL,
  crashes INTEGER NOT NULL, at_work INTEGER NOT NULL,
  PRIMARY KEY (topic, partition, offset, sha256)
) STRICT, WITHOUT ROWID
"""
_BEGIN = """
INSERT INTO attempt VALUES (?, ?, ?, ?, 0, 1)
ON CONFLICT DO UPDATE SET at_work = 1
"""
_REST = "UPDATE attempt SET at_work = 0 WHERE (topic, partition, offset, sha256) = (?, ?, ?, ?)"
_FORGET = "DELETE FROM attempt WHERE (topic, partition, offset, sha256) = (?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class Origin:
    """One record of one log; the hash tells it from a record that a new broker put at the same offset."""

    topic: str
    partition: int
    offset: int
    sha256: str


class Attempts:
    """Counts, for each record, the crashes that happened while it was at work.

    A record that is only read, queued or held is not at work: it can't have been the cause. The counts outlive the
    process, not the machine's power (no fsync: a power cut is no clip's fault). Safe to call from several threads.
    """

    def __init__(self, path: Path) -> None:
        """Open or make the database; records found at work were so at a crash. Raises TransientError if it can't."""
        self._lock = threading.Lock()
        self._database, self._suspects = _tried(lambda: _opened(path))

    def crashes(self, origin: Origin) -> int:
        """Return at how many crashes this record was at work."""
        with self._lock:
            return self._suspects.get(origin, 0)

    def begin(self, origin: Origin) -> None:
        """Note that work on a record begins. Raises TransientError where that can't be written."""
        self._write(_BEGIN, origin)

    def end(self, origin: Origin) -> None:
        """Note that the work came to an end, whatever the result: the next crash is not this record's."""
        if self.crashes(origin):
            self._write(
                "UPDATE attempt SET at_work = 0 WHERE (topic, partition, offset, sha256) = (?, ?, ?, ?)", origin
            )
        else:
            self._write(_FORGET, origin)

    def settle(self, origin: Origin) -> None:
        """Forget a record that is done for good."""
        with self._lock:
            suspect = self._suspects.pop(origin, 0)
        if suspect:
            self._write(_FORGET, origin)

    def close(self) -> None:
        """Close in peace: nothing is at work any more, so the next start counts no crash."""
        with self._lock:
            try:
                self._database.execute("UPDATE attempt SET at_work = 0")
                self._database.execute("DELETE FROM attempt WHERE crashes = 0")
            except apsw.Error as error:
                raise TransientError(f"attempts not written: {error}; free or unlock the state folder") from error
            finally:
                self._database.close()

    def _write(self, statement: str, origin: Origin) -> None:
        with self._lock:
            key = (origin.topic, origin.partition, origin.offset, origin.sha256)
            _tried(lambda: self._database.execute(statement, key))


def _opened(path: Path) -> tuple[apsw.Connection, dict[Origin, int]]:
    try:
        return _counted(path)
    except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError):
        # A power cut may tear it, as nothing is synced, and its pages are only met when they are read (or hold other
        # tables than ours): the counts are lost then, which costs a few more crashes.
        delete(path)
        return _counted(path)


def _counted(path: Path) -> tuple[apsw.Connection, dict[Origin, int]]:
    """Return the database, and at how many crashes each of its records was at work."""
    database = apsw.Connection(str(path))
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = OFF")
        database.execute(_SCHEMA)
        database.execute("UPDATE attempt SET crashes = crashes + 1, at_work = 0 WHERE at_work = 1")
        rows: list[tuple[Any, ...]] = database.execute(
            "SELECT topic, partition, offset, sha256, crashes FROM attempt"
        ).fetchall()
    except apsw.Error:
        database.close()
        raise
    return database, {Origin(str(a), int(b), int(c), str(d)): int(e) for a, b, c, d, e in rows}


def _tried(call: Callable[[], T]) -> T:
    try:
        return call()
    except apsw.Error as error:
        raise TransientError(f"attempts not written: {error}; free or unlock the state folder") from error

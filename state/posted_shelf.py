"""What the search index made of remarks' words, piece by piece, in the file beside the store: as `shelf`, for remarks.

Only their terms are kept: taking words apart is what takes long. All else is read from the remarks themselves. Each row
names the store's digest of its piece, and has a check of its own; the first that does not agree ends what is believed.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import apsw
import msgpack

from biographer.state.database import Database, fetch
from biographer.state.errors import BiographerError
from biographer.state.postings import Posted
from biographer.state.shelf import sum_of

_TABLES = """
CREATE TABLE IF NOT EXISTS posted_made (fingerprint TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS posted (piece INTEGER PRIMARY KEY, digest BLOB, packed BLOB, sum BLOB);
"""
_BATCH = 64
_FORMAT = 1

Terms = Mapping[str, Posted]
"""By kind of unit, what one piece added to its lexical index."""


class PostedShelf:
    """One stream's. One thread at a time; a disk that refuses ends it quietly."""

    def __init__(self, path: Path, store: Path, stream: str, fingerprint: str) -> None:
        self._path, self._store, self._stream = path, store, stream
        self._fingerprint = f"{_FORMAT} {fingerprint}"
        self._waiting: list[tuple[int, bytes]] = []
        self._usable = True

    def read(self) -> tuple[int, list[Terms]]:
        """Return the last piece, by number, up to which all is vouched for (-1: none), and the terms of all so far."""
        try:
            kept = self._kept()
            digests = self._digests(-1)
        except (apsw.Error, OSError, ValueError, TypeError, BiographerError):
            return -1, []
        last, found = -1, list[Terms]()
        for (piece, digest), row in zip(digests, kept, strict=False):
            if row[:2] != (piece, digest) or row[3] != sum_of(piece, row[2]):
                break
            last = piece
            found.append(_unpacked(row[2]))
        return last, found

    def put(self, piece: int, terms: Terms) -> None:
        """Keep what a piece added."""
        if self._usable:
            packed = msgpack.packb({kind: one.packed() for kind, one in terms.items() if one.lengths})
            self._waiting.append((piece, packed))
            if len(self._waiting) >= _BATCH:
                self.flush()

    def flush(self) -> None:
        """Write what waits."""
        waiting, self._waiting = self._waiting, []
        if not waiting or not self._usable:
            return
        try:
            digests = dict(self._digests(waiting[0][0] - 1))
            self._write((piece, digests.get(piece), packed, sum_of(piece, packed)) for piece, packed in waiting)
        except (apsw.Error, BiographerError):
            self._usable = False

    def _write(self, rows: Iterable[tuple[object, ...]]) -> None:
        file = apsw.Connection(str(self._path))
        try:
            file.execute("PRAGMA synchronous = OFF")
            file.execute(_TABLES)
            with file:
                if file.execute("SELECT fingerprint FROM posted_made").fetchall() != [(self._fingerprint,)]:
                    file.execute("DELETE FROM posted_made; DELETE FROM posted")
                    file.execute("INSERT INTO posted_made VALUES (?)", (self._fingerprint,))
                file.executemany("INSERT OR REPLACE INTO posted VALUES (?, ?, ?, ?)", rows)
        finally:
            file.close()

    def _kept(self) -> list[tuple[int, bytes, bytes, bytes]]:
        if not self._path.exists():
            return []
        file = apsw.Connection(str(self._path))
        try:
            if file.execute("SELECT fingerprint FROM posted_made").fetchall() != [(self._fingerprint,)]:
                return []
            rows = fetch(file.cursor(), "SELECT piece, digest, packed, sum FROM posted ORDER BY piece")
        finally:
            file.close()
        return [(row[0], row[1], row[2], row[3]) for row in rows]

    def _digests(self, after: int) -> list[tuple[int, bytes]]:
        database = Database(self._store, self._stream, write=False)
        try:
            with database.reading() as cursor:
                rows = fetch(cursor, "SELECT number, digest FROM piece WHERE number > ? ORDER BY number", (after,))
        finally:
            database.close()
        return [(row[0], row[1]) for row in rows]


def _unpacked(packed: bytes) -> Terms:
    return {kind: Posted.unpacked(*one) for kind, one in msgpack.unpackb(packed).items()}

"""What the search index learned, clip by clip, in a file beside the store: a restart reads it instead of learning anew.

Derived, so never believed: each row names the store's digest of its clip, which vouches for all records up to there,
and how often the stream rested before; and has a check of its own. Of another way to make terms, of other records or
damaged, the file is made anew. It is not synced: what a power cut takes is learned again. Forgetting deletes it whole.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path

import apsw
import msgpack

from biographer.state.database import Database, delete, fetch, meaning
from biographer.state.delta import Delta
from biographer.state.errors import BiographerError
from biographer.state.piece import ENDED
from biographer.state.texts import Vectors, vectors_of

_TABLES = """
CREATE TABLE IF NOT EXISTS made (fingerprint TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS delta (clip INTEGER PRIMARY KEY, digest BLOB, packed BLOB, sum BLOB);
"""

_RESTS = "SELECT place FROM piece WHERE writing = ? ORDER BY place"

_BATCH = 32
"""So many clips are written at once; a crash loses them, and they are learned again."""

_FORMAT = 5


class Shelf:
    """One stream's. One thread at a time; a disk that refuses ends it quietly, as the index does without."""

    def __init__(self, path: Path, store: Path, stream: str, fingerprint: str) -> None:
        self._path, self._store, self._stream = path, store, stream
        self._fingerprint = f"{_FORMAT} {fingerprint}"
        self._waiting: list[tuple[int, bytes]] = []
        self._usable = True

    def read(self) -> tuple[list[Delta], list[Vectors]]:
        """Return what was learned of the first clips, as far as the store vouches for it; and their texts' vectors."""
        try:
            deltas = list(self._vouched())
        except (apsw.Error, OSError, ValueError, TypeError):
            deltas = []
        if not deltas:
            self.clear()
            return [], []
        return deltas, self._vectors(len(deltas))

    def _vectors(self, clips: int) -> list[Vectors]:
        database = Database(self._store, self._stream, write=False)
        try:
            with meaning(self._store):
                query = "SELECT embedder, texts, codes, scales FROM words WHERE clip < ? ORDER BY clip"
                rows = fetch(database.connection.cursor(), query, (clips,))
        finally:
            database.close()
        return [vectors_of(*row) for row in rows]

    def put(self, clip: int, delta: Delta) -> None:
        """Keep what a clip added."""
        if self._usable:
            self._waiting.append((clip, delta.packed()))
            if len(self._waiting) >= _BATCH:
                self.flush()

    def flush(self) -> None:
        """Write what waits."""
        waiting, self._waiting = self._waiting, []
        if waiting and self._usable:
            try:
                digests = self._digests(waiting[0][0])
            except BiographerError:
                self._usable = False
                return
            rows = [(clip, digests.get(clip), packed, sum_of(clip, packed)) for clip, packed in waiting]
            self._tried(lambda file: file.executemany("INSERT OR REPLACE INTO delta VALUES (?, ?, ?, ?)", rows))

    def clear(self) -> None:
        """Begin anew."""
        self._waiting = []
        try:
            delete(self._path)
        except OSError:
            self._usable = False

    def _vouched(self) -> Iterator[Delta]:
        if not self._path.exists():
            return
        digests = self._digests(0)
        file = apsw.Connection(str(self._path))
        try:
            if file.execute("SELECT fingerprint FROM made").fetchall() != [(self._fingerprint,)]:
                return
            last = max(
                (
                    clip
                    for clip, digest in file.execute("SELECT clip, digest FROM delta")
                    if digest == digests.get(clip, b"")
                ),
                default=-1,
            )
            rows = file.execute("SELECT clip, packed, sum FROM delta WHERE clip <= ? ORDER BY clip", (last,))
            for number, (clip, packed, told) in enumerate(rows):
                if clip != number or told != sum_of(clip, packed):
                    raise ValueError(f"clip {number} is damaged")
                yield Delta.unpacked(packed)
        finally:
            file.close()

    def _digests(self, first: int) -> dict[int, bytes]:
        database = Database(self._store, self._stream, write=False)
        try:
            with meaning(self._store):
                cursor = database.connection.cursor()
                digests = fetch(cursor, "SELECT clip, digest FROM digest WHERE clip >= ? ORDER BY clip", (first,))
                rests = [clip for (clip,) in fetch(cursor, _RESTS, (ENDED,))]
        finally:
            database.close()
        return {clip: sum_of(bisect_left(rests, clip), digest) for clip, digest in digests}

    def _tried(self, write: Callable[[apsw.Connection], object]) -> None:
        try:
            file = apsw.Connection(str(self._path))
            try:
                file.execute("PRAGMA synchronous = OFF")
                file.execute(_TABLES)
                with file:
                    file.execute("INSERT OR IGNORE INTO made VALUES (?)", (self._fingerprint,))
                    write(file)
            finally:
                file.close()
        except apsw.Error:
            self._usable = False


def sum_of(number: int, packed: bytes) -> bytes:
    """Return the check (16 bytes) of a row, of a clip or piece by its number."""
    return blake2b(msgpack.packb(number) + packed, digest_size=16).digest()

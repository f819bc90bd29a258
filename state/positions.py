"""Where partitions stand in which no stream does: those that so far held only what went to the dead letters.

Written durably before the group is told, so that a restart does not set the same records aside again. A crash between
a dead letter and its position may repeat that one: dead letters come at least once.
"""

from pathlib import Path
from threading import Lock

import apsw

from biographer.state.database import delete, meaning
from biographer.state.errors import FatalError
from biographer.state.position import Position

_TABLES = """
CREATE TABLE IF NOT EXISTS position (
  topic TEXT NOT NULL, partition INTEGER NOT NULL, cluster TEXT NOT NULL, topic_id TEXT NOT NULL,
  next_offset INTEGER NOT NULL, tail TEXT NOT NULL, PRIMARY KEY (topic, partition)) STRICT, WITHOUT ROWID;
"""


class Positions:
    """A small database beside the streams. Safe to call from several threads.

    Raises TransientError where the disk refuses. One that is damaged is begun anew: that costs dead letters again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._turn = Lock()
        try:
            self._database = _opened(path)
        except FatalError:
            delete(path)
            self._database = _opened(path)

    def all(self) -> tuple[Position, ...]:
        """Return the positions: each is a claim that all before it is in the dead letters, or known."""
        with self._turn, meaning(self._path):
            query = "SELECT cluster, topic, topic_id, partition, next_offset, tail FROM position"
            return tuple(Position(*row) for row in self._database.execute(query).fetchall())  # type: ignore[arg-type]  # STRICT

    def advance(self, position: Position) -> None:
        """Make durable where a partition stands."""
        row = (position.topic, position.partition, position.cluster, position.topic_id, position.next_offset)
        with self._turn, meaning(self._path):
            self._database.execute("INSERT OR REPLACE INTO position VALUES (?, ?, ?, ?, ?, ?)", (*row, position.tail))

    def close(self) -> None:
        """Close the database."""
        with self._turn:
            self._database.close()


def _opened(path: Path) -> apsw.Connection:
    with meaning(path):
        database = apsw.Connection(str(path))
        try:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")
            database.execute(_TABLES)
            database.execute("SELECT cluster, topic_id, next_offset, tail FROM position").fetchall()
        except apsw.Error:
            database.close()
            raise
        return database

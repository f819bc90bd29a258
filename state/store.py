"""The store of one stream: changes and positions into its database, one transaction each, and records out of it.

Nothing is decided here, and nothing is kept in memory.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from biographer.state.amendment import Amended
from biographer.state.change import Change
from biographer.state.database import Database, meaning
from biographer.state.digests import digest_of, last_digest
from biographer.state.position import Position
from biographer.state.remark_rows import piece_rows
from biographer.state.rows import Row, membership_rows, rows_of
from biographer.state.ruling import Ruled
from biographer.state.ruling_rows import ruling_rows
from biographer.state.trail import Trail
from biographer.state.zones import UTC_ZONE

_PLACE = """
INSERT INTO position VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (topic, partition) DO UPDATE SET
  cluster = excluded.cluster, topic_id = excluded.topic_id, next_offset = excluded.next_offset,
  tail = iif(excluded.tail = '' AND next_offset = excluded.next_offset, tail, excluded.tail),
  through = max(excluded.through, iif(topic_id = excluded.topic_id AND cluster = excluded.cluster, through, 0))
"""
_KEEP = "INSERT INTO media VALUES (?, ?, ?) ON CONFLICT (sha256) DO UPDATE SET clip = excluded.clip"


class Store:
    """One stream's records on disk. Use from one thread at a time."""

    def __init__(self, path: Path, stream: str, *, write: bool = True, timezone: str = UTC_ZONE) -> None:
        self.database = Database(path, stream, write=write, timezone=timezone)

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    def commit(
        self, changes: Sequence[Change], position: Position | None, media: Mapping[str, int] | None = None
    ) -> None:
        """Write changes, in order, and the position after them, in one durable transaction.

        `media` maps the SHA-256 of files that the last change keeps to their sizes. Raises TransientError where the
        disk refuses; then nothing was written.
        """
        with self.database.transaction() as cursor:
            for change in changes:
                tables = dict(rows_of(change))
                for table, rows in tables.items():
                    _insert(cursor, table, rows)
                digest = digest_of(last_digest(cursor, change.clip_number), tables)
                _insert(cursor, "digest", [(change.clip_number, digest)])
                # What users say is no part of what the clip itself made.
                _insert(cursor, "membership", membership_rows(change.ruled))
            if media:
                clip = changes[-1].clip_number
                cursor.executemany(_KEEP, [(sha, clip, size) for sha, size in sorted(media.items())])
            if position is not None:
                _place(cursor, position)

    def amend(self, amended: Amended) -> None:
        """Write what an amendment adds, in one durable transaction. Raises as `commit`."""
        with self.database.transaction() as cursor:
            for piece in amended.pieces:
                for table, rows in piece_rows(piece, amended.version).items():
                    _insert(cursor, table, rows)

    def obey(self, ruled: Ruled) -> None:
        """Write what a ruling changes, in one durable transaction. Raises as `commit`."""
        with self.database.transaction() as cursor:
            for table, rows in ruling_rows(ruled).items():
                _insert(cursor, table, rows)

    def advance(self, position: Position) -> None:
        """Write a position without a change: what lies before it was known already or is in the dead letters."""
        with self.database.transaction() as cursor:
            _place(cursor, position)

    def positions(self) -> tuple[Position, ...]:
        """Return where in each partition's log this stream stands."""
        rows = self.select("SELECT cluster, topic, topic_id, partition, next_offset, tail, through FROM position")
        return tuple(Position(*row) for row in rows)

    def trail(self, observation: int) -> Trail:
        """Return the trail of a known observation; raises KeyError for another."""
        arrays: list[tuple[Any, ...]] = list(
            self.select(
                "SELECT counts, times_us, boxes, o.number - (SELECT min(number) FROM observation WHERE clip = o.clip) "
                "FROM observation o JOIN trail USING (clip) WHERE o.number = ?",
                (observation,),
            )
        )
        if not arrays:
            raise KeyError(observation)
        return _unpack_trail(*arrays[0])

    def oldest_media(self, above_bytes: int) -> list[str]:
        """Return the SHA-256 of files to drop, those of the oldest clips first, until at most that many bytes stay."""
        ((total,),) = self.select("SELECT bytes FROM media_total")
        dropped: list[str] = []
        for sha256, size in self.select("SELECT sha256, bytes FROM media ORDER BY clip, sha256"):
            if total <= above_bytes:
                break
            dropped.append(sha256)
            total -= size
        return dropped

    def forget_media(self, sha256s: Sequence[str]) -> None:
        """Strike files that are no longer kept."""
        with self.database.transaction() as cursor:
            cursor.executemany("DELETE FROM media WHERE sha256 = ?", [(sha,) for sha in sha256s])

    def select(self, query: str, bindings: tuple[object, ...] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query of ours; what comes from outside goes into `bindings` only."""
        with meaning(self.database.path):
            yield from self.database.connection.execute(query, bindings)

    def fetch(self, query: str, bindings: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query of ours at once: the quickest way to many small ones."""
        with meaning(self.database.path):
            return self.database.connection.execute(query, bindings).fetchall()


def _unpack_trail(counts: bytes, times_us: bytes, boxes: bytes, place: int) -> Trail:
    """Return the trail at one place among a clip's: a clip may hold thousands, and each of them may be asked for."""
    ends = np.cumsum(np.frombuffer(counts, "<i4"))
    own = slice(int(ends[place - 1]) if place else 0, int(ends[place]))
    return Trail(np.frombuffer(times_us, "<i8")[own], np.frombuffer(boxes, "<f4").reshape(-1, 4)[own])


def unpack_trails(counts: bytes, times_us: bytes, boxes: bytes) -> list[Trail]:
    """Return the trails of one clip's observations, in order of their numbers."""
    cuts = np.cumsum(np.frombuffer(counts, "<i4"))[:-1]
    times = np.split(np.frombuffer(times_us, "<i8"), cuts)
    places = np.split(np.frombuffer(boxes, "<f4").reshape(-1, 4), cuts)
    return [Trail(one, place) for one, place in zip(times, places, strict=True)]


def _insert(cursor: apsw.Cursor, table: str, rows: Sequence[Row], how: str = "") -> None:
    if rows:
        marks = ", ".join("?" * len(rows[0]))
        cursor.executemany(f"INSERT {how} INTO {table} VALUES ({marks})", rows)  # noqa: S608 - our own table names


def _place(cursor: apsw.Cursor, position: Position) -> None:
    row = (position.topic, position.partition, position.cluster, position.topic_id, position.next_offset, position.tail)
    cursor.execute(_PLACE, (*row, position.through))

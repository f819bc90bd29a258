"""A digest of every clip's records, written with them: what damage to rows that are stored once is known by.

Each covers the one before it, so the last one vouches for all clips so far. A record's later versions are not covered.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import apsw
import msgpack

_OF_CLIP = "SELECT clip, * FROM {} ORDER BY clip, {}"
_OF_OBSERVATION = "SELECT o.clip, t.* FROM {} t JOIN observation o ON o.number = t.{} {} ORDER BY {}"

_ROWS: dict[str, str] = {
    "clip": "SELECT number, * FROM clip ORDER BY number",
    "line": _OF_CLIP.format("line", "n"),
    "observation": _OF_CLIP.format("observation", "number"),
    "entity": (
        "SELECT o.clip, e.* FROM entity e JOIN membership m ON m.entity = e.number AND m.version = 0 "
        "AND m.cause = 'new' JOIN observation o ON o.number = m.observation ORDER BY e.number"
    ),
    "membership": _OF_OBSERVATION.format("membership", "observation", "WHERE t.version = 0", "t.observation"),
    "apart": _OF_OBSERVATION.format("apart", "low_observation", "", "t.low, t.high"),
    "episode": "SELECT number, * FROM episode WHERE version = 0 ORDER BY number",
    "crop": _OF_OBSERVATION.format("crop", "observation", "", "t.observation, t.n"),
    "vector": _OF_CLIP.format("vector", "embedder"),
    "words": "SELECT clip, * FROM words ORDER BY clip",
    "trail": "SELECT clip, * FROM trail ORDER BY clip",
}
"""By table, in the order of digesting: the clip to which each row belongs, and the row."""

NOTHING = b""
"""What comes before the first clip."""


def digest_of(before: bytes, tables: Mapping[str, Sequence[tuple[object, ...]]]) -> bytes:
    """Return the digest (16 bytes) of one clip's rows, by table, behind the digest of the clip before it."""
    digest = _hasher()
    for table in _ROWS:
        for row in tables.get(table, ()):
            _take(digest, table, row)
    return _behind(before, digest)


def last_digest(cursor: apsw.Cursor, clip: int) -> bytes:
    """Return the digest of the clip before this one; empty for the first."""
    found: list[tuple[Any, ...]] = cursor.execute("SELECT digest FROM digest WHERE clip = ?", (clip - 1,)).fetchall()
    return bytes(found[0][0]) if found else NOTHING


def damaged_clips(cursor: apsw.Cursor) -> Iterator[int]:
    """Yield, by number, the clips whose rows are not those that were written, or whose digest is missing."""
    rows: list[tuple[Any, ...]] = cursor.execute("SELECT clip, digest FROM digest").fetchall()
    stored: dict[int, bytes] = dict(rows)
    found = _of_rows(cursor)
    for clip in sorted(stored.keys() | found.keys()):
        if clip not in found or stored.get(clip) != _behind(stored.get(clip - 1, NOTHING), found[clip]):
            yield clip


def fill(cursor: apsw.Cursor) -> None:
    """Write the digests of a store that has none yet, of the rows as they are."""
    before = NOTHING
    for clip, digest in sorted(_of_rows(cursor).items()):
        before = _behind(before, digest)
        cursor.execute("INSERT INTO digest VALUES (?, ?)", (clip, before))


def _of_rows(cursor: apsw.Cursor) -> dict[int, blake2b]:
    digests: dict[int, blake2b] = defaultdict(_hasher)
    for table, query in _ROWS.items():
        for clip, *row in cursor.execute(query):
            _take(digests[int(clip)], table, row)
    return digests


def _hasher() -> blake2b:
    return blake2b(digest_size=16)


def _take(digest: blake2b, table: str, row: Sequence[object]) -> None:
    digest.update(msgpack.packb((table, *row)))


def _behind(before: bytes, digest: blake2b) -> bytes:
    return blake2b(before + digest.digest(), digest_size=16).digest()

"""The state hash: equal for equal memories, whatever crashes, redeliveries and restarts came between.

It covers the records, in order of their numbers; not wall-clock times, log offsets, media files or database pages.
What models wrote about them has a hash of its own, so that the first is the same whatever they said, and when.
"""

from hashlib import blake2b

import apsw
import msgpack

from biographer.state.store import Store

_TABLES = (
    # Not the version that a clip made: amendments that came between count in it, and when they came is a model's mood.
    (
        "SELECT number, name, start_us, end_us, known_us, watermark_us, late, number + 1, media, media_type, extra "
        "FROM clip ORDER BY number"
    ),
    "SELECT * FROM line ORDER BY clip, n",
    "SELECT * FROM observation ORDER BY number",
    "SELECT * FROM entity ORDER BY number",
    "SELECT * FROM membership ORDER BY observation, version",
    "SELECT * FROM apart ORDER BY low, high",
    "SELECT * FROM episode ORDER BY number, version",
    "SELECT * FROM crop ORDER BY observation, n",
    "SELECT * FROM vector ORDER BY clip, embedder",
    "SELECT * FROM trail ORDER BY clip",
    "SELECT * FROM words ORDER BY clip",
)

_RULINGS = "SELECT number, act, who, known_us, body FROM ruling ORDER BY number"

_REMARKS = (
    "SELECT writing, scale, place, version, known_us, clip FROM piece ORDER BY 1, 2, 3, 4",
    (
        "SELECT r.kind, r.n, r.observation, r.body FROM remark r JOIN piece p ON p.number = r.piece "
        "ORDER BY p.writing, p.scale, p.place, p.version, r.n"
    ),
    (
        "SELECT w.embedder, w.texts, w.codes, w.scales FROM remark_words w JOIN piece p ON p.number = w.piece "
        "ORDER BY p.writing, p.scale, p.place, p.version"
    ),
)
"""In order of what they are about: the order in which they were written is no part of what was."""


def state_hash(store: Store) -> str:
    """Return the hash (hex) of one stream's records, read in one consistent transaction."""
    with store.database.reading() as cursor:
        return records_hash(cursor)


def words_hash(store: Store) -> str:
    """Return the hash (hex) of what was written about one stream's records, in one consistent transaction."""
    with store.database.reading() as cursor:
        return remarks_hash(cursor)


def records_hash(cursor: apsw.Cursor) -> str:
    """Return the hash (hex) of the records that a cursor sees; where nobody ruled, rulings are no part of it."""
    ruled = cursor.execute("SELECT count(*) FROM ruling").fetchall()[0][0]
    return _hash(cursor, (*_TABLES, _RULINGS) if ruled else _TABLES)


def remarks_hash(cursor: apsw.Cursor) -> str:
    """Return the hash (hex) of what was written about the records that a cursor sees."""
    return _hash(cursor, _REMARKS)


def _hash(cursor: apsw.Cursor, tables: tuple[str, ...]) -> str:
    digest = blake2b(digest_size=32)
    packer = msgpack.Packer()
    for number, query in enumerate(tables):
        digest.update(packer.pack(number))
        for row in cursor.execute(query):
            digest.update(packer.pack(row))
    return digest.hexdigest()

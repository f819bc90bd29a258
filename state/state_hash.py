"""The state hash: equal for equal memories, whatever crashes, redeliveries and restarts came between.

It covers the records, in order of their numbers; not wall-clock times, log offsets, media files or database pages.
"""

from hashlib import blake2b

import apsw
import msgpack

from biographer.state.store import Store

_TABLES = (
    "SELECT * FROM clip ORDER BY number",
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


def state_hash(store: Store) -> str:
    """Return the hash (hex) of one stream's records, read in one consistent transaction."""
    with store.database.reading() as cursor:
        return records_hash(cursor)


def records_hash(cursor: apsw.Cursor) -> str:
    """Return the hash (hex) of the records that a cursor sees."""
    digest = blake2b(digest_size=32)
    packer = msgpack.Packer()
    for number, query in enumerate(_TABLES):
        digest.update(packer.pack(number))
        for row in cursor.execute(query):
            digest.update(packer.pack(row))
    return digest.hexdigest()

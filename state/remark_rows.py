"""Amendments to table rows and back: what of a piece goes into which table, and the digest that damage is known by."""

from collections.abc import Iterator
from hashlib import blake2b

import apsw
import msgpack

from biographer.state.amendment import FiledPiece, FiledRemark
from biographer.state.database import fetch
from biographer.state.piece import Piece
from biographer.state.remark import body_of, kind_of, remark_of
from biographer.state.rows import Row
from biographer.state.texts import Vectors, vectors_of

_PIECES = "SELECT number, writing, scale, place, version, known_us, clip FROM piece"
_MADE = "SELECT made, number, writing, scale, place, version, known_us, clip FROM piece"
_VECTORS = "SELECT piece, embedder, texts, codes, scales FROM remark_words"


def piece_rows(one: FiledPiece, made: int) -> dict[str, list[Row]]:
    """Return the rows of a piece by table; `made` is the version of the memory that it makes."""
    known = (one.known_us, one.clip)
    remarks: list[Row] = [
        (one.number, n, kind_of(filed.remark), *known, filed.observation, body_of(filed.remark))
        for n, filed in enumerate(one.remarks)
    ]
    words = _words(one)
    piece = (one.number, *key_of(one.piece), *known)
    return {"piece": [(*piece, made, _digest([piece, *remarks, *words]))], "remark": remarks, "remark_words": words}


def key_of(piece: Piece) -> tuple[str, str, int, int]:
    """Return what a piece is known by, as columns."""
    return piece.writing, piece.scale, piece.place, piece.version


def damaged_pieces(cursor: apsw.Cursor) -> Iterator[int]:
    """Yield, by number, the pieces whose rows are not those that were written."""
    found: dict[int, list[Row]] = {row[0]: [row] for row in fetch(cursor, f"{_PIECES} ORDER BY number")}
    for query in ("SELECT * FROM remark ORDER BY piece, n", "SELECT * FROM remark_words ORDER BY piece"):
        for row in cursor.execute(query):
            found.setdefault(row[0], []).append(row)
    stored: dict[int, bytes] = dict(fetch(cursor, "SELECT number, digest FROM piece"))
    yield from (number for number in sorted(found) if stored.get(number) != _digest(found[number]))


def filed_pieces(cursor: apsw.Cursor, after: int, before_clip: int) -> Iterator[tuple[int, FiledPiece]]:
    """Yield (version made, piece) for pieces behind a number that were added before a clip, by number, was applied."""
    until = "(SELECT coalesce(min(version), 9223372036854775807) FROM clip WHERE number >= ?)"
    pieces = fetch(cursor, f"{_MADE} WHERE number > ? AND made < {until} ORDER BY number", (after, before_clip))
    if not pieces:
        return
    bounds = (after, pieces[-1][1])
    remarks: dict[int, list[FiledRemark]] = {}
    query = "SELECT piece, kind, body, observation FROM remark WHERE piece > ? AND piece <= ? ORDER BY piece, n"
    for piece, kind, body, observation in fetch(cursor, query, bounds):
        remarks.setdefault(piece, []).append(FiledRemark(remark_of(kind, body), observation))
    rows = fetch(cursor, f"{_VECTORS} WHERE piece > ? AND piece <= ?", bounds)
    vectors = {piece: vectors_of(*row) for piece, *row in rows}
    for made, number, *key, known_us, clip in pieces:
        own = tuple(remarks.get(number, ()))
        yield made, FiledPiece(number, Piece(*key), known_us, clip, own, vectors.get(number, Vectors()))


def _words(one: FiledPiece) -> list[Row]:
    vectors = one.vectors
    if not vectors.texts:
        return []
    arrays = (vectors.codes.tobytes(), vectors.scales.astype("<f4").tobytes())
    return [(one.number, one.known_us, one.clip, vectors.embedder, msgpack.packb(vectors.texts), *arrays)]


def _digest(rows: list[Row]) -> bytes:
    digest = blake2b(digest_size=16)
    for row in rows:
        digest.update(msgpack.packb(row))
    return digest.digest()

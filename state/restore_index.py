"""What the search index has to learn again after a start, read from the store clip by clip."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import apsw

from biographer.state.amendment import FiledPiece
from biographer.state.database import Database, fetch
from biographer.state.episode import LOCAL
from biographer.state.learned import Learned, Seen
from biographer.state.line import Line, LineKind
from biographer.state.membership import Membership
from biographer.state.piece import ENDED
from biographer.state.remark_rows import filed_pieces
from biographer.state.ruling import Ruling
from biographer.state.ruling_rows import moves, rulings
from biographer.state.texts import Vectors, vectors_of

_SEEN = """
SELECT o.clip, o.label, o.text, o.start_us, o.end_us, coalesce(m.entity, -1), o.track FROM observation o
LEFT JOIN membership m ON m.observation = o.number AND m.version = 0
WHERE o.clip >= ? ORDER BY o.number
"""


_CLIPS = """
SELECT c.number, c.name, c.start_us, c.end_us, c.known_us, c.watermark_us, e.text, c.version,
  EXISTS (SELECT 1 FROM piece WHERE writing = :ended AND scale = :local AND place = c.number - 1)
FROM clip c JOIN episode e ON e.number = c.number AND e.version = 0 WHERE c.number >= :first ORDER BY c.number
"""

_APARTS = """
SELECT o.clip, a.low_observation, a.high_observation FROM apart a JOIN observation o ON o.number = a.low_observation
WHERE o.clip >= ? ORDER BY 2, 3
"""


def learned_clips(path: Path, stream: str, first: int = 0) -> Iterator[Learned]:
    """Yield every clip from the first on in order of its number, as it was learned when it was applied.

    Read through a connection of its own and in one transaction: the writer goes on, and what it commits meanwhile is
    either seen whole or not at all.
    """
    database = Database(path, stream, write=False)
    try:
        with database.reading() as cursor:
            yield from _learned(cursor, first)
    finally:
        database.close()


def learned_pieces(path: Path, stream: str, after: int, before_clip: int) -> Iterator[tuple[int, FiledPiece]]:
    """Yield (version made, piece) for pieces behind a number that were added before a clip, by number, was applied.

    Read as `learned_clips`.
    """
    database = Database(path, stream, write=False)
    try:
        with database.reading() as cursor:
            yield from filed_pieces(cursor, after, before_clip)
    finally:
        database.close()


def learned_rulings(path: Path, stream: str) -> tuple[int, Sequence[Ruling], Sequence[Membership]]:
    """Return the version that the last ruling made, all rulings, and all memberships of higher versions."""
    database = Database(path, stream, write=False)
    try:
        with database.reading() as cursor:
            ((made,),) = fetch(cursor, "SELECT coalesce(max(made), 0) FROM ruling")
            return made, rulings(cursor).rulings, moves(cursor)
    finally:
        database.close()


def _learned(cursor: apsw.Cursor, first: int) -> Iterator[Learned]:
    lines, seen, vectors = _lines(cursor, first), _seen(cursor, first), _vectors(cursor, first)
    aparts = _aparts(cursor, first)
    clips = fetch(cursor, _CLIPS, {"ended": ENDED, "local": LOCAL, "first": first})
    for number, name, start_us, end_us, known_us, watermark_us, text, version, rested in clips:
        times = (start_us, end_us, known_us, watermark_us)
        known = vectors.get(number, Vectors())
        made = (lines[number], seen[number], known, version)
        yield Learned(name, *times, text, *made, aparts=aparts[number], rested=bool(rested))


def _lines(cursor: apsw.Cursor, first: int) -> dict[int, list[Line]]:
    found: dict[int, list[Line]] = defaultdict(list)
    for clip, start_us, end_us, kind, text, speaker in fetch(
        cursor,
        "SELECT clip, start_us, end_us, kind, text, speaker FROM line WHERE clip >= ? ORDER BY clip, n",
        (first,),
    ):
        found[clip].append(Line(start_us, end_us, LineKind(kind), text, speaker))
    return found


def _seen(cursor: apsw.Cursor, first: int) -> dict[int, list[Seen]]:
    found: dict[int, list[Seen]] = defaultdict(list)
    for clip, *one in fetch(cursor, _SEEN, (first,)):
        found[clip].append(Seen(*one))
    return found


def _aparts(cursor: apsw.Cursor, first: int) -> dict[int, list[tuple[int, int]]]:
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for clip, low, high in fetch(cursor, _APARTS, (first,)):
        found[clip].append((low, high))
    return found


def _vectors(cursor: apsw.Cursor, first: int) -> dict[int, Vectors]:
    query = "SELECT clip, embedder, texts, codes, scales FROM words WHERE clip >= ?"
    return {clip: vectors_of(*row) for clip, *row in fetch(cursor, query, (first,))}

"""Whether a store's records agree with each other, table by table: what no memory that is rebuilt from them can tell.

Only the store is read here; galleries and graph are compared with it in verify.py.
"""

from collections.abc import Iterator

import numpy as np

from biographer.state.digests import damaged_clips
from biographer.state.remark_rows import damaged_pieces
from biographer.state.store import Store, unpack_trails

_NONE_OF: dict[str, str] = {
    "clips whose version does not rise": (
        "SELECT count(*) FROM (SELECT version <= lag(version) OVER (ORDER BY number) AS wrong FROM clip) WHERE wrong"
    ),
    "clips whose watermark is not the latest end so far": (
        "SELECT count(*) FROM (SELECT watermark_us, max(end_us) OVER (ORDER BY number) AS expected FROM clip) "
        "WHERE watermark_us != expected"
    ),
    "clips marked late that are not, or the reverse": (
        "SELECT count(*) FROM (SELECT late, end_us <= lag(watermark_us) OVER (ORDER BY number) AS expected FROM clip) "
        "WHERE late != coalesce(expected, 0)"
    ),
    "clips known at another time than their end, or that of the last of their lines": (
        "SELECT count(*) FROM clip c LEFT JOIN (SELECT clip, max(end_us) AS end_us FROM line GROUP BY clip) l "
        "ON l.clip = c.number WHERE c.known_us != max(c.end_us, coalesce(l.end_us, 0))"
    ),
    "clips without an episode of their span": (
        "SELECT count(*) FROM clip c LEFT JOIN episode e ON e.number = c.number AND e.version = 0 "
        "WHERE e.start_us IS NOT c.start_us OR e.end_us IS NOT c.end_us OR e.known_us IS NOT c.known_us"
    ),
    "lines of clips that do not exist": "SELECT count(*) FROM line WHERE clip NOT IN (SELECT number FROM clip)",
    "crops of observations that do not exist": (
        "SELECT count(*) FROM crop WHERE observation NOT IN (SELECT number FROM observation)"
    ),
    "observations known at another time than their clip": (
        "SELECT count(*) FROM observation o JOIN clip c ON c.number = o.clip WHERE o.known_us != c.known_us"
    ),
    "observations out of the order of their clips": (
        "SELECT count(*) FROM (SELECT clip < lag(clip) OVER (ORDER BY number) AS wrong FROM observation) WHERE wrong"
    ),
    "pieces about clips that do not exist": (
        "SELECT count(*) FROM piece WHERE clip >= 0 AND clip NOT IN (SELECT number FROM clip)"
    ),
    "pieces known before the clips that they are about": (
        "SELECT count(*) FROM piece p JOIN clip c ON c.number = p.clip WHERE p.known_us < c.known_us"
    ),
    "pieces that make the version of a clip": ("SELECT count(*) FROM piece WHERE made IN (SELECT version FROM clip)"),
    "pieces whose version falls": (
        "SELECT count(*) FROM (SELECT made < lag(made) OVER (ORDER BY number) AS wrong FROM piece) WHERE wrong"
    ),
    "remarks of pieces that do not exist": (
        "SELECT count(*) FROM remark WHERE piece NOT IN (SELECT number FROM piece)"
    ),
    "remarks on observations that do not exist": (
        "SELECT count(*) FROM remark WHERE observation >= 0 AND observation NOT IN (SELECT number FROM observation)"
    ),
    "memberships between an observation and an entity of two embedders, or of none": (
        "SELECT count(*) FROM membership m LEFT JOIN observation o ON o.number = m.observation "
        "LEFT JOIN entity e ON e.number = m.entity "
        "WHERE e.embedder IS NULL OR (m.version = 0 AND o.embedder IS NOT e.embedder)"
    ),
    "memberships known before their observation": (
        "SELECT count(*) FROM membership m JOIN observation o ON o.number = m.observation WHERE m.known_us < o.known_us"
    ),
    "rulings whose version or time falls": (
        "SELECT count(*) FROM (SELECT made <= lag(made) OVER before OR known_us < lag(known_us) OVER before AS wrong "
        "FROM ruling WINDOW before AS (ORDER BY number)) WHERE wrong"
    ),
    "pairs apart whose evidence is not theirs": (
        "SELECT count(*) FROM apart a "
        "LEFT JOIN membership l ON l.observation = a.low_observation AND l.version = 0 "
        "LEFT JOIN membership h ON h.observation = a.high_observation AND h.version = 0 "
        "WHERE l.entity IS NOT a.low OR h.entity IS NOT a.high OR a.low >= a.high"
    ),
}


def disagreements(store: Store) -> Iterator[str]:
    """Yield in words what does not agree; nothing where all does."""
    for fault, query in _NONE_OF.items():
        ((count,),) = store.select(query)
        if count:
            yield f"{count} {fault}"
    yield from _damage(store)
    yield from _trails(store)
    yield from _vectors(store)


def _damage(store: Store) -> Iterator[str]:
    """Every clip's rows are those that its digest was taken of: the only trace of damage to what is stored once."""
    with store.database.reading() as cursor:
        for clip in damaged_clips(cursor):
            name = cursor.execute("SELECT name FROM clip WHERE number = ?", (clip,)).fetchall()
            yield f"clip {clip} ({name[0][0] if name else 'gone'}): its records are not those that were written"
        for piece in damaged_pieces(cursor):
            yield f"piece {piece}: its remarks are not those that were written"


def _trails(store: Store) -> Iterator[str]:
    """Every observation has a trail, which begins and ends when it does."""
    trails = {clip: arrays for clip, *arrays in store.select("SELECT clip, counts, times_us, boxes FROM trail")}
    spans: dict[int, list[tuple[int, int]]] = {}
    for clip, start_us, end_us in store.select("SELECT clip, start_us, end_us FROM observation ORDER BY number"):
        spans.setdefault(clip, []).append((start_us, end_us))
    for clip in sorted(trails.keys() | spans.keys()):
        found: list[tuple[int, int]] = []
        if clip in trails:
            try:
                unpacked = unpack_trails(*trails[clip])
                found = [(int(one.times_us[0]), int(one.times_us[len(one.boxes) - 1])) for one in unpacked]
            except (ValueError, IndexError):
                yield f"clip {clip}: trails that cannot be read"
                continue
        if found != spans.get(clip, []):
            yield f"clip {clip}: trails that are not those of its observations"


def _vectors(store: Store) -> Iterator[str]:
    """Every observation with an embedder has one vector of it."""
    numbers: dict[tuple[int, str], list[int]] = {}
    rows = store.select("SELECT clip, embedder, number FROM observation WHERE embedder IS NOT NULL ORDER BY number")
    for clip, embedder, number in rows:
        numbers.setdefault((clip, embedder), []).append(number)
    stored = {
        (clip, embedder): np.frombuffer(packed, "<i4").tolist()
        for clip, embedder, packed in store.select("SELECT clip, embedder, observations FROM vector")
    }
    for clip, embedder in sorted(numbers.keys() | stored.keys()):
        if numbers.get((clip, embedder)) != stored.get((clip, embedder)):
            yield f"clip {clip}: vectors of {embedder} that are not those of its observations"

"""Rulings to table rows and back: what of a ruling goes into which table."""

import apsw
import msgspec

from biographer.state.database import fetch
from biographer.state.errors import FatalError
from biographer.state.membership import Cause, Membership
from biographer.state.rows import Row, membership_rows
from biographer.state.ruling import Ruled, Ruling
from biographer.state.standing import Standing

_RULINGS = "SELECT body FROM ruling WHERE made <= ? AND known_us <= ? ORDER BY number"
_MOVES = (
    "SELECT observation, entity, known_us, similarity, cause, version FROM membership WHERE version > 0 ORDER BY 1, 6"
)
_APART_NOW = """
SELECT (SELECT entity FROM membership WHERE observation = a.low_observation ORDER BY version DESC LIMIT 1),
  (SELECT entity FROM membership WHERE observation = a.high_observation ORDER BY version DESC LIMIT 1) FROM apart a
"""
_END_US = 2**62


def ruling_rows(ruled: Ruled) -> dict[str, list[Row]]:
    """Return the rows that a ruling adds, by table."""
    one = ruled.ruling
    body = msgspec.json.encode(one).decode()
    return {
        "ruling": [(one.number, one.act.value, one.by, one.known_us, ruled.version, body)],
        "entity": [(entity.number, entity.embedder, entity.known_us) for entity in ruled.entities],
        "membership": membership_rows(ruled.memberships),
    }


def rulings(cursor: apsw.Cursor, version: int = _END_US, as_of_us: int = _END_US) -> Standing:
    """Return what the rulings up to a version say together, those known by a time; or raise FatalError."""
    bodies = fetch(cursor, _RULINGS, (version, as_of_us))
    try:
        return Standing(tuple(msgspec.json.decode(body, type=Ruling) for (body,) in bodies))
    except msgspec.MsgspecError as error:
        raise FatalError(f"a ruling cannot be read: {error}; use the program that wrote it") from error


def apart_pairs(cursor: apsw.Cursor, standing: Standing) -> list[tuple[int, int]]:
    """Return the pairs (low, high) that were seen apart or are two by a user's word, rising.

    Where users ruled, or castings join some, pairs are of those whose the observations are that show it.
    """
    if not standing.moves:
        return fetch(cursor, "SELECT low, high FROM apart ORDER BY low, high")
    seen = {(min(one, other), max(one, other)) for one, other in fetch(cursor, _APART_NOW) if one != other}
    return sorted(seen | set(standing.apart))


def moves(cursor: apsw.Cursor) -> list[Membership]:
    """Return all memberships of higher versions, in order of observation and version."""
    return [
        Membership(number, entity, known_us, similarity, Cause(cause), version)
        for number, entity, known_us, similarity, cause, version in fetch(cursor, _MOVES)
    ]

"""The people whom castings name, as a cut shows them: read from the records, and laid over its memberships.

Fragments of one person are joined by a view that hides the table of memberships from this reader alone; nothing is
written to the store.
"""

import json
from collections.abc import Collection, Mapping
from datetime import tzinfo

import apsw

from biographer.state.cast_people import NOBODY, CastPeople, cast_people
from biographer.state.database import fetch
from biographer.state.membership import Cause
from biographer.state.people import CastSighting, Pair
from biographer.state.standing import Standing
from biographer.state.windows import midnight

_ANY = "SELECT 1 FROM remark WHERE kind = 'casting' LIMIT 1"

_NOW = "(SELECT entity FROM main.membership WHERE observation = {} AND known_us <= :t ORDER BY version DESC LIMIT 1)"
"""The entity of an observation, by association and users."""

_CAST = """
SELECT {entity}, c.start_us, json_extract(r.body, '$.name')
FROM remark r JOIN piece p ON p.number = r.piece JOIN observation o ON o.number = r.observation
JOIN clip c ON c.number = o.clip
WHERE r.kind = 'casting' AND p.made <= :v AND r.known_us <= :t AND c.number < :clips AND c.known_us <= :t
  AND json_extract(r.body, '$.name') IS NOT NULL
""".format(entity=_NOW.format("o.number"))

_LOOKS = """
SELECT DISTINCT c.entity FROM main.membership m JOIN main.membership c ON c.observation = m.observation
  AND c.version = 0 WHERE m.entity IN (SELECT value FROM json_each(:among))
"""

_APART = (
    f"SELECT {_NOW.format('a.low_observation')}, {_NOW.format('a.high_observation')} "  # noqa: S608 - our own
    """
FROM apart a JOIN observation o ON o.number = a.low_observation
WHERE a.low IN (SELECT value FROM json_each(:looks)) AND a.high IN (SELECT value FROM json_each(:looks))
  AND a.known_us <= :t AND o.clip < :clips
"""
)

_CLEAR = "DROP VIEW IF EXISTS temp.membership; DROP TABLE IF EXISTS temp.fragment;"

_FRAGMENTS = """
CREATE TEMP TABLE fragment (looks INTEGER PRIMARY KEY, entity INTEGER, similarity REAL, cause TEXT);
INSERT INTO temp.fragment SELECT CAST(key AS INTEGER), value, 1.0, :cause FROM json_each(:owners);
"""

# Of one table and nothing else: a view that joins or unites is made whole, a week's 200 ms, for each lookup in it.
_HIDE = """
CREATE TEMP VIEW membership AS SELECT m.observation, m.version, m.known_us,
  coalesce((SELECT entity FROM temp.fragment WHERE looks = m.entity), m.entity) AS entity,
  coalesce((SELECT similarity FROM temp.fragment WHERE looks = m.entity), m.similarity) AS similarity,
  coalesce((SELECT cause FROM temp.fragment WHERE looks = m.entity), m.cause) AS cause
FROM main.membership m
"""


def people_recalled(cursor: apsw.Cursor, bounds: Mapping[str, int], zone: tzinfo, standing: Standing) -> CastPeople:
    """Return who is named by castings within the bounds of a cut; `standing` is what users said by then."""
    if not fetch(cursor, _ANY):
        return NOBODY
    rows = [row for row in fetch(cursor, _CAST, dict(bounds)) if row[0] is not None]
    days = {start_us: midnight(start_us, zone) for start_us in {row[1] for row in rows}}
    cast = [CastSighting(entity, days[start_us], name) for entity, start_us, name in rows]
    return cast_people(cast, lambda among: _apart(cursor, bounds, among, standing), standing.names)


def join_people(cursor: apsw.Cursor, people: CastPeople) -> None:
    """Have a reader's cursor read all fragments of a person as one entity from now on, in `membership`.

    No index tells there which observations an entity has: those of its parts in `main.membership` hold them all.
    """
    if people is not NOBODY:
        cursor.execute(_CLEAR)
    if people.owners:
        owners = {"owners": json.dumps(people.owners), "cause": Cause.CASTING.value}
        cursor.execute(_FRAGMENTS, owners)
        cursor.execute(_HIDE)


def _apart(
    cursor: apsw.Cursor, bounds: Mapping[str, int], among: Collection[int], standing: Standing
) -> frozenset[Pair]:
    """Return those pairs (low, high) of some entities that are two."""
    looks = among = sorted(among)
    if standing.rulings:
        looks = [entity for (entity,) in fetch(cursor, _LOOKS, {"among": json.dumps(among)})]
    rows = fetch(cursor, _APART, {**bounds, "looks": json.dumps(looks)})
    pairs = {(min(pair), max(pair)) for pair in rows if None not in pair and pair[0] != pair[1]}
    return frozenset(pairs) | frozenset(standing.apart)

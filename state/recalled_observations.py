"""Observations as a cut shows them: each with its clip, its entity and its pictures."""

from collections.abc import Iterable
from dataclasses import dataclass

from biographer.state.cut import Cut
from biographer.state.observation import Crop
from biographer.state.store import unpack_trails
from biographer.state.trail import Trail

Place = tuple[int, int, int]
"""Where a page of observations ended: start and end (microseconds) and number."""

FIRST: Place = (-1, -1, -1)

_SIGHTINGS = """
SELECT o.number, o.clip, c.name, o.track, m.entity, o.label, o.score, o.start_us, o.end_us, o.known_us,
  m.similarity, m.cause, o.flaw, o.text
FROM observation o JOIN clip c ON c.number = o.clip
LEFT JOIN membership m ON m.observation = o.number AND m.version = (
  SELECT max(version) FROM membership WHERE observation = o.number AND known_us <= :t)
WHERE o.clip < :clips AND o.known_us <= :t
"""

_OF_ENTITY = """
  AND o.number IN (SELECT observation FROM main.membership WHERE entity IN (SELECT value FROM json_each(:parts)))
  AND m.entity = :entity
  AND (o.start_us, o.end_us, o.number) > (:start, :end, :number)
ORDER BY o.start_us, o.end_us, o.number LIMIT :limit
"""

_OF_CLIP = " AND o.clip = :clip ORDER BY o.start_us, o.end_us, o.number"

_ONE = " AND o.number = :number"

_BEST = """
SELECT o.number FROM (
  SELECT DISTINCT observation FROM main.membership WHERE entity IN (SELECT value FROM json_each(:parts))
    AND known_us <= :t ORDER BY observation DESC LIMIT :among) newest
JOIN observation o ON o.number = newest.observation JOIN crop c ON c.observation = o.number AND c.n = 0
WHERE o.clip < :clips AND o.known_us <= :t AND :entity = (
  SELECT entity FROM membership WHERE observation = o.number AND known_us <= :t ORDER BY version DESC LIMIT 1)
ORDER BY o.label = :label DESC, o.score * sqrt((c.x1 - c.x0) * (c.y1 - c.y0)) DESC, o.number LIMIT 1
"""

_BEST_AMONG = 100
"""Observations compared for the best picture: a wall of things is to be quick, however often they were seen."""

_TRAIL = """
SELECT t.counts, t.times_us, t.boxes, o.number - (SELECT min(number) FROM observation WHERE clip = o.clip)
FROM observation o JOIN trail t ON t.clip = o.clip WHERE o.number = :number
"""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One observation; `entity` is None without evidence of identity, and `flaw` then says why."""

    number: int
    clip: int
    clip_name: str
    track: int
    entity: int | None
    label: str
    score: float
    start_us: int
    end_us: int
    known_us: int
    similarity: float | None
    cause: str | None
    flaw: str | None
    text: str
    crops: tuple[Crop, ...]

    @property
    def place(self) -> Place:
        """Where it stands in the order of event time."""
        return self.start_us, self.end_us, self.number


def biography(cut: Cut, entity: int, after: Place, limit: int) -> list[Sighting]:
    """Return an entity's observations in order of event time, from the one behind `after` on (GEB section 3.1)."""
    start, end, number = after
    place = {"start": start, "end": end, "number": number}
    return _sightings(cut, _OF_ENTITY, entity=entity, parts=cut.parts(entity), **place, limit=limit)


def sightings_of_clip(cut: Cut, clip: int) -> list[Sighting]:
    """Return a clip's observations in order of event time."""
    return _sightings(cut, _OF_CLIP, clip=clip)


def sighting(cut: Cut, number: int) -> Sighting | None:
    """Return one observation, or None where the cut does not hold it."""
    found = _sightings(cut, _ONE, number=number)
    return found[0] if found else None


def trail_of(cut: Cut, number: int) -> Trail | None:
    """Return where an observation was seen frame by frame, None where there is no such observation."""
    rows = cut.rows(_TRAIL, number=number)
    return unpack_trails(*rows[0][:3])[int(rows[0][3])] if rows else None


def best_picture(cut: Cut, entity: int, label: str) -> int | None:
    """Return the observation whose first picture shows an entity best, None where none has a picture.

    That is the largest of those that the detector was surest of, among the newest ones that bear the label.
    """
    rows = cut.rows(_BEST, entity=entity, parts=cut.parts(entity), label=label, among=_BEST_AMONG)
    return rows[0][0] if rows else None


def _sightings(cut: Cut, which: str, **bindings: object) -> list[Sighting]:
    rows = cut.rows(_SIGHTINGS + which, **bindings)
    crops = crops_of(cut, [row[0] for row in rows])
    return [Sighting(*(*row, crops.get(row[0], ()))) for row in rows]


def crops_of(cut: Cut, observations: Iterable[int]) -> dict[int, tuple[Crop, ...]]:
    """Return the pictures of observations, in their order."""
    found: dict[int, tuple[Crop, ...]] = {}
    for number in observations:
        rows = cut.rows("SELECT at_us, x0, y0, x1, y1, sha256 FROM crop WHERE observation = :o ORDER BY n", o=number)
        found[number] = tuple(Crop(row[0], row[1:5], row[5]) for row in rows)
    return found

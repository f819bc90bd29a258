"""Entities as a cut shows them: their usual label, when and how often they were seen, and from whom apart."""

import json
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from biographer.state.cut import Cut
from biographer.state.standing import pairs_of

_ENTITIES = """
WITH latest AS (SELECT observation, entity, max(version) FROM membership WHERE known_us <= :t {only}
  GROUP BY observation),
seen AS (
  SELECT entity, label, clip, start_us, end_us, score, number, text FROM latest
  JOIN observation o ON o.number = observation WHERE o.clip < :clips AND o.known_us <= :t),
named AS (
  SELECT entity, label, row_number() OVER (PARTITION BY entity ORDER BY count(*) DESC, label) AS place
  FROM seen GROUP BY entity, label)
SELECT seen.entity, named.label, count(*), count(DISTINCT clip), min(start_us), max(end_us), max(number)
FROM seen JOIN named ON named.entity = seen.entity AND place = 1 GROUP BY seen.entity
"""

_OF_TEXTS = """
SELECT DISTINCT m.entity FROM observation o JOIN membership m ON m.observation = o.number
  AND m.version = (SELECT max(version) FROM membership WHERE observation = o.number AND known_us <= :t)
WHERE o.clip < :clips AND o.known_us <= :t AND o.text IN (SELECT value FROM json_each(:texts))
"""

_APART = """
SELECT CASE a.low WHEN :entity THEN a.high ELSE a.low END FROM apart a
JOIN observation l ON l.number = a.low_observation JOIN observation h ON h.number = a.high_observation
WHERE (a.low = :entity OR a.high = :entity) AND a.known_us <= :t AND max(l.clip, h.clip) < :clips
"""

_APART_RULED = """
WITH looks(entity) AS (SELECT DISTINCT c.entity FROM main.membership m JOIN main.membership c
  ON c.observation = m.observation AND c.version = 0 WHERE m.entity IN (SELECT value FROM json_each(:parts))),
pairs AS (
  SELECT (SELECT entity FROM membership WHERE observation = a.low_observation AND known_us <= :t
    ORDER BY version DESC LIMIT 1) AS low,
  (SELECT entity FROM membership WHERE observation = a.high_observation AND known_us <= :t
    ORDER BY version DESC LIMIT 1) AS high
  FROM apart a JOIN observation l ON l.number = a.low_observation JOIN observation h ON h.number = a.high_observation
  WHERE (a.low IN looks OR a.high IN looks) AND a.known_us <= :t AND max(l.clip, h.clip) < :clips)
SELECT CASE low WHEN :entity THEN high ELSE low END FROM pairs WHERE (low = :entity OR high = :entity) AND low != high
"""
"""Where users ruled: whose the observations are that show the pairs apart, and not whose looks they had."""


@dataclass(frozen=True, slots=True)
class Known:
    """One entity; `last_observation` is the newest of its observations."""

    entity: int
    label: str
    observations: int
    clips: int
    first_us: int
    last_us: int
    last_observation: int


def entities(cut: Cut) -> list[Known]:
    """Return all entities, those seen most often first."""
    found = [Known(*row) for row in cut.rows(_ENTITIES.format(only=""))]
    return sorted(found, key=lambda one: (-one.observations, one.entity))


def entity(cut: Cut, number: int) -> Known | None:
    """Return one entity, or None where the cut does not hold it."""
    # The inner restriction may take an observation that has moved on to another entity; the outer one drops it.
    of_parts = "SELECT observation FROM main.membership WHERE entity IN (SELECT value FROM json_each(:parts))"
    rows = cut.rows(_ENTITIES.format(only=f"AND observation IN ({of_parts})"), parts=cut.parts(number))
    return next((Known(*row) for row in rows if row[0] == number), None)


def entities_of_text(cut: Cut, text: str) -> set[int]:
    """Return the entities one of whose observations is described with these words, whatever their case."""
    wanted = folded(text)
    described = cut.rows("SELECT DISTINCT text FROM observation WHERE clip < :clips AND known_us <= :t")
    texts = [one for (one,) in described if wanted in folded(one)]
    return {number for (number,) in cut.rows(_OF_TEXTS, texts=json.dumps(texts))}


def apart_from(cut: Cut, number: int) -> tuple[int, ...]:
    """Return the entities that were seen at another place in the same frames, or are another by a user's word."""
    standing = cut.standing
    rows = cut.rows(_APART_RULED if standing.moves else _APART, entity=number, parts=cut.parts(number))
    seen = {other for (other,) in rows}
    said = {other for pair in pairs_of(standing, [number]) for other in pair if other != number}
    return tuple(sorted(seen | said))


def apart_pairs(cut: Cut, numbers: Iterable[int]) -> frozenset[tuple[int, int]]:
    """Return the pairs (low, high) of these entities and those that they are apart from, as `apart_from` has them."""
    return frozenset((min(one, other), max(one, other)) for one in numbers for other in apart_from(cut, one))


def folded(text: str) -> str:
    """Return text as it is compared: composed, and without case."""
    return unicodedata.normalize("NFC", text).casefold()

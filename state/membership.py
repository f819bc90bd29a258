"""Memberships: which entity an observation belongs to, why, and since when that is known; and who was seen apart."""

from dataclasses import dataclass
from enum import StrEnum


class Cause(StrEnum):
    """What made an observation a member of its entity."""

    NEW = "new"
    """No entity qualified: the observation begins one."""
    MATCH = "match"
    """One reference was similar enough (GEB section 3.3, condition 2)."""
    ANCHOR = "anchor"
    """Its box stayed in place across the cut from the clip before (GEB appendix A)."""
    RULING = "ruling"
    """A user said so, of it or of the entity whose looks it matched."""
    CASTING = "casting"
    """Its entity is a fragment of a named person: found by each reader, and never stored."""


@dataclass(frozen=True, slots=True)
class Membership:
    """Observation number `observation` belongs to entity number `entity`.

    `similarity` is the mean cosine to the reference set at the time (1.0 for a new entity, and by a ruling). `known_us`
    is the end of the latest input that the decision used. Version 0 is what association chose; a later word about the
    same observation has a higher `version`.
    """

    observation: int
    entity: int
    known_us: int
    similarity: float
    cause: Cause
    version: int = 0


@dataclass(frozen=True, slots=True)
class Apart:
    """Two entities (low < high) seen at different places in the same frames, and the observations that show it."""

    low: int
    high: int
    low_observation: int
    high_observation: int
    known_us: int

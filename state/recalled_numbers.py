"""How much a cut holds: observations, those without evidence of identity, entities."""

from dataclasses import dataclass

import numpy as np

from biographer.state.cut import Cut
from biographer.state.view import View

_OBSERVATIONS = """
SELECT count(*), coalesce(sum(embedder IS NULL), 0) FROM observation WHERE clip < :clips AND known_us <= :t
"""

_ENTITIES = """
SELECT count(DISTINCT entity) FROM (
  SELECT m.entity, max(m.version) FROM observation o JOIN membership m ON m.observation = o.number
  WHERE o.clip < :clips AND o.known_us <= :t AND m.known_us <= :t GROUP BY m.observation)
"""


_ALL_OBSERVATIONS = "SELECT count(*) FROM observation WHERE clip < :clips"

_ALL_ENTITIES = """
SELECT count(DISTINCT entity), count(*) FROM membership WHERE version = 0
  AND observation < coalesce((SELECT min(number) FROM observation WHERE clip >= :clips), 9223372036854775807)
"""
"""Observations are numbered clip by clip."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Counts of one cut."""

    observations: int
    without_identity: int
    entities: int


def numbers_of_view(view: View) -> Numbers:
    """Count what a view shows; an observation whose entity is not known yet counts as one without."""
    members = view.entity_of[view.entity_of >= 0]
    entities = int(np.count_nonzero(np.bincount(members)))
    return Numbers(view.observations.total, view.observations.total - len(members), entities)


def numbers(cut: Cut) -> Numbers:
    """Count; as of a time, it reads every observation once."""
    if cut.snapshot.as_of_us is None and not cut.standing.moves:
        ((observations,),) = cut.rows(_ALL_OBSERVATIONS)
        ((entities, members),) = cut.rows(_ALL_ENTITIES)
        return Numbers(observations, observations - members, entities)
    ((observations, without_identity),) = cut.rows(_OBSERVATIONS)
    ((entities,),) = cut.rows(_ENTITIES)
    return Numbers(observations, without_identity, entities)

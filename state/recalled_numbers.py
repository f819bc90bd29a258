"""How much a cut holds: observations, those without evidence of identity, entities."""

from dataclasses import dataclass

from biographer.state.cut import Cut

_OBSERVATIONS = """
SELECT count(*), coalesce(sum(embedder IS NULL), 0) FROM observation WHERE clip < :clips AND known_us <= :t
"""

_ENTITIES = """
SELECT count(DISTINCT m.entity) FROM observation o JOIN membership m ON m.observation = o.number
WHERE o.clip < :clips AND o.known_us <= :t AND m.known_us <= :t
"""


@dataclass(frozen=True, slots=True)
class Numbers:
    """Counts of one cut."""

    observations: int
    without_identity: int
    entities: int


def numbers(cut: Cut) -> Numbers:
    """Count; reads every observation once."""
    ((observations, without_identity),) = cut.rows(_OBSERVATIONS)
    ((entities,),) = cut.rows(_ENTITIES)
    return Numbers(observations, without_identity, entities)

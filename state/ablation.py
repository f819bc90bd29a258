"""Ablations: the parts of memory and ranking that an experiment may leave out, one by one (GEB 4.4, MAGIC-Video)."""

from enum import StrEnum


class Ablation(StrEnum):
    """What is left out of a search and of what is read out of it; the memory itself stays as it is."""

    ASSOCIATION = "association"
    """Identity: each observation is taken for an entity of its own, in the walk, the quotas and the excerpts."""
    SAME_INSTANCE = "same_instance"
    """Membership edges, in the walk alone: excerpts still tell an entity's other encounters."""
    TIMELINE = "timeline"
    """Context and provenance edges of observations, in the walk: what ties an encounter to its moment (GEB 4.4)."""
    BIOGRAPHIES = "biographies"
    """What excerpts tell of an entity's other encounters."""
    CHAINS = "chains"
    """Facts and steps of chains."""
    GRAPH = "graph"
    """The walk, and what an episode gains from those beside and around it: relevance and age alone rank.

    The papers' scores multiply by the walk, and so there is none of them without it: our sum ranks then.
    """


IDENTITY = frozenset({Ablation.ASSOCIATION, Ablation.SAME_INSTANCE})
"""What leaves the walk without memberships."""

EDGES = IDENTITY | {Ablation.TIMELINE}
"""What the walk's edges depend on."""

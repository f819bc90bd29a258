"""Edge weights and weighted degrees of the graph that ranking walks on, counted over what a view shows.

Edges are implied by the records (DESIGN section 6): a clip's observations are one range of numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from biographer.state.graph import CO_CLIP, CONTAINMENT, CONTEXT, MEMBERSHIP, PROVENANCE, SEMANTIC_WEIGHT
from biographer.state.nodes import Nodes
from biographer.state.semantic_numbers import APPEARED, BORNE, MENTIONED, PROPERTY, STATED, TieKind
from biographer.state.ties import Tied

Numbers = NDArray[np.int64]
Adjacency = tuple[Numbers, Numbers, NDArray[np.float64]]

LEAST_SIGHTINGS = 2
"""Only entities seen this often are nodes (GEB appendix A): one seen once leads nowhere."""

UNLINKED = CONTEXT.weight + PROVENANCE.weight
"""Degree of an observation that has no entity to walk to; none at all without a timeline."""


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Weighted degrees of all nodes, the entity of each observation (-1: none), and which may be walked to.

    `linked_entities` are the entities of those that may, in order, those of clip c from first_linked[c] on.
    `timeline` is 0 where the edges of observations to episodes and clips are left out, 1 otherwise. `ties` are those
    that words make, None where there are none.
    """

    degrees: Nodes
    entity_of: Numbers
    walked_to: NDArray[np.bool_]
    linked_entities: Numbers
    first_linked: Numbers
    timeline: float = 1.0
    ties: Mapping[TieKind, Tied] | None = None

    @property
    def context(self) -> float:
        """What the edge from an observation to its local episode weighs."""
        return CONTEXT.weight * self.timeline

    @property
    def provenance(self) -> float:
        """What the edge from an observation to its clip weighs."""
        return PROVENANCE.weight * self.timeline

    @property
    def linked(self) -> float:
        """The degree of an observation that has one."""
        return UNLINKED * self.timeline + MEMBERSHIP.weight

    @classmethod
    def of(
        cls,
        sightings: Numbers,
        entity_of: Numbers,
        first_observation: Numbers,
        adjacency: Adjacency,
        parents: Numbers,
        window_adjacency: Adjacency,
        children: Numbers,
        timeline: float = 1.0,
    ) -> "Weights":
        """Count the edges of every node; the arrays are those of a view, `children` its counts by window."""
        linked = np.append(sightings >= LEAST_SIGHTINGS, False)
        walked_to = linked[entity_of]
        counts = timeline * np.diff(first_observation)
        episodes = CONTEXT.weight * counts + CO_CLIP.weight + _along(adjacency)
        episodes += CONTAINMENT.weight * (parents >= 0).sum(axis=0)
        clips = PROVENANCE.weight * (counts + 1)
        windows = _along(window_adjacency) + CONTAINMENT.weight * children
        entities = MEMBERSHIP.weight * np.where(linked[:-1], sightings, 0)
        alone = UNLINKED * timeline
        observations = np.where(walked_to, alone + MEMBERSHIP.weight, alone)
        members = np.flatnonzero(walked_to)
        degrees = Nodes(episodes, clips, windows, entities, observations)
        first_linked = np.searchsorted(members, first_observation)
        return cls(degrees, entity_of, walked_to, entity_of[members], first_linked, timeline)

    def tied(self, ties: Mapping[TieKind, Tied]) -> "Weights":
        """Return the graph with what words tie besides."""
        of, counts = self.degrees, {kind: (one.left_degrees, one.right_degrees) for kind, one in ties.items()}
        said, named = counts[MENTIONED][1] + counts[STATED][1], counts[MENTIONED][0] + counts[APPEARED][0]
        degrees = Nodes(
            of.episodes + SEMANTIC_WEIGHT * said,
            of.clips + SEMANTIC_WEIGHT * counts[APPEARED][1],
            of.windows,
            of.entities + SEMANTIC_WEIGHT * counts[BORNE][1],
            of.observations,
            SEMANTIC_WEIGHT * (named + counts[PROPERTY][1] + counts[BORNE][0]).astype(np.float64),
            SEMANTIC_WEIGHT * (counts[STATED][0] + counts[PROPERTY][0]).astype(np.float64),
        )
        return replace(self, degrees=degrees, ties=ties)


def _along(adjacency: Adjacency) -> NDArray[np.float64]:
    before, _, weights = adjacency
    return weights + np.where(before >= 0, weights[before], 0.0) if len(weights) else weights

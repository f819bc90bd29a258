"""A clip, its local episode and their observations as one block of the walk, by closed forms.

Let S be the sum over a clip's observations of 1 / degree. What an episode hands to each observation, times damping,
comes back to it by S, goes to the clip by 0.8 S, and to each linked entity by 0.5 / 2.3; likewise from the clip. So a
block that is handed (a, b) at (episode, clip) has passing through it, over all returns, the solution (x, y) of
x = a + r_ee x + r_ce y and y = b + r_ec x + r_cc y: the Schur complement of its observations.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biographer.state.graph import MEMBERSHIP, PROVENANCE, SEMANTIC_WEIGHT
from biographer.state.semantic_numbers import BORNE
from biographer.state.view import View
from biographer.state.weights import UNLINKED, Weights

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """`gains` (2, 2, clips) is what passes through (to episode, clip; from episode, clip) for what is handed.

    `entity_gains` (entities,) is how much more passes through an entity than it is handed.
    """

    gains: Floats
    entity_gains: Floats

    @classmethod
    def of(cls, view: View, weights: Weights, damping: float) -> "Blocks":
        """Count over what a view shows."""
        linked, counts = np.diff(weights.first_linked), np.diff(view.first_observation)
        returned = damping * (linked / weights.linked + (counts - linked) * weights.timeline / UNLINKED)
        degrees = weights.degrees
        episode = damping / degrees.episodes
        clip = damping / degrees.clips
        own = episode * weights.context * returned * weights.context
        own_clip = clip * weights.provenance * returned * weights.provenance
        # Their own edge and the way over the observations; without a timeline the latter has no context.
        to_clip = episode * PROVENANCE.weight * (1 + weights.context * returned)
        to_episode = clip * PROVENANCE.weight * (1 + weights.context * returned)
        rest = (1 - own) * (1 - own_clip) - to_clip * to_episode
        gains = np.stack([np.stack([1 - own_clip, to_episode]), np.stack([to_clip, 1 - own])]) / rest
        back = damping * damping * MEMBERSHIP.weight / weights.linked
        return cls(gains, 1 / (1 - back * _membered(weights)))

    def through(self, blocks: Numbers, episodes: Floats, clips: Floats) -> tuple[Floats, Floats]:
        """Return what passes through the episodes and the clips of blocks that are handed so much."""
        gains = self.gains[:, :, blocks]
        return gains[0, 0] * episodes + gains[0, 1] * clips, gains[1, 0] * episodes + gains[1, 1] * clips


def _membered(weights: Weights) -> Floats:
    """Return which share of an entity's edges lead to observations: all of them, but for one that bears a name."""
    degrees = weights.degrees.entities
    if weights.ties is None or not len(weights.ties[BORNE]):
        return np.broadcast_to(1.0, len(degrees))
    named = SEMANTIC_WEIGHT * weights.ties[BORNE].right_degrees
    result: Floats = np.divide(degrees - named, degrees, where=degrees > 0, out=np.ones(len(degrees)))
    return result

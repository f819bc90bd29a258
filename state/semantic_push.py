"""The part of the walk that goes over names and facts: nodes of their own, pushed like windows and entities.

Apart from `push` so that where nobody wrote anything none of it is there, and nothing of it is counted.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from biographer.state.graph import SEMANTIC_WEIGHT
from biographer.state.nodes import Nodes
from biographer.state.semantic_numbers import APPEARED, BORNE, MENTIONED, PROPERTY, STATED, TieKind
from biographer.state.ties import Numbers, Tied
from biographer.state.weights import Weights

Floats = NDArray[np.float64]

_Joined = tuple[Numbers, Numbers]


class SemanticPush:
    """Residuals and scores of names and facts; `handed` is always per unit of edge weight."""

    def __init__(
        self, weights: Weights, ties: Mapping[TieKind, Tied], reset: Nodes, damping: float, residual: float
    ) -> None:
        self._degrees, self._ties, self._damping = weights.degrees, ties, damping
        self._enough = (residual * weights.degrees.names, residual * weights.degrees.facts)
        self._names, self._facts = reset.names.copy(), reset.facts.copy()
        self._kept_names, self._kept_facts = np.zeros_like(self._names), np.zeros_like(self._facts)

    def left(self) -> float:
        """Return the sum of what is left at names and facts."""
        return float(self._names.sum() + self._facts.sum())

    def scores(self, share: float) -> tuple[Floats, Floats]:
        """Return what names and facts kept, with a share of what is left at them."""
        return self._kept_names + share * self._names, self._kept_facts + share * self._facts

    def take_from_blocks(self, blocks: Numbers, from_episode: Floats, from_clip: Floats) -> None:
        """Take what local episodes and clips hand to the names and facts that they are tied to."""
        _give(self._names, self._ties[MENTIONED].of_right(blocks), from_episode)
        _give(self._facts, self._ties[STATED].of_right(blocks), from_episode)
        if len(self._ties[APPEARED]):
            _give(self._names, self._ties[APPEARED].of_right(blocks), from_clip)

    def take_from_entities(self, entities: Numbers, handed: Floats) -> None:
        """Take what entities hand to the names that they bear."""
        if len(self._ties[BORNE]):
            _give(self._names, self._ties[BORNE].of_right(entities), handed)

    def push(self, episodes: Floats, clips: Floats, entities: Floats, looked_at: NDArray[np.bool_]) -> bool:
        """Let names and facts push into these residuals; entities that get something are marked. Whether any did."""
        pushed = self._push_names(episodes, clips, entities, looked_at)
        return self._push_facts(episodes) or pushed

    def _push_names(self, episodes: Floats, clips: Floats, entities: Floats, looked_at: NDArray[np.bool_]) -> bool:
        active = np.flatnonzero(self._names > self._enough[0])
        if not len(active):
            return False
        handed = self._handed(active, self._names, self._kept_names, self._degrees.names)
        _give(episodes, self._ties[MENTIONED].of_left(active), handed)
        _give(self._facts, self._ties[PROPERTY].of_right(active), handed)
        if len(self._ties[APPEARED]):
            _give(clips, self._ties[APPEARED].of_left(active), handed)
        if len(self._ties[BORNE]):
            bearers = self._ties[BORNE].of_left(active)
            _give(entities, bearers, handed)
            looked_at[bearers[0]] = True
        return True

    def _push_facts(self, episodes: Floats) -> bool:
        active = np.flatnonzero(self._facts > self._enough[1])
        if not len(active):
            return False
        handed = self._handed(active, self._facts, self._kept_facts, self._degrees.facts)
        _give(self._names, self._ties[PROPERTY].of_left(active), handed)
        _give(episodes, self._ties[STATED].of_left(active), handed)
        return True

    def _handed(self, active: Numbers, left: Floats, kept: Floats, degrees: Floats) -> Floats:
        """Return what nodes hand on, which keep their own of it; one that nothing ties hands nothing on."""
        amounts, of = left[active], degrees[active]
        left[active] = 0.0
        kept[active] += (1 - self._damping) * amounts
        return np.divide(self._damping * amounts, of, where=of > 0, out=np.zeros(len(active)))


def _give(targets: Floats, joined: _Joined, handed: Floats) -> None:
    others, places = joined
    np.add.at(targets, others, SEMANTIC_WEIGHT * handed[places])

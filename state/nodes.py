"""One number for every node of the graph, by kind; which nodes there are is the view's to say."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """Arrays by node number: local episodes, clips, windows (by place in the view), entities, observations.

    Names and facts behind them, as many as the walk's graph has: none where nobody wrote any.
    """

    episodes: Floats
    clips: Floats
    windows: Floats
    entities: Floats
    observations: Floats
    names: Floats = field(default_factory=lambda: np.zeros(0))
    facts: Floats = field(default_factory=lambda: np.zeros(0))

    def zeros(self) -> "Nodes":
        """Return zeros for as many nodes."""
        return Nodes(*(np.zeros(len(array)) for array in self.arrays))

    @property
    def arrays(self) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats, Floats]:
        """The arrays, in order of the fields."""
        records = (self.episodes, self.clips, self.windows, self.entities, self.observations)
        return *records, self.names, self.facts

    def total(self) -> float:
        """Return the sum over all nodes."""
        return float(sum(array.sum() for array in self.arrays))

"""How names and facts are worded, in append-only columns: what a node is called, and when it is first spoken of."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from biographer.state.column import Column
from biographer.state.graph import Node, NodeKind
from biographer.state.semantic_numbers import Wording


class Worded(NamedTuple):
    """The wording that was known first, and the first event time (microseconds) that any known one speaks of."""

    text: str
    start_us: int


class Wordings:
    """Wordings in the order in which they were added; one writer, any number of readers."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.starts, self.known = Column(np.int64), Column(np.int64)
        self._nodes = {NodeKind.NAME: Column(np.int32), NodeKind.FACT: Column(np.int32)}
        """By kind, the number that each wording is of; -1 in the other kind's."""

    def __len__(self) -> int:
        """Count the wordings that readers may take."""
        return len(self.known)

    def add(self, one: Wording, known_us: int) -> None:
        """Add a wording."""
        for kind, nodes in self._nodes.items():
            nodes.append(one.number if kind == one.kind else -1)
        self.texts.append(one.text)
        self.starts.append(one.start_us)
        # Last, for readers count these.
        self.known.append(known_us)

    def spoken_of(self, kind: NodeKind, nodes: int, count: int, as_of_us: int | None) -> NDArray[np.bool_]:
        """Return which of the first `nodes` names or facts the first `count` wordings speak of as of a time."""
        numbers = self._nodes[kind][:count]
        if as_of_us is not None:
            numbers = numbers[self.known[:count] <= as_of_us]
        spoken = np.zeros(nodes, np.bool_)
        spoken[numbers[numbers >= 0]] = True
        return spoken

    def of(self, node: Node, count: int, as_of_us: int | None) -> Worded | None:
        """Return how a node is worded by the first `count` as of a time, None where nobody speaks of it yet."""
        rows = np.flatnonzero(self._nodes[node.kind][:count] == node.number)
        if as_of_us is not None:
            rows = rows[self.known[rows] <= as_of_us]
        if not len(rows):
            return None
        # Of several known since then the first by the alphabet, whichever was added first.
        _, text = min((int(self.known[row]), self.texts[row]) for row in rows.tolist())
        return Worded(text, int(self.starts[rows].min()))

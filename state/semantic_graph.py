"""The part of the memory's graph that words make: names and facts, and their edges, grown by each amendment.

Rebuilt from the store's remarks in their order it is the same. Who bears a name is as users last said.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from biographer.state.graph import SEMANTIC_WEIGHT, Edge, MemoryGraph, NodeKind
from biographer.state.remark import Remark, remark_of
from biographer.state.semantic_numbers import PROPERTY, TELLING, WRITTEN, SemanticNumbers, Tie, TieKind, ends_of

_REMARKS = f"SELECT kind, body, known_us FROM remark WHERE {TELLING} ORDER BY piece, n"  # noqa: S608 - our own


class SemanticGraph:
    """Grows a graph; the numbers are those of `semantics` after the same remarks."""

    def __init__(self, graph: MemoryGraph) -> None:
        self._graph = graph
        self.numbers = SemanticNumbers()
        self._borne: set[Tie] = set()

    def grow(self, remarks: Iterable[tuple[Remark, int]], clips: Mapping[str, int]) -> None:
        """Add what remarks name and state, each since the time beside it; `clips` are numbers by name."""
        before, known = self.numbers.counts(), dict[Tie, int]()
        for remark, known_us in remarks:
            for tie in self.numbers.ties(remark, clips):
                known[tie] = min(known_us, known.get(tie, known_us))
        self._add_nodes()
        # What is new is tied to nothing yet: after a start that is all of it, and is added at once.
        fresh = [tie for tie in known if _is_new(tie, before)]
        for kind in WRITTEN:
            self._join(kind, {tie: known[tie] for tie in fresh if tie.kind == kind})
        for tie in sorted(known.keys() - fresh):
            self._graph.tie(*ends_of(tie), tie.kind.edge, known[tie])

    def bear(self, names: Mapping[int, str]) -> None:
        """Let entities bear these names and no others."""
        borne = set(self.numbers.borne(names))
        for tie in sorted(self._borne - borne):
            self._graph.untie(*ends_of(tie))
        for tie in sorted(borne - self._borne):
            self._graph.tie(*ends_of(tie), tie.kind.edge, None)
        self._borne = borne

    def _join(self, kind: TieKind, known: Mapping[Tie, int]) -> None:
        numbers = np.array([tie[1:] for tie in known], np.int64).reshape(-1, 2)
        edges = [Edge(kind.edge, SEMANTIC_WEIGHT, known_us) for known_us in known.values()]
        self._graph.join((kind.left, numbers[:, 0]), (kind.right, numbers[:, 1]), edges)

    def _add_nodes(self) -> None:
        for kind, count in self.numbers.counts().items():
            self._graph.add_nodes(kind, count - self._graph.count(kind))


def _is_new(tie: Tie, before: Mapping[NodeKind, int]) -> bool:
    """Whether one of the ends was not there, by how many names and facts there were."""
    return tie.left >= before[tie.kind.left] or (tie.kind == PROPERTY and tie.right >= before[NodeKind.NAME])


def semantic_remarks(select: Callable[[str], Iterable[tuple[Any, ...]]]) -> Iterator[tuple[Remark, int]]:
    """Yield the remarks of a store that make nodes or edges, in their order, each with since when it is known."""
    for kind, body, known_us in select(_REMARKS):
        yield remark_of(kind, body), known_us

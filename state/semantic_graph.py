"""The part of the memory's graph that words make: names and facts, and their edges, grown by each amendment.

Rebuilt from the store's remarks in their order it is the same. Who bears a name is as users last said.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from biographer.state.graph import MemoryGraph
from biographer.state.remark import Remark, remark_of
from biographer.state.semantic_numbers import SemanticNumbers, Tie, ends_of

_SEMANTIC = """
SELECT kind, body, known_us FROM remark WHERE kind IN ('mention', 'triple', 'relation', 'casting') ORDER BY piece, n
"""


class SemanticGraph:
    """Grows a graph; the numbers are those of `semantics` after the same remarks."""

    def __init__(self, graph: MemoryGraph) -> None:
        self._graph = graph
        self.numbers = SemanticNumbers()
        self._borne: set[Tie] = set()

    def grow(self, remarks: Iterable[tuple[Remark, int]], clips: Mapping[str, int]) -> None:
        """Add what remarks name and state, each since the time beside it; `clips` are numbers by name."""
        for remark, known_us in remarks:
            ties = list(self.numbers.ties(remark, clips))
            self._add_nodes()
            for tie in ties:
                self._graph.tie(*ends_of(tie), tie.kind.edge, known_us)

    def bear(self, names: Mapping[int, str]) -> None:
        """Let entities bear these names and no others."""
        borne = set(self.numbers.borne(names))
        for tie in sorted(self._borne - borne):
            self._graph.untie(*ends_of(tie))
        for tie in sorted(borne - self._borne):
            self._graph.tie(*ends_of(tie), tie.kind.edge, None)
        self._borne = borne

    def _add_nodes(self) -> None:
        for kind, count in self.numbers.counts().items():
            self._graph.add_nodes(kind, count - self._graph.count(kind))


def semantic_remarks(select: Callable[[str], Iterable[tuple[Any, ...]]]) -> Iterator[tuple[Remark, int]]:
    """Yield the remarks of a store that make nodes or edges, in their order, each with since when it is known."""
    for kind, body, known_us in select(_SEMANTIC):
        yield remark_of(kind, body), known_us

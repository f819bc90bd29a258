"""The memory's graph: entities, observations, episodes and clips, and the edges between them (GEB section 3.2).

rustworkx re-uses node indices after a removal, so an index never leaves this file: nodes are known by kind and number.
Payloads are replaced, never edited. Ranking does not run on this graph; it serves neighbourhoods, paths and export.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import repeat
from typing import NamedTuple

import numpy as np
import rustworkx as rx
from numpy.typing import NDArray

from biographer.state.column import Column
from biographer.state.episode import LOCAL
from biographer.state.times import SECOND_US
from biographer.state.windows import Window


class NodeKind(StrEnum):
    """What a node stands for."""

    ENTITY = "entity"
    OBSERVATION = "observation"
    EPISODE = "episode"
    CLIP = "clip"
    WINDOW = "window"
    """An episode of a coarser scale."""
    NAME = "name"
    """Whatever is called so, consolidated by the name's key (MAGIC-Video's entity)."""
    FACT = "fact"
    """A triple, however often it is told (MAGIC-Video's semantic node)."""


class EdgeKind(StrEnum):
    """What an edge says."""

    MEMBERSHIP = "membership"
    CONTEXT = "context"
    PROVENANCE = "provenance"
    ADJACENCY = "adjacency"
    CONTAINMENT = "containment"
    CO_CLIP = "co_clip"
    """A local episode and the clip of the same time."""
    MENTIONED_IN = "mentioned_in"
    """A name, or a fact, and a local episode that says it."""
    APPEARED_IN = "appeared_in"
    """A name and a clip that shows who bears it, or an entity that does."""
    HAS_PROPERTY = "has_property"
    """A fact and the names of its subject and object."""


class Node(NamedTuple):
    """A node's payload: its kind and the number that identifies it within the stream."""

    kind: NodeKind
    number: int


class Edge(NamedTuple):
    """An edge's payload. Weights are GEB's (appendix A); adjacency is MAGIC-Video's 1 / (gap in s + 1).

    `known_us` is since when an edge is known that models' words made; None: since both its ends are, or as users have
    it last.
    """

    kind: EdgeKind
    weight: float
    known_us: int | None = None


MEMBERSHIP = Edge(EdgeKind.MEMBERSHIP, 0.5)
CONTEXT = Edge(EdgeKind.CONTEXT, 1.0)
PROVENANCE = Edge(EdgeKind.PROVENANCE, 0.8)
CONTAINMENT = Edge(EdgeKind.CONTAINMENT, 1.0)
"""MAGIC-Video's CONTAINS; here from a local episode to each window that holds its start (DESIGN section 6)."""
CO_CLIP = Edge(EdgeKind.CO_CLIP, PROVENANCE.weight)
"""MAGIC-Video's edge from text to pixels of one time; it weighs what leads from an observation to its clip."""

SEMANTIC_WEIGHT = 1.0
"""Of mentioned-in, appeared-in and has-property: MAGIC-Video tells no weights of its own, so all count alike."""

_EDGES_AT_ONCE = 8192
"""A week's in one list take longer to find room for than to add."""

ADJACENT_WITHIN_US = 6 * 3600 * SECOND_US


class MemoryGraph:
    """Undirected graph over one stream's memory: an episode node is a local one, of one clip; coarser: windows."""

    def __init__(self) -> None:
        self._graph: rx.PyGraph[Node, Edge] = rx.PyGraph(multigraph=True)
        self._indices = {kind: Column(np.int32) for kind in NodeKind}
        self._timelines: dict[str, list[_Place]] = {}

    def index(self, node: Node) -> int:
        """Return the node's present index in `rx`; raises IndexError where there is none."""
        return int(self._indices[node.kind][node.number])

    @property
    def rx(self) -> "rx.PyGraph[Node, Edge]":
        """The rustworkx graph, for reading; its indices are not identifiers."""
        return self._graph

    def count(self, kind: NodeKind) -> int:
        """Count the nodes of a kind."""
        return len(self._indices[kind])

    def counts(self) -> dict[str, int]:
        """Count nodes and edges by kind."""
        nodes = {str(kind): len(column) for kind, column in self._indices.items()}
        edges = dict.fromkeys(map(str, EdgeKind), 0)
        for edge in self._graph.edges():
            edges[str(edge.kind)] += 1
        return nodes | edges

    def grow(self, clips: int, entities: int, clip_of: NDArray[np.integer], entity_of: NDArray[np.integer]) -> None:
        """Add the next clips, each with its local episode, the next entities, and the next observations.

        `clip_of` and `entity_of` (int, (n,)) say where each new observation belongs; a negative entity is none. The
        episodes' places in time are a matter of `place_episode`.
        """
        first_clip, first = len(self._indices[NodeKind.CLIP]), len(self._indices[NodeKind.OBSERVATION])
        numbers, observations = np.arange(first_clip, first_clip + clips), np.arange(first, first + len(clip_of))
        counts = {NodeKind.CLIP: clips, NodeKind.EPISODE: clips, NodeKind.ENTITY: entities}
        for kind, count in (counts | {NodeKind.OBSERVATION: len(clip_of)}).items():
            self.add_nodes(kind, count)
        known = entity_of >= 0
        self.link((NodeKind.EPISODE, numbers), (NodeKind.CLIP, numbers), CO_CLIP)
        self.link((NodeKind.OBSERVATION, observations), (NodeKind.EPISODE, clip_of), CONTEXT)
        self.link((NodeKind.OBSERVATION, observations), (NodeKind.CLIP, clip_of), PROVENANCE)
        self.link((NodeKind.OBSERVATION, observations[known]), (NodeKind.ENTITY, entity_of[known]), MEMBERSHIP)

    def add_nodes(self, kind: NodeKind, count: int) -> None:
        """Add the next `count` nodes of a kind; their numbers continue those there are."""
        column = self._indices[kind]
        numbered = zip(repeat(kind), range(len(column), len(column) + count), strict=False)
        # Node(kind, number) by a shorter way: a week has half a million.
        payloads: list[Node] = list(map(tuple.__new__, repeat(Node), numbered))
        column.extend(list(self._graph.add_nodes_from(payloads)))

    def link(
        self, left: tuple[NodeKind, NDArray[np.integer]], right: tuple[NodeKind, NDArray[np.integer]], edge: Edge
    ) -> None:
        """Join known nodes pairwise, given as a kind and its numbers; no pair may be joined already."""
        self.join(left, right, repeat(edge, len(left[1])))

    def join(
        self,
        left: tuple[NodeKind, NDArray[np.integer]],
        right: tuple[NodeKind, NDArray[np.integer]],
        edges: Iterable[Edge],
    ) -> None:
        """As `link`, by an edge of its own for each pair."""
        ends, between = [self._indices[kind][numbers] for kind, numbers in (left, right)], iter(edges)
        for start in range(0, len(ends[0]), _EDGES_AT_ONCE):
            some = [column[start : start + _EDGES_AT_ONCE].tolist() for column in ends]
            self._graph.add_edges_from(list(zip(*some, between, strict=False)))

    def rejoin(self, observation: int, old: int, new: int) -> None:
        """Let a known observation be a member of another known entity."""
        member = self.index(Node(NodeKind.OBSERVATION, observation))
        self._graph.remove_edge(member, self.index(Node(NodeKind.ENTITY, old)))
        self._graph.add_edge(member, self.index(Node(NodeKind.ENTITY, new)), MEMBERSHIP)

    def tie(self, left: Node, right: Node, kind: EdgeKind, known_us: int | None) -> None:
        """Join two known nodes by a semantic edge; where they are joined, it is known since the earlier time."""
        ends = (self.index(left), self.index(right))
        if not self._graph.has_edge(*ends):
            self._graph.add_edge(*ends, Edge(kind, SEMANTIC_WEIGHT, known_us))
        elif known_us is not None and known_us < (self._graph.get_edge_data(*ends).known_us or 0):
            self._graph.update_edge(*ends, Edge(kind, SEMANTIC_WEIGHT, known_us))

    def untie(self, left: Node, right: Node) -> None:
        """Part two nodes that are tied."""
        self._graph.remove_edge(self.index(left), self.index(right))

    def place_episode(self, number: int, start_us: int, end_us: int) -> None:
        """Link an episode to its neighbours in time; one that comes late goes between the two it falls between."""
        self._place(NodeKind.EPISODE, LOCAL, (start_us, end_us, number))

    def place_in_windows(self, episode: int, windows: Sequence[Window]) -> None:
        """Link an episode to the windows that hold it; windows not known yet are the next, and get their neighbours."""
        for window in windows:
            if window.number == len(self._indices[NodeKind.WINDOW]):
                self.add_nodes(NodeKind.WINDOW, 1)
                self._place(NodeKind.WINDOW, window.scale, (window.start_us, window.end_us, window.number))
            held, holder = Node(NodeKind.EPISODE, episode), Node(NodeKind.WINDOW, window.number)
            self._graph.add_edge(self.index(held), self.index(holder), CONTAINMENT)

    def neighbours(self, node: Node) -> list[tuple[Node, Edge]]:
        """Return the nodes beside this one with the edges to them, ordered by kind and number."""
        index = self.index(node)
        beside = [(self._graph[other], edge) for other, edge in self._graph.adj(index).items()]
        return sorted(beside)

    def linked(self, left: Node, right: Node) -> bool:
        """Whether an edge joins two known nodes."""
        return bool(self._graph.has_edge(self.index(left), self.index(right)))

    def _place(self, kind: NodeKind, scale: str, key: "_Place") -> None:
        """Link an episode of any scale to those of the same scale that it falls between."""
        timeline = self._timelines.setdefault(scale, [])
        place = bisect_left(timeline, key)
        before = timeline[place - 1] if place else None
        after = timeline[place] if place < len(timeline) else None
        timeline.insert(place, key)
        if before and after and _adjacent(before, after):
            self._graph.remove_edge(*(self.index(Node(kind, one[2])) for one in (before, after)))
        for left, right in ((before, key), (key, after)):
            if left and right and (edge := _adjacent(left, right)):
                self._graph.add_edge(self.index(Node(kind, left[2])), self.index(Node(kind, right[2])), edge)


_Place = tuple[int, int, int]
"""Start, end (microseconds) and number, by which a timeline is ordered."""


def _adjacent(left: _Place, right: _Place) -> Edge | None:
    gap = max(0, right[0] - left[1])
    return Edge(EdgeKind.ADJACENCY, 1 / (gap / SECOND_US + 1)) if gap <= ADJACENT_WITHIN_US else None

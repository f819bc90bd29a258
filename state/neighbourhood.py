"""The surroundings of one node of the graph as a cut shows them, bounded; edges as in `graph`, with their weights.

Read from the records, of which the graph is made: so it can be shown as of any time, beside the writer.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from biographer.state.coarse import Coarse
from biographer.state.cut import Cut
from biographer.state.graph import (
    ADJACENT_WITHIN_US,
    CO_CLIP,
    CONTAINMENT,
    CONTEXT,
    MEMBERSHIP,
    PROVENANCE,
    SEMANTIC_WEIGHT,
    Edge,
    EdgeKind,
    Node,
    NodeKind,
)
from biographer.state.recalled_entities import apart_from
from biographer.state.semantics import SeenSemantics
from biographer.state.times import SECOND_US


class Joint(NamedTuple):
    """A neighbour, the kind of the edge to it, and the edge's weight; `known_us` where models' words made it."""

    node: Node
    kind: str
    weight: float
    known_us: int | None = None


class Beside(NamedTuple):
    """Two nodes and the edge between them."""

    left: Node
    right: Node
    kind: str
    weight: float
    known_us: int | None


APART = "apart"
"""Not an edge that ranking walks: two entities that were seen at different places in the same frames."""

_MEMBERS = """
SELECT o.number FROM membership m JOIN observation o ON o.number = m.observation
WHERE o.number IN (SELECT observation FROM main.membership WHERE entity IN (SELECT value FROM json_each(:parts)))
  AND m.entity = :n AND m.known_us <= :t AND o.clip < :clips AND o.known_us <= :t AND m.version = (
  SELECT max(version) FROM membership WHERE observation = o.number AND known_us <= :t)
ORDER BY o.start_us DESC, o.number DESC LIMIT :limit
"""

_ENTITY_OF = """
SELECT o.clip, (SELECT entity FROM membership WHERE observation = o.number AND known_us <= :t
  ORDER BY version DESC LIMIT 1)
FROM observation o WHERE o.number = :n AND o.clip < :clips AND o.known_us <= :t
"""

_OF_CLIP = "SELECT number FROM observation WHERE clip = :n AND known_us <= :t ORDER BY number LIMIT :limit"

_BEFORE = """
SELECT b.number, max(0, e.start_us - b.end_us) FROM clip e JOIN clip b ON b.number < :clips AND b.known_us <= :t
  AND (b.start_us, b.end_us, b.number) < (e.start_us, e.end_us, e.number)
WHERE e.number = :n ORDER BY b.start_us DESC, b.end_us DESC, b.number DESC LIMIT 1
"""

_AFTER = """
SELECT b.number, max(0, b.start_us - e.end_us) FROM clip e JOIN clip b ON b.number < :clips AND b.known_us <= :t
  AND (b.start_us, b.end_us, b.number) > (e.start_us, e.end_us, e.number)
WHERE e.number = :n ORDER BY b.start_us, b.end_us, b.number LIMIT 1
"""

_THERE = {
    NodeKind.ENTITY: "SELECT number FROM entity WHERE number = :n AND known_us <= :t AND EXISTS (SELECT 1 FROM "
    "main.membership m JOIN observation o ON o.number = m.observation WHERE m.entity = :n AND o.clip < :clips)",
    NodeKind.OBSERVATION: "SELECT number FROM observation WHERE number = :n AND clip < :clips AND known_us <= :t",
    NodeKind.EPISODE: "SELECT number FROM clip WHERE number = :n AND number < :clips AND known_us <= :t",
    NodeKind.CLIP: "SELECT number FROM clip WHERE number = :n AND number < :clips AND known_us <= :t",
}


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Nodes, nearest first, with their distance in hops; edges between them; whether there were more than shown."""

    nodes: dict[Node, int]
    edges: tuple[Beside, ...]
    cut_short: bool


@dataclass(frozen=True, slots=True)
class SeenGraph:
    """What one reader sees of the graph: a cut, the closed windows in it, and names and facts."""

    cut: Cut
    coarse: Coarse
    semantics: SeenSemantics


def neighbourhood(seen: SeenGraph, centre: Node, hops: int, nodes_max: int) -> Neighbourhood | None:
    """Return what lies within some hops of a node, or None where the reader does not see the node."""
    if not _there(seen, centre):
        return None
    nodes, edges, cut_short = {centre: 0}, dict[frozenset[Node], Beside](), False
    for node in _growing(nodes, hops):
        for joint in _joints(seen, node, nodes_max + 1):
            if joint.node not in nodes and len(nodes) >= nodes_max:
                cut_short = True
                continue
            nodes.setdefault(joint.node, nodes[node] + 1)
            edges.setdefault(frozenset((node, joint.node)), Beside(node, *joint))
    return Neighbourhood(nodes, tuple(edges.values()), cut_short)


def _there(seen: SeenGraph, node: Node) -> bool:
    if node.kind == NodeKind.WINDOW:
        return seen.coarse.named(node.number) is not None
    if node.kind not in _THERE:
        return seen.semantics.holds(node)
    return bool(seen.cut.rows(_THERE[node.kind], n=node.number))


def _growing(nodes: dict[Node, int], hops: int) -> Iterator[Node]:
    """Yield the nodes nearer than `hops`, those that are found meanwhile too."""
    for distance in range(hops):
        yield from [node for node, at in nodes.items() if at == distance]


def _joints(seen: SeenGraph, node: Node, limit: int) -> list[Joint]:
    """Return the edges of a node: those that words make behind the others."""
    tied = [Joint(other, str(kind), SEMANTIC_WEIGHT, known_us) for other, kind, known_us in seen.semantics.beside(node)]
    return _recorded(seen.cut, seen.coarse, node, limit) + tied[:limit]


def _recorded(cut: Cut, coarse: Coarse, node: Node, limit: int) -> list[Joint]:
    number = node.number
    match node.kind:
        case NodeKind.ENTITY:
            rows = cut.rows(_MEMBERS, n=number, parts=cut.parts(number), limit=limit)
            members = [_joint(NodeKind.OBSERVATION, n, MEMBERSHIP) for (n,) in rows]
            return members + [Joint(Node(NodeKind.ENTITY, other), APART, 0.0) for other in apart_from(cut, number)]
        case NodeKind.OBSERVATION:
            ((clip, entity),) = cut.rows(_ENTITY_OF, n=number)
            around = [_joint(NodeKind.EPISODE, clip, CONTEXT), _joint(NodeKind.CLIP, clip, PROVENANCE)]
            return around if entity is None else [_joint(NodeKind.ENTITY, entity, MEMBERSHIP), *around]
        case NodeKind.CLIP:
            seen = [_joint(NodeKind.OBSERVATION, n, PROVENANCE) for (n,) in cut.rows(_OF_CLIP, n=number, limit=limit)]
            return [_joint(NodeKind.EPISODE, number, CO_CLIP), *seen]
        case NodeKind.WINDOW:
            window = coarse.named(number)
            held = [_joint(NodeKind.EPISODE, n, CONTAINMENT) for n in (window.clips if window else ())[:limit]]
            return held + [_adjacent(NodeKind.WINDOW, one.window, gap) for one, gap in coarse.beside(number)]
        case NodeKind.EPISODE:
            own = _joint(NodeKind.CLIP, number, CO_CLIP)
            holding = [_joint(NodeKind.WINDOW, one.window, CONTAINMENT) for one in coarse.of_clip(number)]
            seen = [_joint(NodeKind.OBSERVATION, n, CONTEXT) for (n,) in cut.rows(_OF_CLIP, n=number, limit=limit)]
            beside = [*cut.rows(_BEFORE, n=number), *cut.rows(_AFTER, n=number)]
            near = [(other, gap) for other, gap in beside if gap <= ADJACENT_WITHIN_US]
            return [own, *holding, *seen, *(_adjacent(NodeKind.EPISODE, other, gap) for other, gap in near)]
        case _:
            return []


def _joint(kind: NodeKind, number: int, edge: Edge) -> Joint:
    return Joint(Node(kind, number), str(edge.kind), edge.weight)


def _adjacent(kind: NodeKind, number: int, gap_us: int) -> Joint:
    return Joint(Node(kind, number), str(EdgeKind.ADJACENCY), 1 / (gap_us / SECOND_US + 1))

"""The graph of a memory as GraphML, for whatever reads that: nodes by their names in the API, with kinds and times."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

import apsw
import numpy as np
import rustworkx as rx

from biographer.state.database import fetch
from biographer.state.errors import TransientError
from biographer.state.graph import MemoryGraph, Node, NodeKind
from biographer.state.times import format_time
from biographer.state.windows import Windows

Attributes: TypeAlias = dict[str, str | float]

_LETTERS = {
    NodeKind.ENTITY: "e",
    NodeKind.OBSERVATION: "o",
    NodeKind.EPISODE: "l",
    NodeKind.CLIP: "c",
    NodeKind.WINDOW: "w",
}
_NODE = ("name", "kind", "label", "scale", "start", "end")

_OBSERVED = """
SELECT o.clip, coalesce(m.entity, -1), o.label, o.start_us, o.end_us FROM observation o
LEFT JOIN membership m ON m.observation = o.number
  AND m.version = (SELECT max(version) FROM membership WHERE observation = o.number)
ORDER BY o.number
"""

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What was recorded may hold characters that no XML may."""


def write_graph(cursor: apsw.Cursor, zone: ZoneInfo, path: Path) -> None:
    """Write the graph of the records that a cursor sees; raises TransientError where the disk refuses."""
    drawn = _drawn(cursor, zone)
    untyped: Any = rx  # its stubs know keys without what they are made of
    nodes, edges, kinds = untyped.GraphMLDomain.Node, untyped.GraphMLDomain.Edge, untyped.GraphMLType
    # Keys of our own: those that are made up have one id for nodes and edges, and others can't read that.
    keys = [untyped.GraphMLKey(f"node_{name}", nodes, name, kinds.String, None) for name in _NODE]
    keys.append(untyped.GraphMLKey("edge_kind", edges, "kind", kinds.String, None))
    keys.append(untyped.GraphMLKey("edge_weight", edges, "weight", kinds.Double, None))
    try:
        rx.write_graphml(drawn, str(path), keys=keys)
    except RuntimeError as error:
        raise TransientError(f"{path} cannot be written ({error}); free or repair the disk") from error


def _drawn(cursor: apsw.Cursor, zone: ZoneInfo) -> "rx.PyGraph[Attributes, Attributes]":
    clips = fetch(cursor, "SELECT start_us, end_us FROM clip ORDER BY number")
    seen = fetch(cursor, _OBSERVED)
    ((entities,),) = fetch(cursor, "SELECT count(*) FROM entity")
    memory, windows = MemoryGraph(), Windows(zone)
    belonging = np.array([row[:2] for row in seen], np.int64).reshape(-1, 2)
    memory.grow(len(clips), entities, belonging[:, 0], belonging[:, 1])
    for number, (start_us, end_us) in enumerate(clips):
        memory.place_episode(number, start_us, end_us)
        memory.place_in_windows(number, windows.holding(start_us))
    told = dict(_told(clips, seen, entities, windows))
    drawn: rx.PyGraph[Attributes, Attributes] = rx.PyGraph(multigraph=True)
    drawn.add_nodes_from([told[node] for node in memory.rx.nodes()])
    ends, edges = memory.rx.edge_list(), memory.rx.edges()
    drawn.add_edges_from(
        [(*pair, {"kind": str(edge.kind), "weight": edge.weight}) for pair, edge in zip(ends, edges, strict=True)]
    )
    places = [tuple(memory.index(Node(NodeKind.ENTITY, one)) for one in pair) for pair in _apart(cursor)]
    drawn.add_edges_from([(low, high, {"kind": "apart", "weight": 0.0}) for low, high in places])
    return drawn


def _apart(cursor: apsw.Cursor) -> list[tuple[int, ...]]:
    return fetch(cursor, "SELECT low, high FROM apart ORDER BY low, high")


def _told(
    clips: list[tuple[int, int]], seen: list[tuple[int, int, str, int, int]], entities: int, windows: Windows
) -> Iterator[tuple[Node, Attributes]]:
    for number, span in enumerate(clips):
        yield _node(NodeKind.CLIP, number, span)
        yield _node(NodeKind.EPISODE, number, span, scale="local")
    spans: dict[int, tuple[int, int]] = {}
    labels: dict[int, str] = {}
    for number, (_, entity, label, start_us, end_us) in enumerate(seen):
        yield _node(NodeKind.OBSERVATION, number, (start_us, end_us), label)
        first, last = spans.get(entity, (start_us, end_us))
        spans[entity] = (min(first, start_us), max(last, end_us))
        labels.setdefault(entity, label)
    for number in range(entities):
        yield _node(NodeKind.ENTITY, number, spans.get(number), labels.get(number, ""))
    for window in windows:
        yield _node(NodeKind.WINDOW, window.number, (window.start_us, window.end_us), scale=window.scale)


def _node(
    kind: NodeKind, number: int, span: tuple[int, int] | None, label: str = "", scale: str = ""
) -> tuple[Node, Attributes]:
    start, end = ("", "") if span is None else map(format_time, span)
    values = (f"{_LETTERS[kind]}{number}", str(kind), _NO_XML.sub("\ufffd", label), scale, start, end)
    return Node(kind, number), dict(zip(_NODE, values, strict=True))

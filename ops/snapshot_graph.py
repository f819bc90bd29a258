"""The graph of a memory as GraphML, for whatever reads that: nodes by their names in the API, with kinds and times.

Written line by line: rustworkx' own writer holds the whole document first, 750 MB for a week of recording.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import escape
from zoneinfo import ZoneInfo

import apsw
import numpy as np

from biographer.daemon.unit_names import unit_name
from biographer.ops.snapshot_people import Named, people_of
from biographer.state.cast_people import NOBODY
from biographer.state.database import fetch, meaning
from biographer.state.graph import MemoryGraph, Node, NodeKind
from biographer.state.ruling_rows import apart_pairs
from biographer.state.semantic_graph import SemanticGraph, semantic_remarks
from biographer.state.semantic_numbers import Wording
from biographer.state.standing import Standing
from biographer.state.times import format_time
from biographer.state.windows import Windows

_KEYS = {
    "node": dict.fromkeys(("kind", "label", "scale", "start", "end", "name", "named_by", "part_of"), "string"),
    "edge": {"kind": "string", "weight": "double", "known": "string"},
}
"""Attributes and their types; ids of keys are unique over nodes and edges, which readers rely on."""

_OBSERVED = """
SELECT o.clip, coalesce(m.entity, -1), o.label, o.start_us, o.end_us FROM observation o
LEFT JOIN membership m ON m.observation = o.number
  AND m.version = (SELECT max(version) FROM membership WHERE observation = o.number)
ORDER BY o.number
"""

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What was recorded may hold characters that no XML may."""

Clip = tuple[str, int, int]
Seen = tuple[int, int, str, int, int]


def write_graph(cursor: apsw.Cursor, zone: ZoneInfo, standing: Standing, path: Path) -> None:
    """Write the graph of the records that a cursor sees; raises TransientError where the disk refuses.

    `standing` says who is whom in them: what castings say of it stands beside the entities, which are as association
    and users have them.
    """
    clips: list[Clip] = fetch(cursor, "SELECT name, start_us, end_us FROM clip ORDER BY number")
    seen: list[Seen] = fetch(cursor, _OBSERVED)
    ((entities,),) = fetch(cursor, "SELECT count(*) FROM entity")
    windows = Windows(zone)
    graph = _grown(clips, seen, entities, windows)
    people = {one.entity: one for one in people_of(standing)}
    wordings = _grow_semantics(graph, cursor, clips, standing.names)
    ruled = replace(standing, people=NOBODY)
    with meaning(path), path.open("w", encoding="utf-8") as file:
        file.writelines(_head())
        file.writelines(_nodes(clips, seen, windows))
        file.writelines(_entities(seen, entities, people))
        file.writelines(_node(one.kind, one.number, (one.start_us,), one.text) for one in wordings)
        file.writelines(_edges(graph))
        file.writelines(_edge(f"e{low}", f"e{high}", "apart", 0.0) for low, high in apart_pairs(cursor, ruled))
        file.write("</graph>\n</graphml>\n")


def _grown(clips: list[Clip], seen: list[Seen], entities: int, windows: Windows) -> MemoryGraph:
    graph = MemoryGraph()
    belonging = np.array([row[:2] for row in seen], np.int64).reshape(-1, 2)
    graph.grow(len(clips), entities, belonging[:, 0], belonging[:, 1])
    for number, (_, start_us, end_us) in enumerate(clips):
        graph.place_episode(number, start_us, end_us)
        graph.place_in_windows(number, windows.holding(start_us))
    return graph


def _grow_semantics(
    graph: MemoryGraph, cursor: apsw.Cursor, clips: list[Clip], names: Mapping[int, str]
) -> list[Wording]:
    """Add names and facts, and which entities go by `names`; return how each was worded first."""
    remarks = list(semantic_remarks(lambda query: fetch(cursor, query)))
    semantics = SemanticGraph(graph)
    semantics.grow(remarks, {name: number for number, (name, *_) in enumerate(clips)})
    semantics.bear(names)
    first: dict[Node, Wording] = {}
    for remark, _ in remarks:
        for one in semantics.numbers.wordings(remark):
            first.setdefault(Node(one.kind, one.number), one)
    return [first[node] for node in sorted(first)]


def _head() -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for domain, names in _KEYS.items():
        for name, kind in names.items():
            yield f'<key id="{domain}_{name}" for="{domain}" attr.name="{name}" attr.type="{kind}"/>\n'
    yield '<graph edgedefault="undirected">\n'


def _nodes(clips: list[Clip], seen: list[Seen], windows: Windows) -> Iterator[str]:
    for number, (_, *span) in enumerate(clips):
        yield _node(NodeKind.CLIP, number, span)
        yield _node(NodeKind.EPISODE, number, span, scale="local")
    for number, (_, _, label, start_us, end_us) in enumerate(seen):
        yield _node(NodeKind.OBSERVATION, number, (start_us, end_us), label)
    for window in windows:
        yield _node(NodeKind.WINDOW, window.number, (window.start_us, window.end_us), scale=window.scale)


def _entities(seen: list[Seen], entities: int, people: Mapping[int, Named]) -> Iterator[str]:
    spans: dict[int, tuple[int, int]] = {}
    labels: dict[int, str] = {}
    for _, entity, label, start_us, end_us in seen:
        first, last = spans.get(entity, (start_us, end_us))
        spans[entity] = (min(first, start_us), max(last, end_us))
        labels.setdefault(entity, label)
    for number in range(entities):
        yield _node(NodeKind.ENTITY, number, spans.get(number, ()), labels.get(number, ""), **_who(people.get(number)))


def _who(one: Named | None) -> dict[str, str]:
    if one is None:
        return {}
    part_of = "" if one.part_of is None else unit_name(Node(NodeKind.ENTITY, one.part_of))
    return {"name": _xml(one.name), "named_by": one.named_by, "part_of": part_of}


def _node(kind: NodeKind, number: int, span: Sequence[int], label: str = "", **more: str) -> str:
    """Return a node with its start, its end where the span has one, and whatever more is not empty."""
    start, end = (*map(format_time, span), "", "")[:2]
    values = {"kind": str(kind), "label": _xml(label), "start": start, "end": end, **more}
    told = "".join(f'<data key="node_{name}">{escape(value)}</data>' for name, value in values.items() if value)
    return f'<node id="{unit_name(Node(kind, number))}">{told}</node>\n'


def _xml(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)


def _edges(graph: MemoryGraph) -> Iterator[str]:
    names = [unit_name(node) for node in graph.rx.nodes()]
    for left, right, edge in graph.rx.weighted_edge_list():
        yield _edge(names[left], names[right], str(edge.kind), edge.weight, edge.known_us)


def _edge(left: str, right: str, kind: str, weight: float, known_us: int | None = None) -> str:
    told = f'<data key="edge_kind">{kind}</data><data key="edge_weight">{weight!r}</data>'
    told += "" if known_us is None else f'<data key="edge_known">{format_time(known_us)}</data>'
    return f'<edge source="{left}" target="{right}">{told}</edge>\n'

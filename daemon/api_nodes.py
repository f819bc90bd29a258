"""From the graph around a node to the API's records: what each node is called, when it is, and a picture of it."""

from biographer.daemon import api_records as records
from biographer.daemon.api_answers import picture_path
from biographer.daemon.api_graph_records import EdgeRecord, Graph, NodeRecord
from biographer.daemon.unit_names import unit_name
from biographer.state.graph import Node, NodeKind
from biographer.state.neighbourhood import Beside, Neighbourhood, SeenGraph
from biographer.state.recalled_clips import clip
from biographer.state.recalled_entities import entity
from biographer.state.recalled_observations import best_picture, sighting
from biographer.state.times import format_time

Told = tuple[str | None, int | None, str | None]
"""A node's label, its start in microseconds, and where its picture is; None where it has none."""


def graph_record(graph: SeenGraph, found: Neighbourhood, snapshot: records.SnapshotRecord) -> Graph:
    """Return a node's surroundings."""
    return Graph(
        snapshot=snapshot,
        nodes=tuple(_node(graph, node, hops) for node, hops in found.nodes.items()),
        edges=tuple(map(_edge, found.edges)),
        complete=not found.cut_short,
    )


def _edge(one: Beside) -> EdgeRecord:
    return EdgeRecord(
        left=unit_name(one.left),
        right=unit_name(one.right),
        kind=one.kind,
        weight=one.weight,
        known=None if one.known_us is None else format_time(one.known_us),
    )


def _node(graph: SeenGraph, node: Node, hops: int) -> NodeRecord:
    label, start_us, crop = _told(graph, node)
    return NodeRecord(
        node=unit_name(node),
        kind=str(node.kind),
        hops=hops,
        label=label,
        start=None if start_us is None else format_time(start_us),
        crop=crop,
    )


def _told(graph: SeenGraph, node: Node) -> Told:
    cut, coarse = graph.cut, graph.coarse
    stream = cut.snapshot.stream
    if node.kind in {NodeKind.NAME, NodeKind.FACT}:
        worded = graph.semantics.worded(node)
        return (None, None, None) if worded is None else (worded.text, worded.start_us, None)
    if node.kind == NodeKind.ENTITY:
        known = entity(cut, node.number)
        best = None if known is None else best_picture(cut, node.number, known.label)
        crop = None if best is None else picture_path(stream, best)
        return (None, None, None) if known is None else (known.label, known.first_us, crop)
    if node.kind == NodeKind.OBSERVATION:
        seen = sighting(cut, node.number)
        crop = picture_path(stream, node.number) if seen is not None and seen.crops else None
        return (None, None, None) if seen is None else (seen.label, seen.start_us, crop)
    if node.kind == NodeKind.WINDOW:
        window = coarse.named(node.number)
        return None, None if window is None else window.start_us, None
    # A local episode has the number and the time of its clip.
    record = clip(cut, node.number)
    return None, None if record is None else record.start_us, None

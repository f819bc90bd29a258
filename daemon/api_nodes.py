"""From the graph around a node to the API's records: what each node is called, when it is, and a picture of it."""

from biographer.daemon import api_records as records
from biographer.daemon.api_answers import node_name, picture_path
from biographer.state.coarse import Coarse
from biographer.state.cut import Cut
from biographer.state.graph import Node, NodeKind
from biographer.state.neighbourhood import Neighbourhood
from biographer.state.recalled_clips import clip
from biographer.state.recalled_entities import entity
from biographer.state.recalled_observations import best_picture, sighting
from biographer.state.times import format_time

Told = tuple[str | None, int | None, str | None]
"""A node's label, its start in microseconds, and where its picture is; None where it has none."""


def graph_record(cut: Cut, coarse: Coarse, found: Neighbourhood, snapshot: records.SnapshotRecord) -> records.Graph:
    """Return a node's surroundings."""
    return records.Graph(
        snapshot=snapshot,
        nodes=tuple(_node(cut, coarse, node, hops) for node, hops in found.nodes.items()),
        edges=tuple(
            records.EdgeRecord(left=node_name(left), right=node_name(right), kind=kind, weight=weight)
            for left, right, kind, weight in found.edges
        ),
        complete=not found.cut_short,
    )


def _node(cut: Cut, coarse: Coarse, node: Node, hops: int) -> records.NodeRecord:
    label, start_us, crop = _told(cut, coarse, node)
    return records.NodeRecord(
        node=node_name(node),
        kind=str(node.kind),
        hops=hops,
        label=label,
        start=None if start_us is None else format_time(start_us),
        crop=crop,
    )


def _told(cut: Cut, coarse: Coarse, node: Node) -> Told:
    stream = cut.snapshot.stream
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

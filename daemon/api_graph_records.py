"""What the API answers of the graph around a node, as typed records."""

from typing import Annotated

from msgspec import Meta

from biographer.daemon.api_records import Record, SnapshotRecord, Time


class NodeRecord(Record, frozen=True, kw_only=True):
    """A node of the graph; `hops` is its distance from the one asked for."""

    node: str
    kind: str
    hops: int
    label: Annotated[str | None, Meta(description="The label of an entity or observation; a name or fact in words.")]
    start: Annotated[Time | None, Meta(description="When it starts, or is first seen or spoken of.")]
    crop: Annotated[str | None, Meta(description="Where to GET a picture of it.")]


class EdgeRecord(Record, frozen=True, kw_only=True):
    """An edge; `apart` says that two entities were seen at different places, and ranking does not walk it."""

    left: str
    right: str
    kind: str
    weight: float
    known: Annotated[Time | None, Meta(description="Since when it is known, where a model's words made it.")] = None


class Graph(Record, frozen=True, kw_only=True):
    """A node's surroundings; `complete` is false where there was more within the hops than shown."""

    snapshot: SnapshotRecord
    nodes: tuple[NodeRecord, ...]
    edges: tuple[EdgeRecord, ...]
    complete: bool

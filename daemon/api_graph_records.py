"""What the API answers of the graph around a node, as typed records."""

from typing import Annotated

from msgspec import Meta

from biographer.daemon.api_fields import Time
from biographer.daemon.api_records import Drawn, Record


class NodeRecord(Record, frozen=True, kw_only=True):
    """A node of the graph."""

    node: Annotated[str, Meta(description="Its name, such as e12.")]
    kind: Annotated[str, Meta(description="entity, observation, episode (a local one), clip, window, name or fact.")]
    hops: Annotated[int, Meta(description="Its distance from the one asked for, in edges.")]
    label: Annotated[
        str | None,
        Meta(description="The label of an entity or observation; a name or fact in words; null for other kinds."),
    ]
    start: Annotated[
        Time | None, Meta(description="When it starts, or is first seen or spoken of; null where that is not known.")
    ]
    crop: Annotated[str | None, Meta(description="Where to GET a picture of it; null where there is none.")]


class EdgeRecord(Record, frozen=True, kw_only=True):
    """An edge; `apart` says that two entities were seen at different places, and ranking does not walk it."""

    left: Annotated[str, Meta(description="The node at its one end.")]
    right: Annotated[str, Meta(description="The node at its other end.")]
    kind: Annotated[
        str,
        Meta(
            description="membership, context, provenance, adjacency, containment, co_clip, mentioned_in, appeared_in, "
            "has_property or apart."
        ),
    ]
    weight: Annotated[float, Meta(description="How much ranking follows it beside others; 0 where it does not.")]
    known: Annotated[
        Time | None, Meta(description="Since when it is known, where a model's words made it; null for others.")
    ] = None


class Graph(Record, frozen=True, kw_only=True):
    """A node's surroundings."""

    snapshot: Drawn
    nodes: Annotated[tuple[NodeRecord, ...], Meta(description="The nearest first, beginning with the one asked for.")]
    edges: Annotated[
        tuple[EdgeRecord, ...],
        Meta(description="Those that lead from nodes nearer than `hops` to nodes that are shown."),
    ]
    complete: Annotated[bool, Meta(description="Whether that is all there is within the hops.")]

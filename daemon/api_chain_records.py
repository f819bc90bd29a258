"""Chains over the API, as a list: what was written about topics and events over time."""

from typing import Annotated, Literal

from msgspec import Meta

from biographer.daemon.api_queries import EntityId, OfStream
from biographer.daemon.api_records import Record, SnapshotRecord
from biographer.daemon.api_search_records import LinkRecord


class OfChains(OfStream, frozen=True, kw_only=True):
    """Chains, those that were extended last first."""

    name: (
        Annotated[
            str, Meta(min_length=1, max_length=200, description="Only the topic of this name, and events that tell it.")
        ]
        | None
    ) = None
    entity: EntityId | None = None
    limit: Annotated[int, Meta(ge=1, le=100, description="Most chains.")] = 20
    links: Annotated[int, Meta(ge=1, le=500, description="Most links of each, the latest.")] = 8


class ListedLinkRecord(LinkRecord, frozen=True, kw_only=True):
    """One fact or step, with where it is seen."""

    clip: Annotated[str | None, Meta(description="The first of its clips, such as c12.")]


class ListedChainRecord(Record, frozen=True, kw_only=True):
    """A chain and its latest links, in order of time."""

    kind: Literal["topic", "event"]
    title: str
    entity: Annotated[str | None, Meta(description="Of a topic: the entity that goes by its name.")]
    links: tuple[ListedLinkRecord, ...]
    further: Annotated[int, Meta(description="How many links came before these.")]


class ChainList(Record, frozen=True, kw_only=True):
    """A stream's chains; `total` is how many there are of what was asked for."""

    snapshot: SnapshotRecord
    total: int
    chains: tuple[ListedChainRecord, ...]

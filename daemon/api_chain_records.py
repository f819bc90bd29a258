"""Chains over the API, as a list: what was written about topics and events over time."""

from typing import Annotated, Literal

from msgspec import Meta

from biographer.daemon.api_queries import Cursor, EntityId, OfStream
from biographer.daemon.api_records import Record, SnapshotRecord
from biographer.daemon.api_search_records import LinkRecord
from biographer.state.chain_listing import MOST_LINKS

CHAINS_MAX = 100


class OfChains(OfStream, frozen=True, kw_only=True):
    """A page of chains, those that were extended last first."""

    name: (
        Annotated[
            str, Meta(min_length=1, max_length=200, description="Only the topic of this name, and events that tell it.")
        ]
        | None
    ) = None
    entity: EntityId | None = None
    limit: Annotated[
        int,
        Meta(ge=1, le=CHAINS_MAX, description=f"Most chains of a page, which ends early at {MOST_LINKS} links."),
    ] = 20
    links: Annotated[int, Meta(ge=1, le=MOST_LINKS, description="Most links of each, the latest.")] = 8
    cursor: Cursor | None = None


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


class ChainPage(Record, frozen=True, kw_only=True):
    """A page of chains; `total` is how many there are of what was asked for."""

    snapshot: SnapshotRecord
    total: int
    chains: tuple[ListedChainRecord, ...]
    next: str | None

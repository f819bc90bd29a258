"""Chains over the API, as a list: what was written about topics and events over time."""

from typing import Annotated

from msgspec import Meta

from biographer.daemon.api_fields import ChainKind, Next
from biographer.daemon.api_queries import Cursor, EntityId, OfStream
from biographer.daemon.api_records import Drawn, Record
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

    clip: Annotated[str | None, Meta(description="The first of its clips, such as c12; null where it is not there.")]


class ListedChainRecord(Record, frozen=True, kw_only=True):
    """A chain and its latest links, in order of time."""

    kind: ChainKind
    title: Annotated[str, Meta(description="The topic's name, or the event's title.")]
    entity: Annotated[
        str | None, Meta(description="Of a topic: the entity that goes by its name; null where there is none.")
    ]
    links: Annotated[tuple[ListedLinkRecord, ...], Meta(description="The latest of its links.")]
    further: Annotated[int, Meta(description="How many links came before these.")]


class ChainPage(Record, frozen=True, kw_only=True):
    """A page of chains."""

    snapshot: Drawn
    total: Annotated[int, Meta(description="How many there are of what was asked for, on all pages.")]
    chains: Annotated[tuple[ListedChainRecord, ...], Meta(description="Those of this page, extended last first.")]
    next: Next

"""`biographer chains`."""

import asyncio
from collections.abc import Iterator
from datetime import tzinfo
from pathlib import Path
from typing import Any

import click

from biographer.daemon.api_chain_records import ListedChainRecord, ListedLinkRecord
from biographer.daemon.api_records import StreamRecord
from biographer.ops.daemon_place import daemon_client, daemon_url
from biographer.ops.local_time import asked_time, local_time, refuse_untimely
from biographer.ops.options import as_of_option, config_option, json_option, settings_of, stream_option, url_option
from biographer.ops.stream_asked import stream_asked
from biographer.ops.tables import Row, show
from biographer.state.chain_listing import MOST_LINKS
from biographer.state.zones import zone_of


@click.command()
@click.option("--name", metavar="NAME", help="Only the topic of this name, and events that tell it.")
@click.option("--entity", metavar="e12", help="Only those of the name that it goes by.")
@click.option("--links", type=click.IntRange(1, MOST_LINKS), default=8, show_default=True, help="Most links of each.")
@as_of_option
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True, help="Most chains.")
@stream_option
@url_option
@config_option
@json_option
def chains(*, stream: str | None, url: str | None, config: Path | None, as_json: bool, **asked: Any) -> None:  # noqa: ANN401 - passed on as they are named
    """List what was written about topics and events over time.

    The running daemon is asked. Those that were extended last come first, each with its latest facts or steps in order
    of time.
    """
    refuse_untimely(asked["as_of"])
    settings, limit = settings_of(config), asked.pop("limit")
    source = url or daemon_url(settings)

    async def found() -> tuple[StreamRecord, list[ListedChainRecord]]:
        async with daemon_client(settings, source) as client:
            record, told = await stream_asked(client, stream, source), []
            timed = {"as_of": asked_time(asked["as_of"], zone_of(record.timezone))}
            async for one in client.chains(record.stream, **{**asked, **timed}):
                told.append(one)
                if len(told) == limit:
                    break
            return record, told

    record, told = asyncio.run(found())
    zone = zone_of(record.timezone)
    rows = [_whole(one, zone) for one in told] if as_json else [row for one in told for row in _rows(one, zone)]
    show("chains", rows, as_json=as_json, head={"stream": record.stream})


def _whole(one: ListedChainRecord, zone: tzinfo) -> Row:
    links = [_link(link, zone) for link in one.links]
    return {"kind": one.kind, "title": one.title, "entity": one.entity, "further": one.further, "links": links}


def _rows(one: ListedChainRecord, zone: tzinfo) -> Iterator[Row]:
    """Yield a chain's links, a row each, and before them how many came earlier."""
    title = one.title if one.entity is None else f"{one.title} ({one.entity})"
    chain = {"chain": title, "kind": one.kind}
    if one.further:
        yield {**chain, "start": None, "end": None, "text": f"({one.further} more before)", "clip": None}
    yield from ({**chain, **_link(link, zone)} for link in one.links)


def _link(link: ListedLinkRecord, zone: tzinfo) -> Row:
    start, end = local_time(link.start, zone), local_time(link.end, zone)
    return {"start": start, "end": end, "text": link.text, "clip": link.clip}

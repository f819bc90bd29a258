"""`biographer relations`."""

import asyncio
from pathlib import Path
from typing import Any

import click

from biographer.daemon.api_records import StreamRecord
from biographer.daemon.api_relation_records import PartyRecord, RelationList
from biographer.ops.daemon_place import daemon_client, daemon_url
from biographer.ops.local_time import asked_time, local_time, refuse_untimely
from biographer.ops.options import (
    WITHOUT_OFFSET,
    as_of_option,
    config_option,
    json_option,
    settings_of,
    stream_option,
    url_option,
)
from biographer.ops.stream_asked import stream_asked
from biographer.ops.tables import Row, show
from biographer.state.relation import PartyKind, RelationKind
from biographer.state.zones import zone_of

_TIMES = ("begin", "until", "as_of")
_PARTY = click.Choice([kind.value for kind in PartyKind])


@click.command()
@click.option("--source", metavar="NAME", help="Who or what does it.")
@click.option("--target", metavar="NAME", help="To whom, or with what.")
@click.option("--kind", type=click.Choice([kind.value for kind in RelationKind]), help="What is done.")
@click.option("--source-kind", type=_PARTY, help="What the source is.")
@click.option("--target-kind", type=_PARTY, help="What the target is.")
@click.option("--entity", metavar="e12", help="Only those at one of whose ends it is.")
@click.option("--text", default="", help="What it is about, to rank what fits alike.")
@click.option("--from", "begin", metavar="RFC3339", help=f"Only what ends after this time. {WITHOUT_OFFSET}")
@click.option("--to", "until", metavar="RFC3339", help="Only what starts before this time; likewise.")
@as_of_option
@click.option("--limit", type=click.IntRange(1, 200), default=16, show_default=True, help="Most rows.")
@stream_option
@url_option
@config_option
@json_option
def relations(*, stream: str | None, url: str | None, config: Path | None, as_json: bool, **asked: Any) -> None:  # noqa: ANN401 - passed on as they are named
    """Find who did what with whom or what, and when.

    The running daemon is asked. What meets all that is asked comes first; where that is too little, one constraint
    after another is relaxed, and each row says which.
    """
    refuse_untimely(*(asked[name] for name in _TIMES))
    settings = settings_of(config)
    source = url or daemon_url(settings)

    async def found() -> tuple[StreamRecord, RelationList]:
        async with daemon_client(settings, source) as client:
            record = await stream_asked(client, stream, source)
            timed = {name: asked_time(asked[name], zone_of(record.timezone)) for name in _TIMES}
            return record, await client.relations(record.stream, **{**asked, **timed})

    record, answer = asyncio.run(found())
    zone = zone_of(record.timezone)
    rows: list[Row] = [
        {
            "start": local_time(one.start, zone),
            "end": local_time(one.end, zone),
            "source": _party(one.source),
            "kind": one.kind.value.replace("_", " "),
            "target": _party(one.target),
            "evidence": one.evidence,
            "clip": one.clip,
            "relaxed": [one.value for one in one.relaxed],
        }
        for one in answer.relations
    ]
    show("relations", rows, as_json=as_json, head={"stream": record.stream, "version": answer.snapshot.version})


def _party(one: PartyRecord) -> str:
    return one.name if one.entity is None else f"{one.name} ({one.entity})"

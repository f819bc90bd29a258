"""`biographer name|merge|split|apart|undo|rulings`: a user's word about who is who, through the running daemon."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, tzinfo
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from biographer.daemon.api_records import StreamRecord
from biographer.daemon.api_ruling_records import RulingList, RulingMade, RulingRecord
from biographer.daemon.client_async import AsyncClient
from biographer.ops.daemon_place import daemon_client, daemon_url
from biographer.ops.local_time import asked_time, local_time, refuse_untimely
from biographer.ops.options import WITHOUT_OFFSET, config_option, json_option, settings_of, stream_option, url_option
from biographer.ops.stream_asked import stream_asked
from biographer.ops.tables import Row, show
from biographer.state.zones import zone_of

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


def _asking(command: F) -> F:
    """Add --stream, --url, --config and --json."""
    return stream_option(url_option(config_option(json_option(command))))


@click.command()
@click.argument("entity")
@click.argument("name")
@_asking
def name(*, entity: str, name: str, **asked: Any) -> None:  # noqa: ANN401 - the shared options
    """Give a person or thing its name.

    ENTITY is e12 or so. It holds from now on, for what was seen before too; who asks as of an earlier time does not
    see it.
    """
    _say(lambda client, stream: client.name(stream, entity, name), **asked)


@click.command()
@click.argument("entity")
@click.argument("other")
@_asking
def merge(*, entity: str, other: str, **asked: Any) -> None:  # noqa: ANN401 - the shared options
    """Say that OTHER is ENTITY.

    Whatever looks like either is ENTITY from now on. Two that were seen apart in the same frames are refused.
    """
    _say(lambda client, stream: client.merge(stream, entity, other), **asked)


@click.command()
@click.argument("entity")
@click.argument("observations", nargs=-1, required=True)
@_asking
def split(*, entity: str, observations: tuple[str, ...], **asked: Any) -> None:  # noqa: ANN401 - the shared options
    """Say that some OBSERVATIONS of ENTITY are of another.

    They begin an entity of their own, which is never taken for the old one again. Observations are o12 or so.
    """
    _say(lambda client, stream: client.split(stream, entity, observations), **asked)


@click.command()
@click.argument("entity")
@click.argument("other")
@_asking
def apart(*, entity: str, other: str, **asked: Any) -> None:  # noqa: ANN401 - the shared options
    """Say that OTHER is not ENTITY.

    They are two for good, as if they had been seen apart.
    """
    _say(lambda client, stream: client.apart(stream, entity, other), **asked)


@click.command()
@click.argument("ruling")
@_asking
def undo(*, ruling: str, **asked: Any) -> None:  # noqa: ANN401 - the shared options
    """Withdraw what was said before.

    RULING is r3 or so (`biographer rulings` lists them); an undoing can be undone as well.
    """
    _say(lambda client, stream: client.undo(stream, ruling), **asked)


@click.command()
@click.option("--as-of", metavar="RFC3339", help=f"Only what had been said by this event time. {WITHOUT_OFFSET}")
@_asking
def rulings(*, as_of: str | None, as_json: bool, **asked: Any) -> None:  # noqa: ANN401 - the shared options
    """List what users said about who is who.

    The earliest comes first; what was undone is listed too.
    """
    refuse_untimely(as_of)
    record, found = _ask(partial(_said, as_of), **asked)
    head = {"stream": record.stream, "version": found.snapshot.version}
    show("rulings", _rows(found.rulings, zone_of(record.timezone)), as_json=as_json, head=head)


async def _said(
    as_of: str | None, client: AsyncClient, stream: str | None, source: str
) -> tuple[StreamRecord, RulingList]:
    record = await stream_asked(client, stream, source)
    return record, await client.rulings(record.stream, asked_time(as_of, zone_of(record.timezone)))


def _say(call: Callable[[AsyncClient, str], Awaitable[RulingMade]], *, as_json: bool, **asked: Any) -> None:  # noqa: ANN401 - passed on
    stream, made = _ask(partial(_obeyed, call), **asked)
    head = {"stream": stream, "version": made.version, "observations_moved": made.moved}
    show("rulings", _rows([made.ruling], UTC), as_json=as_json, head=head)


async def _obeyed(
    call: Callable[[AsyncClient, str], Awaitable[RulingMade]], client: AsyncClient, stream: str | None, source: str
) -> tuple[str, RulingMade]:
    # A token that may write and not read cannot ask for the stream that it names.
    name = stream if stream is not None else (await stream_asked(client, None, source)).stream
    return name, await call(client, name)


def _ask(
    call: Callable[[AsyncClient, str | None, str], Awaitable[T]],
    *,
    stream: str | None,
    url: str | None,
    config: Path | None,
) -> T:
    settings = settings_of(config)
    source = url or daemon_url(settings)

    async def asked() -> T:
        async with daemon_client(settings, source) as client:
            return await call(client, stream, source)

    return asyncio.run(asked())


def _rows(found: Sequence[RulingRecord], zone: tzinfo) -> list[Row]:
    return [
        {
            "ruling": one.ruling,
            "act": one.act,
            "entity": one.entity,
            "other": one.other,
            "name": one.name,
            "observations": list(one.observations),
            "undoes": one.undoes,
            "by": one.by,
            "known": local_time(one.known, zone),
            "in_force": one.in_force,
        }
        for one in found
    ]

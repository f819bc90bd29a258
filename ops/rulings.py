"""`biographer name|merge|split|apart|undo|rulings`: a user's word about who is who, through the running daemon."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from biographer.daemon.api_ruling_records import RulingMade, RulingRecord
from biographer.daemon.client_async import AsyncClient
from biographer.ops.daemon_place import daemon_client, daemon_url
from biographer.ops.options import config_option, json_option, settings_of, stream_option, url_option
from biographer.ops.stream_asked import stream_asked
from biographer.ops.tables import Row, show

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
@click.option("--as-of", metavar="RFC3339", help="Only what had been said by this event time.")
@_asking
def rulings(*, as_of: str | None, as_json: bool, **asked: Any) -> None:  # noqa: ANN401 - the shared options
    """List what users said about who is who.

    The earliest comes first; what was undone is listed too.
    """
    stream, found = _ask(lambda client, stream: client.rulings(stream, as_of), **asked)
    head = {"stream": stream, "version": found.snapshot.version}
    show("rulings", _rows(found.rulings), as_json=as_json, head=head)


def _say(call: Callable[[AsyncClient, str], Awaitable[RulingMade]], *, as_json: bool, **asked: Any) -> None:  # noqa: ANN401 - passed on
    stream, made = _ask(call, **asked)
    head = {"stream": stream, "version": made.version, "observations_moved": made.moved}
    show("rulings", _rows([made.ruling]), as_json=as_json, head=head)


def _ask(
    call: Callable[[AsyncClient, str], Awaitable[T]], *, stream: str | None, url: str | None, config: Path | None
) -> tuple[str, T]:
    settings = settings_of(config)
    source = url or daemon_url(settings)

    async def asked() -> tuple[str, T]:
        async with daemon_client(settings, source) as client:
            asked_of = await stream_asked(client, stream, source)
            return asked_of, await call(client, asked_of)

    return asyncio.run(asked())


def _rows(found: Sequence[RulingRecord]) -> list[Row]:
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
            "known": one.known,
            "in_force": one.in_force,
        }
        for one in found
    ]

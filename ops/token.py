"""`biographer token`: who may ask the daemon, and for what."""

import secrets
from pathlib import Path
from typing import get_args

import click

from biographer.daemon.clock import now_us
from biographer.daemon.tokens import EVERY_STREAM, Role, Token, TokenBook
from biographer.ops.options import config_option, json_option, settings_of, state_option
from biographer.ops.tables import Row, show
from biographer.state.times import SECOND_US

_DAY_US = 24 * 3600 * SECOND_US


@click.group()
def token() -> None:
    """Create, list and revoke the tokens of the HTTP API.

    They lie hashed in access.json of the state folder. While there is none, the daemon serves its own machine only;
    from the first on every request needs one, this machine's too: commands such as `search` take theirs from the
    setting client.token_file. A running daemon follows at once; only where it listens is decided at its start.
    """


@token.command()
@click.argument("name")
@click.option(
    "--role",
    "roles",
    type=click.Choice(get_args(Role)),
    multiple=True,
    default=("read",),
    show_default=True,
    help="read, write (send clips, say who is who), or admin (both, and metrics); may be repeated.",
)
@click.option(
    "--stream", "streams", multiple=True, help="A stream that it may see; may be repeated. Default: every one."
)
@click.option("--days", type=click.FloatRange(min=0, min_open=True), help="Days until it ends. Default: never.")
@config_option
@state_option
def create(
    *,
    name: str,
    roles: tuple[Role, ...],
    streams: tuple[str, ...],
    days: float | None,
    config: Path | None,
    state: Path | None,
) -> None:
    """Make a token called NAME and print it: this once, for only its hash is kept."""
    made_us = now_us()
    expires_us = None if days is None else made_us + round(days * _DAY_US)
    book = _book(config, state)
    made, secret = book.create(name, roles, streams or (EVERY_STREAM,), made_us, secrets.token_bytes, expires_us)
    click.echo(secret)
    click.echo(f"token {made.id}: {', '.join(made.roles)} on {', '.join(made.streams)}", err=True)


@token.command(name="list")
@config_option
@state_option
@json_option
def listed(*, config: Path | None, state: Path | None, as_json: bool) -> None:
    """List the tokens there are, without their secrets."""
    show("tokens", [_row(one) for one in _book(config, state).tokens()], as_json=as_json)


@token.command()
@click.argument("identifier", metavar="ID")
@config_option
@state_option
def revoke(*, identifier: str, config: Path | None, state: Path | None) -> None:
    """Strike the token of this ID: it and its sessions open nothing from now on."""
    gone = _book(config, state).revoke(identifier)
    click.echo(f"token {gone.id} ({gone.name}) is revoked")


def _book(config: Path | None, state: Path | None) -> TokenBook:
    return TokenBook(Path(settings_of(config, state).state.folder))


def _row(one: Token) -> Row:
    return {
        "id": one.id,
        "name": one.name,
        "roles": list(one.roles),
        "streams": list(one.streams),
        "created": one.created,
        "expires": one.expires,
    }

"""`biographer mcp`."""

import asyncio
from pathlib import Path

import click

from biographer.daemon.http import HttpServer, listen
from biographer.daemon.secret import client_token
from biographer.daemon.settings import Settings
from biographer.ops.daemon_place import daemon_url
from biographer.ops.options import config_option, settings_of, url_option
from biographer.state.errors import FatalError


@click.command()
@click.option("--http", is_flag=True, help="Serve over HTTP, at /mcp, instead of standard input and output.")
@click.option("--host", default="127.0.0.1", show_default=True, help="With --http: address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8641, show_default=True, help="With --http: port.")
@url_option
@config_option
def mcp(*, http: bool, host: str, port: int, url: str | None, config: Path | None) -> None:
    """Give the memory to a language model's own client, by MCP.

    The tools ask the running daemon: streams, search, biography, episodes, relations, chains, frame, ask. Over stdio
    they bear the token of the settings; over HTTP each call bears its own.
    """
    settings = settings_of(config)
    _serve(settings, url or daemon_url(settings), (host, port) if http else None)


def _serve(settings: Settings, url: str, at: tuple[str, int] | None) -> None:
    try:
        from biographer.ops.mcp_server import http_application, mcp_server, passing_on  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise FatalError(f"the MCP SDK is not here ({error}); pip install 'biographer[mcp]'") from error
    server = mcp_server(passing_on(url, client_token(settings), settings.client.timeout_s))
    if at is None:
        server.run("stdio")
        return
    with listen(*at) as listening:
        host, port = listening.getsockname()[:2]
        click.echo(f"biographer: MCP at http://{host}:{port}/mcp, asking {url}", err=True)
        app = http_application(server, at[0], settings.http.hosts)
        asyncio.run(HttpServer(app, lifespan=True).serve([listening]))

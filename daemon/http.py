"""The HTTP server: its socket and its life; what it answers is in `api`. Loopback unless tokens guard the rest."""

import asyncio
import contextlib
import socket
from collections.abc import Generator

import uvicorn
from starlette.types import ASGIApp

from biographer.daemon.access import is_loopback
from biographer.state.errors import FatalError

LOOPBACK = "127.0.0.1"

_CONNECTIONS_MAX = 1024

_ENDING_S, _CANCELLING_S = 2.0, 4
"""How long answers may take to end once the server does: then their readers are hung up on, then they are cancelled."""


def address(host: str, *, guarded: bool) -> str:
    """Return where to listen: as the settings say, but only at this machine where no token guards the memory."""
    return host if guarded or is_loopback(host) else LOOPBACK


def listen(host: str, port: int) -> socket.socket:
    """Return a bound socket. Raises FatalError naming the setting."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((host, port), family=family)
    except OSError as error:
        raise FatalError(f"can't listen at {host}:{port}: {error}; set http.host and http.port") from error
    # Connections inherit it. asyncio sets it only where a socket names its protocol, and these don't: a head and a
    # body sent one after the other then waited 40 ms for each other.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


class HttpServer(uvicorn.Server):
    """Uvicorn as a guest in our loop: signals are the service's business, not its.

    `lifespan` tells an application of its start and end, where it must know.
    """

    def __init__(self, app: ASGIApp, *, lifespan: bool = False) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                lifespan="on" if lifespan else "off",
                timeout_graceful_shutdown=_CANCELLING_S,
                limit_concurrency=_CONNECTIONS_MAX,
                proxy_headers=False,  # whoever can set them would choose where they come from
                server_header=False,
            )
        )

    def end(self) -> None:
        """Answer what was asked, then stop."""
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait a while for answers to end, then hang up: what uvicorn would cancel, it would log as a fault of ours."""
        hanging_up = asyncio.get_running_loop().call_later(_ENDING_S, self._hang_up)
        try:
            await super().shutdown(sockets)
        finally:
            hanging_up.cancel()

    def _hang_up(self) -> None:
        for connection in list(self.server_state.connections):
            if connection.transport is not None:
                connection.transport.abort()

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave the signals alone."""
        yield

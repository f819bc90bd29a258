"""The HTTP side: liveness, readiness with its reasons, metrics. Loopback unless the settings say otherwise."""

import contextlib
import socket
from collections.abc import Callable, Generator

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from biographer.daemon.health import Health
from biographer.state.errors import FatalError

_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def application(health: Health, metrics_page: Callable[[], bytes]) -> Starlette:
    """Return the app; `metrics_page` gives the page in Prometheus' text format."""

    async def alive(_: Request) -> Response:
        return JSONResponse({"alive": True})

    async def ready(_: Request) -> Response:
        reasons = health.reasons()
        body = {"ready": not reasons, "reasons": reasons, "last_failures": list(health.last_failures)}
        return JSONResponse(body, status_code=503 if reasons else 200)

    async def metrics(_: Request) -> Response:
        return Response(metrics_page(), headers={"content-type": _METRICS_TYPE})

    return Starlette(routes=[Route("/healthz", alive), Route("/readyz", ready), Route("/metrics", metrics)])


def listen(host: str, port: int) -> socket.socket:
    """Return a bound socket. Raises FatalError naming the setting."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise FatalError(f"can't listen at {host}:{port}: {error}; set http.host and http.port") from error


class HttpServer(uvicorn.Server):
    """Uvicorn as a guest in our loop: signals are the service's business, not its."""

    def __init__(self, app: Starlette) -> None:
        super().__init__(
            uvicorn.Config(app, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=2)
        )

    def end(self) -> None:
        """Answer what was asked, then stop."""
        self.should_exit = True

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave the signals alone."""
        yield

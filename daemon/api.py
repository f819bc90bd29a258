"""The HTTP API assembled: its parts, its routes, and the one way that every request takes through them.

The request boundary is here: whatever fails becomes a problem, and only what is unexpected is logged.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from structlog.typing import FilteringBoundLogger

import biographer
from biographer.daemon.access import LOCAL, Gate, need, need_stream
from biographer.daemon.api_ask import AskApi
from biographer.daemon.api_chains import ChainApi
from biographer.daemon.api_media import MediaApi
from biographer.daemon.api_memory import MemoryApi
from biographer.daemon.api_relations import RelationApi
from biographer.daemon.api_rulings import RulingApi
from biographer.daemon.api_search import SearchApi
from biographer.daemon.api_session import SessionApi
from biographer.daemon.api_uploads import UploadApi
from biographer.daemon.endpoint import (
    JSON,
    Asked,
    Endpoint,
    Nothing,
    media_type_of,
    read_body,
    read_params,
    written,
)
from biographer.daemon.endpoints import (
    live_endpoints,
    media_endpoints,
    memory_endpoints,
    ruling_endpoints,
    search_endpoints,
    session_endpoints,
)
from biographer.daemon.events import EVENTS, Commits, EventApi
from biographer.daemon.guard import Guard
from biographer.daemon.health import Health
from biographer.daemon.limits import bounded_body
from biographer.daemon.live import Live
from biographer.daemon.openapi import describe
from biographer.daemon.origins import Origins
from biographer.daemon.problems import broken, failed, refused
from biographer.daemon.readings import Pool, Readings
from biographer.state.errors import BiographerError
from biographer.state.search_settings import SearchSettings

CONSOLE = Path(__file__).parent / "console"
"""The page for people: static files, served at /."""

_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BODY_S = 60.0

Answer = Callable[[Request], Awaitable[Response]]

Requested = Callable[[str, str, int, float], None]
"""Told of each request: its method, its route's template, the status, and the seconds until the answer began."""


class Api:
    """Everything that answers over HTTP; `metrics_page` gives the page in Prometheus' text format."""

    def __init__(
        self,
        state: Path,
        gate: Gate,
        origins: Origins,
        health: Health,
        metrics_page: Callable[[], bytes],
        upload_max: int,
        clock: Callable[[], float],
        log: FilteringBoundLogger,
        search: SearchSettings = SearchSettings(),  # noqa: B008 - immutable
        requested: Requested = lambda *_: None,
    ) -> None:
        self._gate, self._origins, self._health, self._metrics_page = gate, origins, health, metrics_page
        self._log, self._clock, self._requested = log, clock, requested
        self.live = Live()
        self._readings, self._pixels = Readings(state, live=self.live), Pool("pixel", 2, waiting_max=64)
        self._searches = Pool("search", 2)
        self.search = SearchApi(state, self.live, self._searches, gate.now_us, clock, search)
        self._questions = Pool("question", 2)
        self.ask = AskApi(state, self.live, self._questions, gate.now_us, clock, search)
        self.commits, self.uploads = Commits(), UploadApi(self._pixels, upload_max)
        self.relations = RelationApi(state, self.live, self._searches, gate.now_us)
        chains = ChainApi(state, self.live, self._searches, gate.now_us)
        self.rulings = RulingApi(self._readings, gate.now_us)
        self.endpoints: Sequence[Endpoint] = (
            *session_endpoints(SessionApi(gate)),
            *memory_endpoints(MemoryApi(self._readings, gate.now_us)),
            *search_endpoints(self.search, self.ask, self.relations, chains),
            *ruling_endpoints(self.rulings),
            *media_endpoints(MediaApi(self._readings, self._pixels)),
            *live_endpoints(EventApi(self._readings, self.commits, gate, gate.now_us), self.uploads),
        )
        self._description = msgspec.json.encode(describe(self.endpoints, biographer.__version__))

    def application(self, console: Path = CONSOLE) -> ASGIApp:
        """Return the whole as an ASGI application."""
        app = Starlette(
            routes=[*self._routes(), *_console(console)],
            exception_handlers={HTTPException: refused},
        )
        app.router.redirect_slashes = False
        return Guard(app, self._origins)

    def close(self) -> None:
        """End what lasts, and the threads."""
        self.commits.close()
        self._readings.close()
        self._pixels.close()
        self._searches.close()
        self._questions.close()

    def _routes(self) -> list[BaseRoute]:
        own: list[tuple[str, Answer]] = [
            ("/healthz", self._alive),
            ("/readyz", self._ready),
            ("/metrics", self._metrics),
            ("/openapi.json", self._described),
        ]
        routes = [Route(path, answer) for path, answer in own]
        return [*routes, *(Route(one.path, self._way(one), methods=[one.method]) for one in self.endpoints)]

    def _way(self, endpoint: Endpoint) -> Answer:
        async def answered(request: Request) -> Response:
            began = self._clock()
            answer = await self._bounded(endpoint, request)
            self._requested(endpoint.method, endpoint.path, answer.status_code, self._clock() - began)
            return answer

        return answered

    async def _bounded(self, endpoint: Endpoint, request: Request) -> Response:
        try:
            return await self._answered(endpoint, request)
        except HTTPException as error:
            return await refused(request, error)
        except BiographerError as error:
            return failed(error, self._log)
        except Exception as error:  # noqa: BLE001 - the API's boundary: one request's fault is no other's
            return broken(error, self._log)

    async def _answered(self, endpoint: Endpoint, request: Request) -> Response:
        principal = LOCAL if endpoint.role is None else self._gate.admit(request)
        if endpoint.role is not None and endpoint.role != "any":
            need(principal, endpoint.role)
        if request.method == "HEAD" and EVENTS in endpoint.media:
            raise HTTPException(405, "events have no head; GET them")
        params = read_params(endpoint, request)
        # Here, for every route there is and will be, and before a body is read.
        if "stream" in endpoint.in_path:
            need_stream(principal, msgspec.structs.asdict(params)["stream"])
        body: msgspec.Struct = Nothing()
        if endpoint.body is not Nothing:
            content = await _in_time(bounded_body(request, endpoint.body_max))
            body = read_body(endpoint, content, media_type_of(request.headers))
        answer = await endpoint.answer(Asked(principal, params, body, request))
        if isinstance(answer, Response):
            return answer
        return written(answer, endpoint.status, request.headers.get("accept", ""))

    async def _alive(self, _: Request) -> Response:
        return Response(b'{"alive":true}', media_type=JSON)

    async def _ready(self, request: Request) -> Response:
        reasons = self._health.reasons()
        body: dict[str, Any] = {"ready": not reasons}
        if self._trusts(request):
            body |= {"reasons": reasons, "last_failures": list(self._health.last_failures)}
        return Response(msgspec.json.encode(body), 503 if reasons else 200, media_type=JSON)

    def _trusts(self, request: Request) -> bool:
        """Whether to tell why; a page of another site that got here by a borrowed name is told nothing."""
        try:
            self._origins.check(request.method, request.scope["path"], request.headers)
        except HTTPException:
            return False
        return self._gate.trusts(request)

    async def _metrics(self, request: Request) -> Response:
        if not self._gate.trusts(request):
            need(self._gate.admit(request), "admin")
        return Response(self._metrics_page(), headers={"content-type": _METRICS_TYPE})

    async def _described(self, _: Request) -> Response:
        return Response(self._description, media_type=JSON)


def _console(folder: Path) -> list[BaseRoute]:
    return [Mount("/", StaticFiles(directory=folder, html=True))] if folder.is_dir() else []


async def _in_time(reading: Awaitable[bytes]) -> bytes:
    """Refuse with 408 who sends a body too slowly."""
    try:
        async with asyncio.timeout(_BODY_S):
            return await reading
    except TimeoutError as error:
        raise HTTPException(408, f"the body did not come within {_BODY_S:g} s") from error

"""Searches over HTTP: the daemon's API on a seeded memory in a process of its own, asked by 1 to 50 clients at once.

A client sends its next question when the last is answered, over one connection that it keeps.
"""

import asyncio
import multiprocessing
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec
import structlog

from biographer.bench.report import Say, spread
from biographer.bench.sample import shipped_sample
from biographer.bench.seeding import STREAM, default_rule
from biographer.bench.served import free_port
from biographer.bench.timed_search import TimedSearch
from biographer.daemon.access import Gate
from biographer.daemon.api import Api
from biographer.daemon.health import Health
from biographer.daemon.http import LOOPBACK, HttpServer, listen
from biographer.daemon.limits import Failures
from biographer.daemon.networks import Networks
from biographer.daemon.origins import Origins
from biographer.daemon.processors import share_processors
from biographer.daemon.sections import Pipeline
from biographer.daemon.sessions import Sessions
from biographer.daemon.settings import read_settings
from biographer.daemon.tokens import TokenBook
from biographer.state.errors import FatalError, TransientError
from biographer.state.folder import StateFolder

CLIENTS = (1, 10, 20, 50)
_SECONDS = 12.0
_PATIENCE_S = 120.0


@dataclass(frozen=True, slots=True)
class Load:
    """A state folder with a seeded stream, and the questions that are asked."""

    state: Path
    search: TimedSearch
    say: Say


def measured_load(load: Load) -> dict[str, dict[str, float]]:
    """Return p50, p95 and answers a second for each number of clients."""
    port = free_port()
    served = multiprocessing.get_context("spawn").Process(target=_serve, args=(load.state, port), daemon=True)
    served.start()
    try:
        load.say("serving over HTTP")
        asyncio.run(_until_ready(port))
        return {str(clients): asyncio.run(_asked_by(clients, port, load)) for clients in CLIENTS}
    finally:
        served.terminate()
        served.join()


def _serve(state: Path, port: int) -> None:
    """Serve a folder's API as the daemon does, without a broker."""
    share_processors(Pipeline().product_threads)
    folder = StateFolder(state, default_rule(shipped_sample().embedder))
    gate = Gate(TokenBook(state), Sessions(time.monotonic, bytes), Failures(time.monotonic), _now_us)
    api = Api(state, gate, Origins(()), Health(), bytes, 1, time.monotonic, structlog.get_logger())
    environ = {"BIOGRAPHER_PERCEIVE_DETECTOR": "none", "BIOGRAPHER_PERCEIVE_EMBEDDER": "none"}
    texts = Networks.load(read_settings(None, environ)).texts
    api.search.connect(folder, texts.of_question if texts else lambda _: None)
    with listen(LOOPBACK, port) as listening:
        asyncio.run(HttpServer(api.application()).serve([listening]))


async def _until_ready(port: int) -> None:
    """Ask until the memory is open and its index learned."""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                await _Client(port).ask("ready?")
        except (OSError, TransientError):
            await asyncio.sleep(0.2)
        else:
            return
    raise FatalError(f"the API did not answer within {_PATIENCE_S:.0f} s")


async def _asked_by(clients: int, port: int, load: Load) -> dict[str, float]:
    load.say(f"{clients} clients")
    began, taken = time.perf_counter(), list[float]()
    await asyncio.gather(*(_client(number, port, load, began + _SECONDS, taken) for number in range(clients)))
    seconds = time.perf_counter() - began
    found = spread(taken)
    return {"p50_ms": found["median"], "p95_ms": found["p95"], "queries_a_second": round(len(taken) / seconds, 2)}


async def _client(number: int, port: int, load: Load, until: float, taken: list[float]) -> None:
    client, texts = _Client(port), load.search.texts
    while (began := time.perf_counter()) < until:
        await client.ask(texts[(number * 7 + len(taken)) % len(texts)])
        taken.append(time.perf_counter() - began)


class _Client:
    """One kept connection. A few lines of HTTP: a client library would take more of the two cores than the server."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, text: str) -> None:
        """Search; raises OSError where nobody answers, TransientError where none can yet, FatalError where it fails."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(LOOPBACK, self._port)
        reader, writer = self._streams
        body = msgspec.json.encode({"text": text})
        head = f"POST /v1/streams/{STREAM}/search HTTP/1.1\r\nhost: {LOOPBACK}:{self._port}\r\n"
        head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        answer = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(answer.partition("content-length:")[2].partition("\r\n")[0])
        content = await reader.readexactly(length)
        if " 503 " in answer.partition("\r\n")[0]:
            raise TransientError(f"a search was put off with {content[:200]!r}")
        if " 200 " not in answer.partition("\r\n")[0]:
            raise FatalError(f"a search was answered with {content[:200]!r}")


def _now_us() -> int:
    return time.time_ns() // 1000

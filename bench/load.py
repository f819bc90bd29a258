"""Searches over HTTP: the daemon's API on a seeded memory in a process of its own, asked by 1 to 50 clients at once.

A client sends its next question when the last is answered, over one connection that it keeps.
"""

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec

from biographer.bench.report import Say, spread
from biographer.bench.seeding import STREAM
from biographer.bench.served import free_port
from biographer.bench.served_api import ServedApi, until_ready
from biographer.bench.timed_search import TimedSearch
from biographer.daemon.http import LOOPBACK
from biographer.state.errors import FatalError, TransientError

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
    with ServedApi(load.state, port, embeds=True).running() as served:
        load.say("serving over HTTP")
        asyncio.run(until_ready(served, lambda: _Client(port).ask("ready?"), _PATIENCE_S))
        return {str(clients): asyncio.run(_asked_by(clients, port, load)) for clients in CLIENTS}


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

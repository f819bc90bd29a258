"""The language client: requests to one OpenAI-compatible endpoint, bounded, tried again, and given up in good order.

What is asked and what answers mean is elsewhere (`chat_model`, `endpoint_embedder`, `transcriber`); here are bytes.
A task that is cancelled closes its connection. Clock, chance and pauses are passed in.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from copy import copy
from typing import TypeAlias

import httpx
import msgspec

from biographer.models.breaker import Breaker, Outcome, Trial
from biographer.models.connections import Connections
from biographer.models.language_endpoint import LanguageEndpoint
from biographer.models.language_fault import Fault, FaultKind, fault_of
from biographer.state.errors import TransientError

ANSWER_BYTES_MAX = 64 * 1024 * 1024
"""Bytes of an answer that are read; no model says so much."""

Answer: TypeAlias = bytes | Fault

_Builds: TypeAlias = Callable[[httpx.AsyncClient], httpx.Request]


class LanguageClient:
    """Asks one endpoint; of one event loop. Close it when done.

    `clock` returns seconds that only rise, `random` 0..1, `wall` seconds of UTC (for dates in Retry-After).
    """

    def __init__(
        self,
        endpoint: LanguageEndpoint,
        *,
        clock: Callable[[], float],
        random: Callable[[], float],
        wall: Callable[[], float],
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.endpoint = endpoint
        self._clock = clock
        self.breaker = self._closed()
        self._random, self._wall, self._pause = random, wall, pause
        self._connections = Connections(endpoint)

    def beside(self) -> "LanguageClient":
        """Return a client of the same connections and the same bound, with a breaker of its own; close this one alone.

        What one role asks may fail by itself: pictures, where the model reads none.
        """
        other = copy(self)
        other.breaker = self._closed()
        return other

    async def close(self) -> None:
        """Close all connections."""
        await self._connections.close()

    async def ask(self, path: str, body: Mapping[str, object]) -> Answer:
        """Return the answer to a POST of JSON at a path such as "chat/completions", or what stood against it.

        Raises nothing of its own: the asker knows whether a fault concerns one request, and `Fault.raised` raises.
        """
        return await self._persisted(lambda http: _json(http, path, body))

    async def upload(self, path: str, fields: Mapping[str, str], name: str, file: bytes, media_type: str) -> Answer:
        """Return the answer to a POST of a form with one file in the field `file`, or what stood against it."""
        files = {"file": (name, file, media_type)}
        return await self._persisted(lambda http: http.build_request("POST", path, data=dict(fields), files=files))

    async def models(self) -> tuple[str, ...]:
        """Return the names of the models that are served. Raises RefusedError and TransientError."""
        answer = await self._persisted(lambda http: http.build_request("GET", "models"))
        if isinstance(answer, Fault):
            answer.raised()
        try:
            return tuple(one.id for one in msgspec.json.decode(answer, type=_Models).data)
        except msgspec.DecodeError as error:
            raise TransientError(
                f"{self._named('models')} lists no models: {error}; is it OpenAI-compatible?"
            ) from error

    def _closed(self) -> Breaker:
        return Breaker(self._clock, self.endpoint.breaker_failures, self.endpoint.breaker_pause_s)

    async def _persisted(self, build: _Builds) -> Answer:
        """Send until it succeeds, is refused, or has been tried often enough."""
        for tries in range(1, self.endpoint.tries):
            answer = await self._once(build)
            if not isinstance(answer, Fault) or answer.kind is not FaultKind.PASSING:
                return answer
            await self._pause(self._pause_s(answer, tries))
        return await self._once(build)

    async def _once(self, build: _Builds) -> Answer:
        async with self._connections.one() as http:
            if self._connections.is_closed:
                # Whoever asks last, while all ends, gets an answer like any other.
                return Fault(FaultKind.LEFT_ALONE, f"{self._named('/')} is asked no more: we are stopping")
            with self.breaker.trial() as trial:
                if trial is None:
                    return self._left_alone()
                answer = await self._answered(http, build(http))
                _settle(trial, answer if isinstance(answer, Fault) else None)
                return answer

    async def _answered(self, http: httpx.AsyncClient, request: httpx.Request) -> Answer:
        try:
            async with asyncio.timeout(self.endpoint.answer_s):
                answer = await http.send(request, stream=True)
                async with aclosing(answer):
                    return await (
                        self._content(request, answer) if answer.is_success else self._refused(request, answer)
                    )
        except TimeoutError:
            await http.aclose()
            return self._broken(request, f"no answer within {self.endpoint.answer_s:g} s")
        except httpx.RequestError as error:
            await http.aclose()
            return self._broken(request, f"{type(error).__name__}: {error}")

    async def _content(self, request: httpx.Request, answer: httpx.Response) -> Answer:
        content = bytearray()
        async for part in answer.aiter_bytes():
            content += part
            if len(content) > ANSWER_BYTES_MAX:
                reason = f"{self._named(request.url.path)} answers over {ANSWER_BYTES_MAX} bytes; ask for less"
                return Fault(FaultKind.REQUEST, reason, alive=True)
        return bytes(content)

    async def _refused(self, request: httpx.Request, answer: httpx.Response) -> Fault:
        content = await self._content(request, answer)
        said = content.decode(errors="replace") if isinstance(content, bytes) else content.reason
        retry_after = answer.headers.get("retry-after", "")
        asked = self._named(request.url.path)
        return fault_of(answer.status_code, self.endpoint.hidden(said), asked, retry_after, self._wall())

    def _pause_s(self, fault: Fault, tries: int) -> float:
        own = self.endpoint.pause_s(tries, self._random())
        return max(own, min(fault.again_s or 0.0, self.endpoint.pause_last_s))

    def _left_alone(self) -> Fault:
        reason = (
            f"language endpoint {self.endpoint.url} failed {self.breaker.failures_running} times in a row; "
            f"it is tried again in {self.breaker.opens_in_s:.0f} s; check that it runs"
        )
        return Fault(FaultKind.LEFT_ALONE, reason)

    def _broken(self, request: httpx.Request, what: str) -> Fault:
        asked = self._named(request.url.path)
        return Fault(FaultKind.PASSING, f"{asked} cannot be asked for now ({what}); check that it runs")

    def _named(self, path: str) -> str:
        return f"language endpoint {self.endpoint.url} ({path})"


def _json(http: httpx.AsyncClient, path: str, body: Mapping[str, object]) -> httpx.Request:
    headers = {"content-type": "application/json"}
    return http.build_request("POST", path, content=msgspec.json.encode(body), headers=headers)


def _settle(trial: Trial, fault: Fault | None) -> None:
    """Say what came of it; a server that is only busy is neither well nor ill."""
    if fault is None or (fault.alive and fault.kind is not FaultKind.PASSING):
        trial.outcome = Outcome.SUCCEEDED
    elif not fault.alive:
        trial.outcome = Outcome.FAILED


class _Model(msgspec.Struct, frozen=True):
    id: str


class _Models(msgspec.Struct, frozen=True):
    data: list[_Model]

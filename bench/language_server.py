"""A language endpoint without a model: records what it is asked and plays answers, delays and faults.

For contract tests and for benches with no model time. It speaks what `models/language_client.py` asks of an
OpenAI-compatible server: models, chat completions, embeddings (texts, and vLLM's form with messages), audio
transcriptions. Left alone it fills in any form with its smallest content, always the same.
"""

import asyncio
import json
import socket
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from types import TracebackType
from typing import Any, Self, TypeAlias

import numpy as np
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from biographer.bench.smallest import smallest
from biographer.daemon.http import HttpServer, listen

DIM = 16

FOR_EVER = float("inf")


@dataclass(frozen=True, slots=True)
class Play:
    """One answer. Text for chats and transcriptions; `body` is sent as it stands, whatever was asked.

    `delay_s` passes first (FOR_EVER: until the asker goes away). `cut` ends the connection in the middle of the answer.
    """

    text: str | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    body: bytes | None = None
    cut: bool = False
    refusal: str | None = None
    finish: str = "stop"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: its path below /v1, headers, and body: JSON, or a form's fields with `file` as bytes."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def text(self) -> str:
        """All words of a chat's messages."""
        return "\n".join(_words(message["content"]) for message in self.body.get("messages", ()))


Script: TypeAlias = Callable[[Asked], Play | None]


def _nothing(_: Asked) -> Play | None:
    return None


class LanguageServer:
    """Serves on a free port of this machine while entered; in the running loop. `url` is its base.

    `plays` are used up one a request; after them `script` decides by what is asked, and where it gives None the
    smallest content is answered. `asked` is all that came; `arrived` is set by each request, `left` once an asker went
    away before its answer. `schemas` false refuses response_format as small servers do.
    """

    def __init__(
        self, script: Script = _nothing, *, models: tuple[str, ...] = ("small",), key: str = "", schemas: bool = True
    ) -> None:
        self.url = ""
        self.asked: list[Asked] = []
        self.plays: deque[Play] = deque()
        self.arrived = asyncio.Event()
        self.left = asyncio.Event()
        self.most_at_once = 0
        self._at_once = 0
        self._script, self._models, self._key, self._schemas = script, models, key, schemas
        self._server: _Serving | None = None
        self._serving: asyncio.Task[None] | None = None

    def play(self, *plays: Play) -> None:
        """Answer the next requests so."""
        self.plays.extend(plays)

    async def __aenter__(self) -> Self:
        """Listen."""
        listening = listen("127.0.0.1", 0)
        routes = [Route("/v1/models", self._list), Route("/v1/{path:path}", self._answer, methods=["POST"])]
        self._server = _Serving(Starlette(routes=routes))
        self._serving = asyncio.create_task(self._server.serve(sockets=[listening]))
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop at once."""
        if self._server is not None and self._serving is not None:
            self._server.end()
            await self._serving

    async def _list(self, request: Request) -> Response:
        self.asked.append(Asked("models", dict(request.headers), {}))
        refused = self._refused(request)
        return refused or JSONResponse({"object": "list", "data": [{"id": name} for name in self._models]})

    async def _answer(self, request: Request) -> Response:
        asked = Asked(request.path_params["path"], dict(request.headers), await _body(request))
        self.asked.append(asked)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        self.arrived.set()
        try:
            play = self.plays.popleft() if self.plays else self._script(asked) or Play()
            if await self._gone(request, play.delay_s):
                self.left.set()
                return Response(status_code=499)
            return self._refused(request) or self._played(asked, play)
        finally:
            self._at_once -= 1

    async def _gone(self, request: Request, delay_s: float) -> bool:
        """Wait; return whether the asker went away meanwhile."""
        if not delay_s:
            return False
        going = asyncio.ensure_future(request.receive())
        done, _ = await asyncio.wait({going}, timeout=None if delay_s == FOR_EVER else delay_s)
        going.cancel()
        return bool(done)

    def _refused(self, request: Request) -> Response | None:
        if self._key and request.headers.get("authorization") != f"Bearer {self._key}":
            sent = request.headers.get("authorization", "none")
            return _error(401, f"the key is wrong: {sent}")
        return None

    def _played(self, asked: Asked, play: Play) -> Response:
        if play.status != 200:
            return _error(play.status, play.text or "scripted", play.headers)
        if asked.body.get("model") not in self._models:
            return _error(404, f"The model `{asked.body.get('model')}` does not exist.")
        if not self._schemas and "response_format" in asked.body:
            return _error(400, "response_format is not supported")
        body = play.body if play.body is not None else json.dumps(_content(asked, play)).encode()
        if play.cut:
            return StreamingResponse(_half(body), media_type="application/json")
        return Response(body, media_type="application/json", headers=dict(play.headers))


class _Serving(HttpServer):
    """Ends when it is told, not at its next look at the clock: tests open many."""

    def __init__(self, app: Starlette) -> None:
        super().__init__(app)
        self._ending = asyncio.Event()

    async def main_loop(self) -> None:
        """Wait for the end."""
        await self._ending.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close what is open, without the pause in which others might end by themselves."""
        for server in self.servers:
            server.close()
        for one in sockets or ():
            one.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        tasks = set(self.server_state.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def end(self) -> None:
        """Drop what is asked and stop."""
        self.should_exit = self.force_exit = True
        self._ending.set()


def vector_of(text: str) -> list[float]:
    """Return the vector that a text or picture gets: DIM numbers by its hash, not of unit length."""
    seed = int.from_bytes(sha256(text.encode()).digest()[:8], "big")
    numbers: list[float] = np.random.default_rng(seed).normal(size=DIM).tolist()
    return numbers


def _content(asked: Asked, play: Play) -> Mapping[str, object]:
    if asked.path == "embeddings":
        return _embeddings(asked.body)
    text = _text(asked, play)
    if asked.path.startswith("audio/"):
        return {"text": text, "segments": [{"start": 0.0, "end": 1.0, "text": text}] if text else []}
    message = {"role": "assistant", "content": None if play.refusal else text, "refusal": play.refusal}
    usage = {"prompt_tokens": len(asked.text) // 4, "completion_tokens": len(text) // 4}
    choices = [{"index": 0, "message": message, "finish_reason": play.finish}]
    return {"object": "chat.completion", "model": asked.body["model"], "choices": choices, "usage": usage}


def _text(asked: Asked, play: Play) -> str:
    if play.text is not None:
        return play.text
    form = asked.body.get("response_format")
    return json.dumps(smallest(form["json_schema"]["schema"])) if form else "nothing to say"


def _embeddings(body: Mapping[str, Any]) -> Mapping[str, object]:
    given = [json.dumps(body["messages"])] if "messages" in body else body["input"]
    texts = [given] if isinstance(given, str) else given
    rows = [{"index": at, "object": "embedding", "embedding": vector_of(text)} for at, text in enumerate(texts)]
    # Out of order, for an answer says where each row belongs.
    return {"object": "list", "data": rows[::-1], "usage": {"prompt_tokens": len(texts)}}


async def _body(request: Request) -> Mapping[str, Any]:
    if request.headers.get("content-type", "").startswith("multipart/"):
        return _form(await request.body(), request.headers["content-type"])
    body: Mapping[str, Any] = json.loads(await request.body())
    return body


def _form(content: bytes, content_type: str) -> Mapping[str, Any]:
    """Return a multipart form's fields; small, so that no parser of forms is needed for it."""
    boundary = b"--" + content_type.partition("boundary=")[2].encode()
    fields: dict[str, Any] = {}
    for part in content.split(boundary)[1:-1]:
        head, _, value = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        name = head.partition(b'name="')[2].partition(b'"')[0].decode()
        raw = value.removesuffix(b"\r\n")
        fields[name] = raw if b"filename=" in head else raw.decode()
    return fields


def _words(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if part["type"] == "text")


def _error(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"error": {"message": message, "code": status}}, status, headers=dict(headers or {}))


async def _half(body: bytes) -> AsyncIterator[bytes]:
    yield body[: len(body) // 2]
    raise ConnectionResetError

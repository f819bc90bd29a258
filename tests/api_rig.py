"""An API over a real state folder, asked in process, or over a socket where the answer lasts."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import structlog
from sightings import clip, recording, seen
from videos import video

from biographer.daemon.access import Gate
from biographer.daemon.api import Api
from biographer.daemon.health import Health
from biographer.daemon.http import HttpServer, listen
from biographer.daemon.limits import Failures
from biographer.daemon.origins import Origins
from biographer.daemon.sessions import Sessions
from biographer.daemon.tokens import EVERY_STREAM, TokenBook
from biographer.state.clip import Clip
from biographer.state.folder import StateFolder
from biographer.state.line import Line, LineKind
from biographer.state.observation import Crop
from biographer.state.perceived import Perceived
from biographer.state.rule import Rule, Thresholds
from biographer.state.ruling import Ruled, Word
from biographer.state.times import SECOND_US
from biographer.state.zones import UTC_ZONE

RULE = Rule(thresholds={"": Thresholds(0.6, 0.75)})
HERE = "http://127.0.0.1:8640"
NOW_S = 100_000
SPOKEN = "zeppelin"

ODD = "home/é?#%2f"
"""A stream whose name holds all that parts a path."""


class Numbers:
    """Random bytes that count up."""

    def __init__(self) -> None:
        self.last = 0

    def __call__(self, count: int) -> bytes:
        self.last += 1
        return sha256(str(self.last).encode()).digest()[:count]


class Clock:
    def __init__(self) -> None:
        self.seconds = float(NOW_S)

    def __call__(self) -> float:
        return self.seconds

    def us(self) -> int:
        return round(self.seconds * SECOND_US)


class Rig:
    """A folder with a writer, and an API beside it."""

    def __init__(self, path: Path, hosts: tuple[str, ...] = (), *, timezone: str = UTC_ZONE) -> None:
        self.clock, self.random = Clock(), Numbers()
        self.folder = StateFolder(path, RULE, timezone=timezone)
        self.book = TokenBook(path)
        self.gate = Gate(self.book, Sessions(self.clock, self.random), Failures(self.clock), self.clock.us)
        self.health = Health()
        self.api = Api(
            path,
            self.gate,
            Origins(hosts),
            self.health,
            lambda: b"metrics 1\n",
            1 << 20,
            self.clock,
            structlog.get_logger(),
        )
        self.api.search.connect(self.folder, lambda _: None)
        self.api.rulings.connect(self.obey)
        self.app = self.api.application()

    def token(self, *roles: str, streams: tuple[str, ...] = (EVERY_STREAM,), name: str = "t") -> str:
        return self.book.create(name, roles or ("read",), streams, self.clock.us(), self.random)[1]

    def client(self, token: str | None = None, *, address: str = "127.0.0.1", **headers: str) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(self.app, client=(address, 1234))
        bearing = {"authorization": f"Bearer {token}"} if token else {}
        return httpx.AsyncClient(transport=transport, base_url=HERE, headers={**bearing, **headers})

    def apply(self, stream: str, *clips: Perceived) -> None:
        for one in clips:
            self.folder.stream(stream).apply(one)
            self.api.commits.announce(stream)

    async def obey(self, stream: str, word: Word) -> Ruled:
        ruled = await asyncio.to_thread(self.folder.stream(stream).obey, word)
        self.api.commits.announce(stream)
        return ruled

    @contextlib.asynccontextmanager
    async def served(self) -> AsyncIterator[str]:
        """Serve over a socket; yield the address."""
        with listen("127.0.0.1", 0) as listening:
            server = HttpServer(self.app)
            life = asyncio.create_task(server.serve([listening]))
            host, port = listening.getsockname()[:2]
            try:
                yield f"http://{host}:{port}"
            finally:
                self.api.close()
                server.end()
                await life

    @contextlib.asynccontextmanager
    async def served_once(self) -> AsyncIterator[str]:
        """Serve over a socket, and go on afterwards; yield the address."""
        with listen("127.0.0.1", 0) as listening:
            server = HttpServer(self.app)
            life = asyncio.create_task(server.serve([listening]))
            try:
                yield "http://{}:{}".format(*listening.getsockname()[:2])
            finally:
                server.end()
                await life

    def close(self) -> None:
        self.api.close()
        self.folder.close()


def filmed(stream: str, number: int, start: float, pictures: int = 30) -> Perceived:
    """A clip with a real video of 1 s at 30 frames a second, a cup with a picture, and a line."""
    film, picture = video(pictures), b"\xff\xd8\xff picture of " + f"{stream} {number}".encode()
    crop = Crop(round(start * SECOND_US), (0.0, 0.0, 0.5, 0.5), sha256(picture).hexdigest())
    made = clip(
        f"film-{number}", start, seen(0, (1, 0, 0, 0), start, embedder="film", crops=(crop,)), seconds=1, stream=stream
    )
    begin = round(start * SECOND_US)
    line = Line(begin, begin + SECOND_US, LineKind.SPEECH, f"{SPOKEN} of {stream}", "Ann")
    media = sha256(film).hexdigest()
    whole = Clip(stream, made.clip.name, begin, made.clip.end_us, (line,), media, "video/mp4")
    return Perceived(whole, made.observations, {media: film, crop.sha256: picture})


def fill(rig: Rig, stream: str, clips: int = 12, seed: int = 1) -> None:
    rig.apply(stream, *recording(seed, clips, stream=stream), filmed(stream, 0, 2000.0))


async def got(client: httpx.AsyncClient, path: str, status: int = 200, **params: Any) -> Any:
    """Return what a path is answered with, which is to be of a status."""
    answer = await client.get(path, params=params)
    assert answer.status_code == status, answer.text
    return answer.json()


def whole_and_cut(path: Path, cut: int) -> tuple[int, Rig, Rig]:
    """Return when the `cut`-th clip of a recording ends, an API over all of it, and one over what had ended by then."""
    log = sorted(recording(5, 14, stream=ODD), key=lambda one: (one.clip.end_us, one.clip.start_us))
    as_of_us = log[cut - 1].clip.end_us
    whole, until = Rig(path / "whole"), Rig(path / "cut")
    whole.apply(ODD, *log)
    until.apply(ODD, *[one for one in log if one.clip.end_us <= as_of_us])
    return as_of_us, whole, until


def cup_bowl_cup(path: Path) -> Rig:
    """Return an API over stream "a": a clip each of a cup (e0), a bowl (e1) and the cup again."""
    made = Rig(path)
    looks = [(1.0, 0.0), (0.0, 1.0), (1.0, 0.0)]
    made.apply("a", *(clip(f"c{n}", 30 * n, seen(0, one, 30 * n), stream="a") for n, one in enumerate(looks)))
    return made

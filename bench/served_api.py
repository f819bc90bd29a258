"""The daemon's API on a seeded memory, without a broker, in a process of its own: for benches that ask it."""

import asyncio
import multiprocessing
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

import structlog

from biographer.bench.sample import shipped_sample
from biographer.bench.seeding import default_rule
from biographer.daemon.access import Gate
from biographer.daemon.answerer import answerer_of
from biographer.daemon.api import Api
from biographer.daemon.ask_section import Ask
from biographer.daemon.clock import now_us
from biographer.daemon.health import Health
from biographer.daemon.http import LOOPBACK, HttpServer, listen
from biographer.daemon.language import LanguageModels
from biographer.daemon.language_section import Language
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

_LOOK_S = 0.2


@dataclass(frozen=True, slots=True)
class ServedApi:
    """A state folder to serve on a port. `language` is an endpoint that answers questions, "" for none.

    With `embeds`, questions are embedded by the text embedder of the defaults; else they go by their words.
    """

    state: Path
    port: int
    language: str = ""
    embeds: bool = False

    @contextmanager
    def running(self) -> Iterator[BaseProcess]:
        """Serve meanwhile; it may take a while until it answers."""
        served = multiprocessing.get_context("spawn").Process(target=_serve, args=(self,), daemon=True)
        served.start()
        try:
            yield served
        finally:
            served.terminate()
            served.join()


async def until_ready(served: BaseProcess, ask: Callable[[], Awaitable[object]], patience_s: float) -> None:
    """Ask until there is an answer: then the memory is open and its index learned. Raises FatalError."""
    deadline = time.monotonic() + patience_s
    while served.is_alive() and time.monotonic() < deadline:
        try:
            async with asyncio.timeout(patience_s):
                await ask()
        except (OSError, TransientError):
            await asyncio.sleep(_LOOK_S)
        else:
            return
    raise FatalError(f"the API has ended, or did not answer within {patience_s:.0f} s")


def _serve(serving: ServedApi) -> None:
    asyncio.run(_served(serving))


async def _served(serving: ServedApi) -> None:
    share_processors(Pipeline().product_threads)
    folder = StateFolder(serving.state, default_rule(shipped_sample().embedder))
    gate = Gate(TokenBook(serving.state), Sessions(time.monotonic, bytes), Failures(time.monotonic), now_us)
    api = Api(serving.state, gate, Origins(()), Health(), bytes, 1, time.monotonic, structlog.get_logger())
    environ = {"BIOGRAPHER_PERCEIVE_DETECTOR": "none", "BIOGRAPHER_PERCEIVE_EMBEDDER": "none"}
    texts = Networks.load(read_settings(None, environ)).texts if serving.embeds else None
    api.search.connect(folder, texts.of_question if texts else lambda _: None)
    if serving.language:
        section = Language(url=serving.language, model="small")
        models = LanguageModels(section, clock=time.monotonic, random=random.random, wall=time.time)
        api.ask.answer_by(answerer_of(Ask(), models))
    with listen(LOOPBACK, serving.port) as listening:
        await HttpServer(api.application()).serve([listening])

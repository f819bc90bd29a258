"""What a start waits for, in order: the state folder, every stream's memory, the networks, the broker.

What is at fault for now is tried again, red meanwhile, until it is there. What follows a start is in `service`.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import TypeVar

from structlog.typing import FilteringBoundLogger

from biographer.daemon.attempts import Attempts
from biographer.daemon.health import Health
from biographer.daemon.language import LanguageModels
from biographer.daemon.networks import Networks
from biographer.daemon.parts import kafka_settings, media_limit_of, rule_of
from biographer.daemon.retry import Backoff
from biographer.daemon.settings import Settings
from biographer.daemon.text_embedding import endpoint_texts, refuse_another
from biographer.daemon.threads import Threads
from biographer.models.waiting import OnLoop
from biographer.state.errors import TransientError
from biographer.state.folder import StateFolder
from biographer.streams.dead_letters import DeadLetterSink
from biographer.streams.sink import KafkaSink

T = TypeVar("T")


class Start:
    """The steps of one start; what they open is closed by the stack that they are given."""

    def __init__(self, settings: Settings, health: Health, log: FilteringBoundLogger) -> None:
        self._settings, self._health, self._log = settings, health, log

    async def open(self, stack: AsyncExitStack) -> tuple[StateFolder, Attempts, Threads]:
        """Open what lies in the state folder, and the threads beside it. Raises RefusedError, FatalError."""
        settings, path = self._settings, Path(self._settings.state.folder)
        rule, limit = rule_of(settings), media_limit_of(settings)
        opened = partial(StateFolder, path, rule, media_limit=limit, timezone=settings.state.timezone)
        folder = await self._patiently("store", lambda: asyncio.to_thread(opened))
        stack.callback(folder.close)
        attempts = await self._patiently("store", lambda: asyncio.to_thread(Attempts, path / "attempts.db"))
        stack.callback(attempts.close)
        threads = Threads(settings.pipeline.perceivers)
        stack.push_async_callback(asyncio.to_thread, threads.close)
        return folder, attempts, threads

    async def recall(self, folder: StateFolder) -> None:
        """Open every stream's memory while models load, red meanwhile; then let it be searched.

        Clips are taken before that: it needs no search index to remember, and a search says that it is to wait.
        """
        names = await self._patiently("memory", lambda: asyncio.to_thread(folder.names))
        for number, name in enumerate(names, 1):
            self._health.report("memory", f"opening stream {name!r}, {number} of {len(names)}")
            await self._patiently("memory", partial(asyncio.to_thread, folder.stream, name))
        for name in names:
            learning = folder.stream(name).memory.learning
            await self._patiently("memory", partial(asyncio.to_thread, learning.learn))
            self._log.info("searchable", stream=name)

    async def load(self, models: LanguageModels) -> Networks:
        """Return the networks that the settings name, warm. Raises RefusedError, FatalError."""
        self._health.report("start", "loading models")
        report = partial(self._health.report, "texts")
        texts = endpoint_texts(models, OnLoop(asyncio.get_running_loop()), Path(self._settings.state.folder), report)
        networks = await asyncio.to_thread(Networks.load, self._settings, texts)
        await self._patiently("embedder", lambda: asyncio.to_thread(refuse_another, self._settings))
        await asyncio.to_thread(networks.warm)
        return networks

    async def connect(self, stack: AsyncExitStack) -> tuple[DeadLetterSink, KafkaSink]:
        """Return what writes to the broker. Raises RefusedError, FatalError."""
        self._health.report("start", "connecting to the broker")
        kafka = kafka_settings(self._settings)
        letters = await self._patiently("broker", lambda: DeadLetterSink(kafka).__aenter__())
        stack.push_async_exit(letters)
        flushes = await self._patiently("broker", lambda: KafkaSink(kafka).__aenter__())
        stack.push_async_exit(flushes)
        return letters, flushes

    async def _patiently(self, part: str, step: Callable[[], Awaitable[T]]) -> T:
        """Try a step of the start until it succeeds, red meanwhile. Raises what waiting can't mend."""
        backoff = Backoff(self._settings.pipeline.retry_first_s, self._settings.pipeline.retry_last_s)
        async for _ in backoff.tries():
            try:
                done = await step()
            except TransientError as error:
                self._log.warning("waiting", part=part, reason=str(error))
                self._health.report(part, str(error))
            else:
                self._health.report(part, None)
                return done
        raise AssertionError("tries never end")

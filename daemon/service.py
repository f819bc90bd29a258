"""The life of `biographer serve`, in reading order: open, listen, load, connect, run, stop.

Each step that fails says why and ends the process with a code of its own; signals only ever ask for the orderly end.
"""

import asyncio
import os
import random
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

from structlog.typing import FilteringBoundLogger

from biographer.daemon.access import Gate
from biographer.daemon.answerer import answerer_of
from biographer.daemon.api import Api
from biographer.daemon.api_search import no_looks
from biographer.daemon.clock import now_us
from biographer.daemon.gauges import Gauges
from biographer.daemon.health import Health, probe_store
from biographer.daemon.http import HttpServer, address, listen
from biographer.daemon.journal import Journal
from biographer.daemon.language import LanguageModels
from biographer.daemon.limits import Failures
from biographer.daemon.logs import configure_logs
from biographer.daemon.loop_lag import LoopLag
from biographer.daemon.metrics import Metrics
from biographer.daemon.networks import Networks
from biographer.daemon.origins import Origins
from biographer.daemon.parts import decoder_of, fetcher_of, kafka_settings, search_settings_of
from biographer.daemon.perception import Perception
from biographer.daemon.pipeline import Pipeline
from biographer.daemon.processors import share_processors
from biographer.daemon.sessions import Sessions
from biographer.daemon.settings import Settings
from biographer.daemon.start import Start
from biographer.daemon.tokens import TokenBook
from biographer.daemon.writers import StreamWriters
from biographer.daemon.writing_roles import inline_hearing_of, inline_words_of, is_rest_noted
from biographer.models.stages import Stages
from biographer.state.clip import Clip
from biographer.state.errors import BiographerError, RefusedError, TransientError
from biographer.streams.horizon import Horizon
from biographer.streams.message import FlushMessage, encode
from biographer.streams.sink import KafkaSink
from biographer.streams.source import KafkaSource

STOPPED, FAILED, REFUSED = 0, 1, 2
"""Exit codes: asked to stop; stopped by itself, with the reason in the log; settings that can't be right."""

_PROBE_S = 3.0
_LAG_MAX_S = 2.0
"""An event loop this late endangers Kafka's heartbeat."""


def serve(settings: Settings) -> int:
    """Run the daemon until a signal; return the exit code."""
    share_processors(settings.pipeline.product_threads)
    log = configure_logs(settings.log, sys.stderr)
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(Service(settings, log).run())
    except (BiographerError, BaseExceptionGroup) as error:
        causes = list(_causes(error))
        if not all(isinstance(cause, BiographerError) for cause in causes):
            raise
        for cause in causes:
            log.critical("stopped", reason=str(cause))
        return REFUSED if any(isinstance(cause, RefusedError) for cause in causes) else FAILED
    return STOPPED


class Service:
    """One daemon, from opening its folder to closing it."""

    def __init__(self, settings: Settings, log: FilteringBoundLogger) -> None:
        self._settings, self._log = settings, log
        self._health, self._metrics, self._loop_lag = Health(), Metrics(), LoopLag()
        self._metrics_page = self._metrics.page
        self._journal = Journal(log, time.monotonic, now_us)
        self._start = Start(settings, self._health, log)
        self._api = self._build_api()
        self._pipeline: Pipeline | None = None
        self._writers: StreamWriters | None = None
        self._life: asyncio.Task[None] | None = None
        self._stopping = False

    async def run(self) -> None:
        """Live until a signal. Raises RefusedError, FatalError (perhaps in a group)."""
        self._life = asyncio.create_task(self._live())
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._note_signal, signal.Signals(number).name)
        try:
            await self._life
        except asyncio.CancelledError:
            if not self._stopping:
                raise
        self._log.info("stopped in order")

    async def _live(self) -> None:
        async with AsyncExitStack() as stack:
            # Entered first, so closed last: the server still uses it while it ends.
            listening = stack.enter_context(self._listening())
            tasks = await stack.enter_async_context(asyncio.TaskGroup())
            self._answer(listening, tasks, stack)
            self._accompany(tasks, stack)
            folder, attempts, threads = await self._start.open(stack)
            stack.callback(tasks.create_task(self._start.recall(folder)).cancel)
            models = self._language_models(stack)
            networks = await self._start.load(models)
            words = networks.texts.of_question if networks.texts else _no_vector
            pictures = networks.pictures.of_picture if networks.pictures else no_looks
            self._api.search.connect(folder, words, pictures)
            self._api.ask.connect(words)
            self._api.relations.connect(words)
            self._api.ask.answer_by(answerer_of(self._settings.ask, models))
            letters, flushes = await self._start.connect(stack)
            horizon = Horizon.of_seconds(self._settings.order.future_s)
            self._api.uploads.connect(flushes, lambda message: horizon.refuse(message, now_us()))
            self._pipeline = Pipeline(
                folder,
                self._perception(networks, models),
                letters,
                flushes,
                attempts,
                threads,
                self._settings.pipeline,
                self._settings.order,
                self._metrics,
                self._health.report,
                now_us,
                self._log,
                journal=self._journal,
                committed=self._note_commit,
                rests=is_rest_noted(models.played),
            )
            await self._follow(self._pipeline, self._write(self._pipeline, models, networks, flushes), stack)

    def _write(
        self, pipeline: Pipeline, models: LanguageModels, networks: Networks, flushes: KafkaSink
    ) -> StreamWriters:
        """Have written, beside the pipeline, what models say of what it applies."""
        parts = (networks.texts, pipeline.in_turn.amend, self._metrics, self._log)

        async def rest(stream: str) -> None:
            await flushes.send(stream, encode(FlushMessage(stream, now_us())))

        self._writers = StreamWriters(Path(self._settings.state.folder), models, *parts, rest=rest)
        self._writers.tell()
        pipeline.accompany(self._writers.run)
        return self._writers

    def _note_commit(self, stream: str) -> None:
        self._api.commits.announce(stream)
        if self._writers is not None:
            self._writers.wake(stream)

    def _language_models(self, stack: AsyncExitStack) -> LanguageModels:
        clocks = {"clock": time.monotonic, "random": random.SystemRandom().random, "wall": time.time}
        models = LanguageModels(self._settings.language, **clocks)
        stack.push_async_callback(models.close)
        return models

    def _listening(self) -> socket.socket:
        section = self._settings.http
        guarded = bool(self._gate.book.tokens())
        at = address(section.host, guarded=guarded)
        if at != section.host:
            remedy = "make one with `biographer token create` and start again"
            self._log.warning("no token: only this machine is served", asked=section.host, remedy=remedy)
        return listen(at, section.port)

    def _answer(self, listening: socket.socket, tasks: asyncio.TaskGroup, stack: AsyncExitStack) -> None:
        """Answer from the very start, so that whoever waits for readiness hears what it waits for."""
        server = HttpServer(self._api.application())
        tasks.create_task(server.serve([listening]))
        stack.callback(server.end)
        stack.callback(self._api.close)
        host, port = listening.getsockname()[:2]
        self._log.info("listening", host=host, port=port)

    def _build_api(self) -> Api:
        state = Path(self._settings.state.folder)
        sessions = Sessions(time.monotonic, secrets.token_bytes)
        self._gate = Gate(TokenBook(state), sessions, Failures(time.monotonic), now_us)
        origins, most = Origins(self._settings.http.hosts), self._settings.kafka.max_bytes
        search, metrics = search_settings_of(self._settings), self._metrics.requested
        return Api(
            state, self._gate, origins, self._health, self._page, most, time.monotonic, self._log, search, metrics
        )

    def _page(self) -> bytes:
        return self._metrics_page()

    def _accompany(self, tasks: asyncio.TaskGroup, stack: AsyncExitStack) -> None:
        self._health.watch(self._late_loop)
        for companion in (self._loop_lag.watch(), self._probe(Path(self._settings.state.folder))):
            stack.callback(tasks.create_task(companion).cancel)

    async def _follow(self, pipeline: Pipeline, writers: StreamWriters, stack: AsyncExitStack) -> None:
        """Take the topic's clips until a signal."""
        source = KafkaSource(kafka_settings(self._settings), pipeline.claims, pipeline.revoked)
        await stack.enter_async_context(source)
        self._health.watch(source.health)
        self._health.watch(lambda: self._far_behind(source))
        self._api.rulings.connect(pipeline.in_turn.obey)
        self._metrics_page = Gauges(self._metrics, pipeline, source.lag, self._loop_lag, writers.gauges).page
        self._health.report("start", None)
        self._log.info("running", topic=self._settings.kafka.topic, state=self._settings.state.folder)
        await pipeline.run(source)
        self._health.report("start", "stopping")

    def _perception(self, networks: Networks, models: LanguageModels) -> Perception:
        settings, perceiver = self._settings, networks.perceiver(self._settings)
        parts = (fetcher_of(settings), decoder_of(settings), perceiver)
        keep, loop = settings.state.keep, asyncio.get_running_loop()
        words = inline_words_of(models, loop, self._log, Path(settings.state.folder))
        hearing = inline_hearing_of(models, keep, loop, self._log)
        return Perception(*parts, keep, self._timed, networks.texts, words, hearing)

    def _timed(self, clip: Clip, stages: Stages) -> None:
        self._journal.perceived(clip, stages)
        self._metrics.stages({stage.value: seconds for stage, seconds in stages.seconds.items()})

    async def _probe(self, folder: Path) -> None:
        while True:
            try:
                await asyncio.to_thread(probe_store, folder)
            except TransientError as error:
                self._health.report("store", str(error))
            else:
                self._health.report("store", None)
            await asyncio.sleep(_PROBE_S)

    def _late_loop(self) -> Iterator[str]:
        if self._loop_lag.worst_s > _LAG_MAX_S:
            yield f"event loop: {self._loop_lag.worst_s:.1f} s late; something blocks it"

    def _far_behind(self, source: KafkaSource) -> Iterator[str]:
        lag, limit = sum(source.lag().values()), self._settings.http.lag_max
        if limit and lag > limit:
            yield f"lag: {lag} records are not delivered yet, over http.lag_max {limit}"

    def _note_signal(self, name: str) -> None:
        if self._stopping:
            # A second signal: whoever sends it has waited enough, and a crash is safe at any point.
            os._exit(FAILED)
        self._stopping = True
        self._log.info("stopping", signal=name)
        if self._pipeline is not None:
            self._pipeline.stop()
        elif self._life is not None:
            self._life.cancel()


def _no_vector(_: str) -> None:
    """Stand in for a text embedder: questions go by their words."""


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop  # noqa: PLC0415 - not on every system
    except ImportError:
        return None
    return uvloop.new_event_loop


def _causes(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _causes(one)
    else:
        yield error

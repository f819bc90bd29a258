"""In-memory stand-ins for what the pipeline is connected to, and clips to send through it.

The memories in these tests are the real ones; only broker and perceiving are stood in for, where a test needs to
stop or break them.
"""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import numpy as np
import structlog

from biographer.daemon.attempts import Attempts
from biographer.daemon.inline_hearing import InlineHearing
from biographer.daemon.inline_words import InlineWords
from biographer.daemon.journal import Journal
from biographer.daemon.metrics import Metrics
from biographer.daemon.perception import Keep, Perception
from biographer.daemon.pipeline import Pipeline
from biographer.daemon.sections import Order as OrderSection
from biographer.daemon.sections import Pipeline as PipelineSection
from biographer.daemon.settings import Settings
from biographer.daemon.text_vectors import TextVectors
from biographer.daemon.threads import Threads
from biographer.models.describer import PlainDescriber
from biographer.models.perceiver import Perceiver
from biographer.ops.broker import free_port
from biographer.state.device_track import DeviceTrack
from biographer.state.folder import StateFolder
from biographer.state.line import Line, LineKind
from biographer.state.perceived import Perceived
from biographer.state.position import Position
from biographer.state.rule import Rule, Thresholds
from biographer.state.state_hash import state_hash
from biographer.streams.decoder import Decoder
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.message import ClipMessage, FlushMessage, encode
from biographer.streams.record import Record, position_behind
from biographer.streams.source import KafkaSource
from biographer.streams.uri import Fetcher

SECOND = 1_000_000
LATENESS_S = 30.0
CLIP_US = 10 * SECOND
RULE = Rule(thresholds={"": Thresholds(0.6, 0.75)})
QUICK = PipelineSection(retry_first_s=0.001, retry_last_s=0.002)


def clip(stream: str, number: int, subjects: int = 2, duration_us: int = CLIP_US) -> ClipMessage:
    """Return clip `number` of a stream: the device's tracks of a few subjects that come again, and a line."""
    start = 1_000 * SECOND + number * CLIP_US
    draw = np.random.default_rng([number, *stream.encode()])
    tracks = []
    for track in range(subjects):
        kind = np.random.default_rng([track + number % 3]).normal(size=16)
        times = start + np.arange(8, dtype=np.int64) * 250_000
        corner = 0.1 + 0.4 * (track % 2) + draw.random() * 0.02
        boxes = np.tile(np.array([corner, 0.2, corner + 0.2, 0.5], np.float32), (8, 1))
        vector = (kind + draw.normal(size=16) * 0.1).astype(np.float32)
        tracks.append(DeviceTrack(track, "cup", 0.9, times, boxes, vector, "device-16", f"a cup, {track}", None))
    line = Line(start, start + SECOND, LineKind.NARRATION, f"clip {number} of {stream}")
    return ClipMessage(stream, f"clip-{number:05}", start, duration_us, tracks=tuple(tracks), lines=(line,))


NO_NETWORKS = {f"BIOGRAPHER_PERCEIVE_{role}": "none" for role in ("DETECTOR", "EMBEDDER", "TEXT_EMBEDDER")}
"""In the environment: a daemon that looks with no network of its own."""


def real_perception(
    keep: Keep = "crops",
    texts: TextVectors | None = None,
    words: InlineWords | None = None,
    hearing: InlineHearing | None = None,
) -> Perception:
    """Return perception without networks: the device's tracks and the lines, and what else is given."""
    perceiver = Perceiver(None, None, PlainDescriber())
    return Perception(Fetcher((), (), 1 << 20), Decoder(), perceiver, keep, lambda *_: None, texts, words, hearing)


def settings_for_daemon(kafka: KafkaSettings, folder: Path, port: int | None = None, **pipeline: object) -> Settings:
    """Return a daemon's settings that reach the same broker and topics as `kafka`.

    Who asks it must know its port before it has one; 0 is for those who do not.
    """
    defaults = Settings()
    ours = {
        field: getattr(kafka, field)
        for field in ("bootstrap", "topic", "dead_letter_topic", "group", "member", "partitions", "idempotent")
    }
    timing = {"session_timeout_ms": 6_000, "heartbeat_interval_ms": 50, "check_interval_ms": 200}
    return msgspec.structs.replace(
        defaults,
        kafka=msgspec.structs.replace(defaults.kafka, **ours, **timing),
        state=msgspec.structs.replace(defaults.state, folder=str(folder)),
        perceive=msgspec.structs.replace(defaults.perceive, detector="none", embedder="none", text_embedder="none"),
        order=msgspec.structs.replace(defaults.order, lateness_s=LATENESS_S, future_s=0),
        pipeline=msgspec.structs.replace(defaults.pipeline, **pipeline),
        http=msgspec.structs.replace(defaults.http, port=free_port() if port is None else port),
        log=msgspec.structs.replace(defaults.log, level="error"),
    )


async def until(condition: Callable[[], object], pause_s: float = 0) -> None:
    """Return once the condition holds: some of them come true in other threads, which no event of the loop tells of."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - see above
            await asyncio.sleep(pause_s)


class ListSource:
    """A log of several partitions in memory; it delivers from any offset, and notes what is paused and committed."""

    def __init__(self, cluster: str = "c1") -> None:
        self.cluster = cluster
        self.logs: dict[int, list[Record]] = {}
        self.next: dict[int, int] = {}
        self.paused: set[int] = set()
        self.pauses: list[tuple[int, ...]] = []
        self.commits: dict[int, int] = {}
        self.refuse_commits: list[Exception] = []
        self.delivered = 0
        self._changed = asyncio.Condition()
        self._wake = asyncio.Event()

    def add(self, value: bytes | None, key: bytes | None = None, partition: int = 0, timestamp_us: int = 0) -> Record:
        log = self.logs.setdefault(partition, [])
        record = Record("clips", partition, len(log), key, value, timestamp_us, (), self.cluster, "t1")
        log.append(record)
        self.next.setdefault(partition, 0)
        self._wake.set()
        return record

    def send(self, messages: Iterable[ClipMessage], partition: int = 0) -> None:
        for message in messages:
            self.add(encode(message), message.stream.encode(), partition)

    def seek(self, partition: int, offset: int) -> None:
        self.next[partition] = offset
        self._wake.set()

    async def records(self) -> AsyncIterator[Record]:
        while True:
            ready = [p for p, log in self.logs.items() if p not in self.paused and self.next[p] < len(log)]
            if not ready:
                self._wake.clear()
                await self._wake.wait()
                continue
            partition = min(ready, key=lambda p: (self.next[p], p))
            record = self.logs[partition][self.next[partition]]
            self.next[partition] += 1
            self.delivered += 1
            yield record

    def position(self, record: Record) -> Position:
        return position_behind(record)

    async def commit(self, next_offsets: Mapping[int, int]) -> None:
        if self.refuse_commits:
            raise self.refuse_commits.pop(0)
        self.commits.update(next_offsets)
        async with self._changed:
            self._changed.notify_all()

    async def committed(self, partition: int = 0, offset: int | None = None, patience_s: float = 60) -> None:
        """Wait until the partition is committed up to an offset, or to its end."""
        async with asyncio.timeout(patience_s), self._changed:
            goal = len(self.logs[partition]) if offset is None else offset
            await self._changed.wait_for(lambda: self.commits.get(partition, 0) >= goal)

    def pause(self, partitions: Iterable[int]) -> None:
        self.paused |= set(partitions)
        self.pauses.append(tuple(partitions))

    def resume(self, partitions: Iterable[int]) -> None:
        self.paused -= set(partitions)
        self._wake.set()


class Sent:
    """A sink that keeps what it was sent, and first raises the errors it was given."""

    def __init__(self, source: ListSource | None = None) -> None:
        self.items: list = []
        self.errors: list[Exception] = []
        self._source = source

    async def send(self, *item: object) -> None:
        if self.errors:
            raise self.errors.pop(0)
        self.items.append(item[0] if len(item) == 1 else item)
        if self._source is not None:
            key, value = item
            self._source.add(value, key.encode())


class Scripted:
    """Perception that can be held at a gate, made to fail, and asked what it did."""

    def __init__(self, errors: Mapping[str, list[Exception]] | None = None) -> None:
        self.errors = {name: list(errors) for name, errors in (errors or {}).items()}
        self.began: list[str] = []
        self.together = self.most_together = 0
        self.gate = threading.Event()
        self.gate.set()
        self._real = real_perception()
        self._lock = threading.Lock()

    def perceive(self, message: ClipMessage, stop: Callable[[], bool]) -> Perceived:
        with self._lock:
            self.began.append(message.clip)
            self.together += 1
            self.most_together = max(self.most_together, self.together)
        try:
            while not self.gate.wait(0.01) and not stop():
                pass
            if self.errors.get(message.clip):
                raise self.errors[message.clip].pop(0)
            return self._real.perceive(message, stop)
        finally:
            with self._lock:
                self.together -= 1


class Rig:
    """A pipeline on a real state folder, with doubles around it."""

    def __init__(
        self, path: Path, source: ListSource, perception: object, order: OrderSection, rule: Rule, **settings: object
    ) -> None:
        self.life: asyncio.Task[None]
        self.source = source
        self.letters, self.flushes = Sent(), Sent(source)
        self.lost: list[int] = []
        self.waiting: dict[str, str] = {}
        self.waited: list[tuple[str, str | None]] = []
        self.committed: Callable[[str], object] = lambda _: None
        self.metrics = Metrics()
        self.folder = StateFolder(path, rule)
        self.attempts = Attempts(path / "attempts.db")
        section = msgspec.structs.replace(QUICK, **settings)
        self.threads = Threads(section.perceivers)
        self.journal = Journal(structlog.get_logger(), time.monotonic, lambda: 5)
        self.pipeline = Pipeline(
            self.folder, perception, self.letters, self.flushes, self.attempts, self.threads, section, order,
            self.metrics, self._note, lambda: 5, structlog.get_logger(), journal=self.journal,
            committed=self._committed, rests=True,
        )  # fmt: skip

    def _committed(self, stream: str) -> None:
        self.committed(stream)

    def _note(self, part: str, reason: str | None) -> None:
        self.waited.append((part, reason))
        if reason is None:
            self.waiting.pop(part, None)
        else:
            self.waiting[part] = reason

    async def rest(self, stream: str) -> None:
        await self.flushes.send(stream, encode(FlushMessage(stream, 5)))

    async def revoked(self, partitions: frozenset[int]) -> None:
        self.lost.extend(partitions)
        await self.pipeline.revoked(partitions)

    def hashes(self) -> dict[str, str]:
        return {name: state_hash(self.folder.stream(name).store) for name in self.folder.names()}

    def clips(self, stream: str) -> list[str]:
        return list(self.folder.stream(stream).memory.clips)

    def close(self) -> None:
        self.threads.close()
        self.attempts.close()
        self.folder.close()


@asynccontextmanager
async def running(
    path: Path,
    source: ListSource,
    perception: object = None,
    *,
    lateness_s: float = 0,
    rule: Rule = RULE,
    **settings: object,
) -> AsyncIterator[Rig]:
    """Run a pipeline over a source; stop it in order at the end."""
    rig = Rig(path, source, perception or real_perception(), OrderSection(lateness_s=lateness_s), rule, **settings)
    async with _living(rig, source):
        yield rig


@asynccontextmanager
async def running_on_kafka(
    path: Path, kafka: KafkaSettings, perception: object, **settings: object
) -> AsyncIterator[tuple[Rig, KafkaSource]]:
    """Run a pipeline as a member of a real consumer group."""
    rig = Rig(path, ListSource(), perception, OrderSection(), RULE, **settings)
    async with KafkaSource(kafka, rig.pipeline.claims, rig.revoked) as source, _living(rig, source):
        yield rig, source


@asynccontextmanager
async def _living(rig: Rig, source: object) -> AsyncIterator[None]:
    rig.life = asyncio.create_task(rig.pipeline.run(source))
    try:
        yield
        rig.pipeline.stop()
        await asyncio.wait_for(rig.life, 20)
    finally:
        rig.life.cancel()
        await asyncio.wait([rig.life])
        rig.close()

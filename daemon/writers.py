"""All writers of a daemon, one a stream; and what the metrics page tells of them.

Without any endpoint there are none, and nothing is different.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from datetime import tzinfo
from pathlib import Path

from structlog.typing import FilteringBoundLogger

from biographer.daemon.boundary import Boundary, Failure
from biographer.daemon.language import LanguageModels
from biographer.daemon.language_roles import INSTEAD, without
from biographer.daemon.metrics import Metrics
from biographer.daemon.readings import Pool
from biographer.daemon.retry import Backoff
from biographer.daemon.text_vectors import TextVectors
from biographer.daemon.writing import Amends, Rest, StreamWriter
from biographer.daemon.writing_desk import Desk
from biographer.daemon.writing_material import Material
from biographer.daemon.writing_roles import ROLE_OF, Writers, wanted
from biographer.models.breaker import BreakerState
from biographer.state.agenda import Agenda
from biographer.state.cut import cut_of, nobody
from biographer.state.folder import stream_folder, stream_names
from biographer.state.media import MediaFolder

GATHER_S = 1.0
"""So long what is written waits for more: each amendment is a version, and readers make a view of each."""

_BREAKERS = {BreakerState.CLOSED: 0.0, BreakerState.HALF_OPEN: 0.5, BreakerState.OPEN: 1.0}


class StreamWriters:
    """Of one event loop. `texts` gives what is written its vectors, where there is a text embedder."""

    def __init__(
        self,
        state: Path,
        models: LanguageModels,
        texts: TextVectors | None,
        amend: Amends,
        metrics: Metrics,
        log: FilteringBoundLogger,
        *,
        gather_s: float = GATHER_S,
        rest: Callable[[str], Awaitable[object]] | None = None,
    ) -> None:
        """`rest` asks for a flush in a stream's log."""
        self._state, self._models, self._texts = state, models, texts
        self._amend, self._metrics, self._log, self._gather_s = amend, metrics, log, gather_s
        self._wanted = wanted(models.played)
        quiet_s = models.section.quiet_s
        self._rest = None if rest is None or not quiet_s else Rest(quiet_s, rest)
        self._pool = Pool("material", 1, waiting_max=10_000)
        self._writers: dict[str, StreamWriter] = {}
        self._begun: set[str] = set()
        self._group: asyncio.TaskGroup | None = None
        self._boundary = Boundary(Backoff(), lambda *_: None, log)

    def tell(self) -> None:
        """Say once which parts of understanding are off, and what serves instead."""
        off = {role.value: instead for role, instead in without(self._models.played).items()}
        if off:
            self._log.info("language models: off", **off)

    async def run(self) -> None:
        """Write about every stream that there is or comes, for ever. Raises FatalError (in a group)."""
        if not self._wanted:
            return
        try:
            async with asyncio.TaskGroup() as self._group:
                for name in await self._pool.run(lambda: stream_names(self._state)):
                    self.wake(name)
                await asyncio.Event().wait()
        finally:
            self._group = None
            self._pool.close()

    def wake(self, stream: str) -> None:
        """Look what is due in a stream: something was applied."""
        if stream in self._writers:
            self._writers[stream].wake()
        elif self._group is not None and stream not in self._begun:
            self._begun.add(stream)
            self._group.create_task(self._write(stream))

    def gauges(self) -> Mapping[str, tuple[str, str, Mapping[str, float]]]:
        """Return what is to be shown, by name: its meaning, its label, and its values."""
        waiting: Counter[str] = Counter()
        held: Counter[str] = Counter()
        for writer in self._writers.values():
            waiting.update(writer.waiting)
            held.update(writer.reasons.keys())
        on = {role.value: float(role in self._models.played) for role in INSTEAD}
        breakers = {role.value: _BREAKERS[breaker.state] for role, breaker in self._models.breakers.items()}
        return {
            "language_role": ("Whether a language model plays a role", "role", on),
            "language_breaker": ("Whether a role's endpoint is left alone: 1, or tried again: 0.5", "role", breakers),
            "writing_waiting": (
                "Pieces due and not written", "writing", {writing: float(waiting[writing]) for writing in self._wanted}
            ),
            "writing_held": (
                "Streams in which pieces wait for their endpoint",
                "writing",
                {writing: float(held[writing]) for writing in self._wanted},
            ),
        }  # fmt: skip

    async def _write(self, stream: str) -> None:
        folder, section = stream_folder(self._state, stream), self._models.section
        path = folder / "memory.db"
        zone = await self._boundary.call("writing", lambda: self._pool.run(lambda: _zone(path, stream)))
        if isinstance(zone, Failure):
            # Not begun yet, or not to be read: the next clip's word brings it up again.
            self._begun.discard(stream)
            return
        material = Material(path, stream, MediaFolder(folder / "media"), section.views, section.clip_views)
        desk = Desk(Writers.of(self._models, zone), material, self._texts, self._pool)
        self._writers[stream] = StreamWriter(
            stream,
            Agenda(path, stream, self._wanted),
            desk,
            self._amend,
            self._metrics,
            self._log,
            self._wanted,
            at_once=section.concurrency,
            gather_s=self._gather_s,
            backoff=Backoff(section.pause_first_s, section.breaker_pause_s),
            opens_in_s=self._opens_in_s,
            rest=self._rest,
            hearing_s=section.hearing_s,
        )
        await self._writers[stream].run()

    def _opens_in_s(self, writing: str) -> float:
        return self._models.breakers[ROLE_OF[writing]].opens_in_s


def _zone(path: Path, stream: str) -> tzinfo:
    with cut_of(path, stream, people=nobody) as cut:
        return cut.zone

"""What is done now and then beside the clips: flushes of what waits too long, positions that no clip carries."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial

from biographer.daemon.boundary import Boundary, Failure
from biographer.daemon.ends import Flushes, StreamMemory
from biographer.daemon.lane import Lane
from biographer.daemon.partitions import Partitions
from biographer.daemon.sections import Pipeline as PipelineSection
from biographer.daemon.threads import Threads
from biographer.state.position import Position
from biographer.streams.message import FlushMessage, encode


class Upkeep:
    """`streams` names, for each partition, a stream that lies in it: whose store takes the partition's position."""

    def __init__(
        self,
        lanes: Mapping[str, Lane],
        partitions: Partitions,
        flushes: Flushes,
        boundary: Boundary,
        threads: Threads,
        settings: PipelineSection,
        now_us: Callable[[], int],
        tell: Callable[[], None],
        advance: Callable[[Position], None],
    ) -> None:
        self._lanes, self._partitions, self._flushes = lanes, partitions, flushes
        self._boundary, self._threads, self._settings, self._now_us = boundary, threads, settings, now_us
        self._tell, self._advance = tell, advance
        self.streams: dict[int, str] = {}

    async def run(self) -> None:
        """Look after both until cancelled, and have `tell` say how it goes."""
        clock = asyncio.get_running_loop().time
        stored_at = clock()
        while True:
            await asyncio.sleep(min(1.0, self._settings.idle_flush_s / 4 or 1.0))
            self._tell()
            for lane in [lane for lane in self._lanes.values() if self._is_idle(lane, clock())]:
                await self._boundary.call("flush", partial(self._flush, lane))
            if clock() - stored_at > self._settings.store_position_s:
                await self.store_marks()
                stored_at = clock()

    async def store_marks(self) -> None:
        """Write positions behind records that changed nothing, so that they are not read again after a crash."""
        for mark in self._partitions.unstored():
            lane = self._lanes.get(self.streams.get(mark.partition, ""))
            if lane is not None and lane.stream is not None and not isinstance(lane.stream, Failure):
                await self._boundary.call("position", partial(self._store, lane, lane.stream, mark), tries_max=1)

    async def store_streamless(self) -> None:
        """Write where partitions stand that no stream of ours lies in: all of theirs went to the dead letters."""
        for mark in self._partitions.unstored():
            if mark.partition not in self.streams:
                await self._boundary.call("position", partial(self._store_streamless, mark), tries_max=1)

    async def _store_streamless(self, mark: Position) -> None:
        await self._threads.write(self._advance, mark)
        self._partitions.stored(mark)

    async def _store(self, lane: Lane, stream: StreamMemory, mark: Position) -> None:
        async with lane.writing:
            if mark in self._partitions.unstored():
                await self._threads.write(stream.advance, mark)
                self._partitions.stored(mark)

    def _is_idle(self, lane: Lane, now: float) -> bool:
        limit = self._settings.idle_flush_s
        return bool(limit and lane.held and lane.quiet_since is not None and now - lane.quiet_since >= limit)

    async def _flush(self, lane: Lane) -> None:
        """Ask for what waits by way of the log, so that a replay lets it go at the same place."""
        await self._flushes.send(lane.name, encode(FlushMessage(lane.name, self._now_us())))
        lane.quiet_since = None

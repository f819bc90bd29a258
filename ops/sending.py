"""Clips to the topic, one after the other: packed in a thread, sent with patience, in real time if wanted."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from biographer.daemon.retry import Backoff
from biographer.ops.outside import Outside
from biographer.state.errors import TransientError
from biographer.state.times import SECOND_US
from biographer.streams.message import ClipMessage
from biographer.streams.sink import KafkaSink

T = TypeVar("T")

TRIES = 6
"""Over about half a minute, which a broker's restart fits in; a clip that arrived twice changes nothing."""


@dataclass(frozen=True, slots=True)
class Sending:
    """How clips are sent; `backoff` paces tries at a broker that is away for now."""

    sink: KafkaSink
    outside: Outside
    backoff: Backoff = field(default_factory=lambda: Backoff(0.5, 10.0))

    async def all(self, clips: Iterable[ClipMessage], sent: Callable[[ClipMessage], None], pace: "Pace") -> int:
        """Send all, telling `sent` after each; return how many. Raises RefusedError, TransientError."""
        count = 0
        async for clip in _drawn(iter(clips)):
            await pace.wait_for(clip)
            value = await asyncio.to_thread(self.outside.packed, clip)
            await self._send(clip.stream, value)
            sent(clip)
            count += 1
        return count

    async def _send(self, stream: str, value: bytes) -> None:
        async for tries in self.backoff.tries():
            try:
                await self.sink.send(stream, value)
            except TransientError:
                if tries == TRIES:
                    raise
            else:
                return


@dataclass(slots=True)
class Pace:
    """When a clip may be sent: at once, or once as much time has passed as since the recording began."""

    realtime: bool
    clock: Callable[[], float]
    sleep: Callable[[float], Awaitable[None]]
    _began: tuple[float, int] | None = None

    async def wait_for(self, clip: ClipMessage) -> None:
        """Wait until a wearable that began recording with the first clip would have this one whole."""
        if not self.realtime:
            return
        if self._began is None:
            self._began = (self.clock(), clip.start_us)
        began, first_us = self._began
        wait_s = (clip.end_us - first_us) / SECOND_US - (self.clock() - began)
        if wait_s > 0:
            await self.sleep(wait_s)


async def _drawn(source: Iterator[T]) -> AsyncIterator[T]:
    """Yield from an iterator that decodes and encodes between its items, off the loop."""
    end = object()
    while (item := await asyncio.to_thread(next, source, end)) is not end:
        yield item  # type: ignore[misc]  # what is not the end is an item

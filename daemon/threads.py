"""The worker threads: whatever blocks runs here, never on the event loop."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    """Two bounded pools, so that a store that waits for its disk holds up no perceiving, nor the reverse.

    The `seats` bound how many clips are perceived at once; who must be alone takes all of them.
    """

    def __init__(self, perceivers: int, writers: int = 4) -> None:
        self._perceivers = perceivers
        self._perceiving = ThreadPoolExecutor(perceivers, "perceive")
        self._writing = ThreadPoolExecutor(writers, "write")
        self._seats = asyncio.Semaphore(perceivers)
        self._taking_all = asyncio.Lock()

    @asynccontextmanager
    async def seat(self, *, alone: bool = False) -> AsyncIterator[None]:
        """Hold one seat, or every seat."""
        taken = 0
        try:
            if alone:
                async with self._taking_all:
                    for _ in range(self._perceivers):
                        await self._seats.acquire()
                        taken += 1
            else:
                await self._seats.acquire()
                taken = 1
            yield
        finally:
            for _ in range(taken):
                self._seats.release()

    async def perceive(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a call that decodes or runs networks."""
        return await asyncio.get_running_loop().run_in_executor(self._perceiving, lambda: call(*args, **kwargs))

    async def write(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a call that reads or writes the store."""
        return await asyncio.get_running_loop().run_in_executor(self._writing, lambda: call(*args, **kwargs))

    def close(self) -> None:
        """Wait for the calls that run; drop those that don't yet."""
        self._perceiving.shutdown(cancel_futures=True)
        self._writing.shutdown(cancel_futures=True)

"""Changes to a stream's memory that no clip brings (a user's word, what a model wrote), made in turn with its clips.

A change that has begun is finished, whoever asked for it and went away: half of it would leave two writers at once.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeVar

from biographer.daemon.boundary import Failure
from biographer.daemon.ends import StreamMemory
from biographer.daemon.lane import Lane
from biographer.daemon.threads import Threads
from biographer.state.amendment import Amended, Amendment
from biographer.state.errors import TransientError
from biographer.state.ruling import Ruled, Word

T = TypeVar("T")


class Running(Protocol):
    """What the pipeline tells of itself."""

    @property
    def running(self) -> bool:
        """Whether it takes records."""

    def lane(self, name: str) -> Lane:
        """Return a stream's lane, begun if there is none."""


class InTurn:
    """Runs one change at a time a stream, between its clips; `committed` is told of each."""

    def __init__(self, pipeline: Running, threads: Threads, committed: Callable[[str], None]) -> None:
        self._pipeline, self._threads, self._committed = pipeline, threads, committed
        self._tasks: set[asyncio.Task[object]] = set()

    async def obey(self, name: str, word: Word) -> Ruled:
        """Do as a user says. Raises RefusedError, TransientError where it can't be written now, FatalError."""
        return await self.change(name, lambda stream: stream.obey(word))

    async def amend(self, name: str, amendment: Amendment) -> Amended | None:
        """Add what was written about clips; None where it is there already. Raises as `obey`."""
        return await self.change(name, lambda stream: stream.amend(amendment))

    async def end_of(self, name: str) -> Amended | None:
        """Note that nothing follows for now; None where that is noted already. Raises as `obey`."""
        return await self.change(name, lambda stream: stream.end())

    async def change(self, name: str, step: Callable[[StreamMemory], T]) -> T:
        """Run a step that blocks and changes a stream's memory. Raises what it raises, and TransientError."""
        task = asyncio.create_task(self._changed(name, step))
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        # Waited for, not awaited: where both the asker and the change are cancelled, the asker is to hear of its own.
        await asyncio.wait([task])
        if task.cancelled():
            raise TransientError("the daemon is stopping; say it again once it is back")
        return task.result()

    def end(self) -> None:
        """Give up what has not begun; whoever calls holds the lanes, so that nothing is half done."""
        for task in self._tasks:
            task.cancel()

    async def _changed(self, name: str, step: Callable[[StreamMemory], T]) -> T:
        self._refuse_idle()
        lane = self._pipeline.lane(name)
        stream = await lane.opened()
        if isinstance(stream, Failure):
            raise stream.error
        async with lane.writing:
            # The pipeline's end waits for this lock, and closes the memory after it.
            self._refuse_idle()
            changed = await self._threads.write(step, stream)
        self._committed(name)
        return changed

    def _refuse_idle(self) -> None:
        if not self._pipeline.running:
            raise TransientError("the daemon is starting or stopping; say it again soon")

    def _forget(self, task: "asyncio.Task[object]") -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            # Whoever asked may be gone: nobody else will look, and asyncio would complain.
            task.exception()

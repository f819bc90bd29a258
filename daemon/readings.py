"""Reads of the records for the API: in worker threads of their own, each through one cut, never in the writer's way."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from biographer.daemon.live import Live
from biographer.state.cast_people import CastPeople
from biographer.state.cut import Cut, cut_of
from biographer.state.errors import TransientError
from biographer.state.folder import stream_folder, stream_names, stream_store
from biographer.state.media import MediaFolder
from biographer.state.view import View

T = TypeVar("T")

_WAITING_MAX = 128
_KEPT_MAX = 24


class Pool:
    """A few threads, and a bound on who waits for them."""

    def __init__(self, name: str, threads: int, waiting_max: int = _WAITING_MAX) -> None:
        self._name, self._waiting_max = name, waiting_max
        self._threads = ThreadPoolExecutor(threads, name)
        self._waiting, self._closed = 0, False

    async def run(self, call: Callable[[], T]) -> T:
        """Run a call that blocks.

        Raises TransientError where too many wait already or it is closed meanwhile, and what the call raises.
        """
        if self._waiting >= self._waiting_max:
            raise TransientError(f"{self._waiting} requests wait for the {self._name} threads already; ask again")
        if self._closed:
            raise TransientError("the daemon is stopping; ask again once it is back")
        self._waiting += 1
        running = asyncio.get_running_loop().run_in_executor(self._threads, call)
        try:
            return await running
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if running.cancelled() and not (task and task.cancelling()):
                # Not the asker was cancelled but the call, and whoever serves the asker would take that for a fault.
                raise TransientError("the daemon is stopping; ask again once it is back") from None
            raise
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Let the calls that run end; drop the others."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)


class Readings:
    """The state folder as readers see it; holds no lock, and works beside a writer or without one."""

    def __init__(self, state: Path, threads: int = 8, live: Live | None = None) -> None:
        """Read a folder; `live` has views of what this daemon holds of it."""
        self.state, self._live = state, live or Live()
        self._pool = Pool("read", threads)
        self._kept: OrderedDict[tuple[str, str, int, int | None], Any] = OrderedDict()
        self._lock = Lock()

    async def names(self) -> list[str]:
        """Return the names of the streams there are."""
        return await self._pool.run(lambda: stream_names(self.state))

    async def read(
        self, stream: str, read: Callable[[Cut], T], as_of_us: int | None = None, version: int | None = None
    ) -> T | None:
        """Return what `read` finds through one cut of a stream, None where there is no such stream.

        Raises TransientError, FatalError, RefusedError for a cut that is not to be had, and what `read` raises.
        """

        def through_cut() -> T | None:
            path = stream_store(self.state, stream)
            if not path.exists():
                return None
            with cut_of(path, stream, as_of_us, version, self._people) as cut:
                return read(cut)

        return await self._pool.run(through_cut)

    async def read_with_view(
        self,
        stream: str,
        read: Callable[[Cut, View | None], T],
        as_of_us: int | None = None,
        version: int | None = None,
        *,
        wait: bool = True,
    ) -> T | None:
        """Return what `read` finds through one cut and a view that shows the same, None where none is to be had.

        What lists everything takes the view: from the records it takes seconds. With `wait`, a stream is opened for it,
        and waited for a while where its index is being learned; then the records answer.
        """

        def through_both() -> T | None:
            path = stream_store(self.state, stream)
            if not path.exists():
                return None
            view = self._seen(stream, as_of_us, wait=wait)
            # The store is never behind the memory, so what the view shows is there to be cut out.
            bound = view.version if view is not None and version is None else version
            with cut_of(path, stream, as_of_us, bound, self._people) as cut:
                same = view is not None and view.clips.total == cut.snapshot.clips
                return read(cut, view if same else None)

        return await self._pool.run(through_both)

    def _seen(self, stream: str, as_of_us: int | None, *, wait: bool) -> View | None:
        if not wait or not self._live.connected:
            return self._live.at_hand(stream, as_of_us)
        try:
            return self._live.view(stream, as_of_us)
        except TransientError:
            return None

    def kept(self, cut: Cut, what: str, find: Callable[[Cut], T]) -> T:
        """Return what is found in all of a cut; kept for the next page and the next asker."""
        snapshot = cut.snapshot
        key = (what, snapshot.stream, snapshot.version, snapshot.as_of_us)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                known: T = self._kept[key]
                return known
        found = find(cut)
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > _KEPT_MAX:
                self._kept.popitem(last=False)
        return found

    def _people(self, cut: Cut) -> CastPeople:
        return self.kept(cut, "people", Cut.cast)

    def media(self, stream: str) -> MediaFolder:
        """Return where the pictures and clips of a stream lie."""
        return MediaFolder(stream_folder(self.state, stream) / "media")

    def close(self) -> None:
        """Stop reading."""
        self._pool.close()

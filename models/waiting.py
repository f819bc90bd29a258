"""Waiting in a worker thread for what runs on an event loop: roles that are called in threads ask endpoints so."""

import asyncio
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from biographer.state.errors import FatalError

T = TypeVar("T")


class Wait(Protocol):
    """Runs a coroutine to its end and returns what it returns."""

    def __call__(self, work: Coroutine[Any, Any, T]) -> T:
        """Block until it is done."""


class OnLoop:
    """Waits for coroutines on a loop that runs in another thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def __call__(self, work: Coroutine[Any, Any, T]) -> T:
        """Block until it is done; raises FatalError in the loop's own thread, which would wait for itself."""
        if _running() is self._loop:
            work.close()
            raise FatalError("an endpoint was waited for on the event loop itself; call this role in a worker thread")
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


class LoopThread:
    """An event loop in a thread of its own, for commands that have none; `wait` is there while entered."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.wait = OnLoop(self.loop)
        self._thread = threading.Thread(target=self.loop.run_forever, name="language", daemon=True)

    def __enter__(self) -> Self:
        """Start the loop."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop it; what still runs there is dropped."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


def _running() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None

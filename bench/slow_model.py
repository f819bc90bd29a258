"""A language endpoint that takes its time, in a thread of its own: for benches that measure who waits for it."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from biographer.bench.language_server import LanguageServer, Play
from biographer.state.errors import FatalError

_PATIENCE_S = 30.0


@contextmanager
def slow_model(answer_s: float) -> Iterator[LanguageServer]:
    """Serve a model that answers each question with its smallest form after so many seconds; `asked` is what came."""
    server, ready, loop = LanguageServer(lambda _: Play(delay_s=answer_s)), Event(), asyncio.new_event_loop()
    ended: asyncio.Future[None] = loop.create_future()

    async def serve() -> None:
        async with server:
            ready.set()
            await ended

    thread = Thread(target=loop.run_until_complete, args=(serve(),), name="slow model", daemon=True)
    thread.start()
    if not ready.wait(_PATIENCE_S):
        raise FatalError("the bench's own language server does not start; try again")
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(ended.set_result, None)
        thread.join()
        loop.close()

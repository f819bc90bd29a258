"""Askers who go away: what is under way for them is cancelled, for nobody reads what it would bring."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Mapping
from contextlib import aclosing
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

T = TypeVar("T")

_LEFT = 400
"""Nobody reads this; the request did not hold its end."""


async def unless_left(receive: Receive, work: Coroutine[Any, Any, T]) -> T:
    """Return what the work does; cancel it, and wait for its end, once the asker has gone. The body must be read.

    Raises HTTPException where they have gone, and what the work raises.
    """
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_left(receive))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise HTTPException(_LEFT, "the connection ended before the answer did")
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


class LastingResponse(StreamingResponse):
    """A stream that ends with its reader, also while it has nothing to send."""

    def __init__(self, content: AsyncIterator[bytes], media_type: str, headers: Mapping[str, str]) -> None:
        super().__init__(content, headers=headers, media_type=media_type)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI's signature
        """Send until the end, or until nobody reads."""
        try:
            await unless_left(receive, self.stream_response(send))
        except (HTTPException, OSError):
            return


async def kept_alive(content: AsyncGenerator[bytes, None], quiet_s: float) -> AsyncGenerator[bytes, None]:
    """Yield events as they come, and a comment where none does for so long: proxies cut what is quiet."""
    async with aclosing(content):
        while True:
            coming = asyncio.ensure_future(anext(content, b""))
            try:
                while not (await asyncio.wait({coming}, timeout=quiet_s))[0]:
                    yield b": still here\n\n"
                if not (event := coming.result()):
                    return
                yield event
            finally:
                coming.cancel()
                await asyncio.gather(coming, return_exceptions=True)


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass

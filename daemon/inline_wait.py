"""Waiting in a worker thread for what is asked on the event loop: only so long, and only while it is wanted."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import TimeoutError as TooLate
from dataclasses import dataclass
from typing import Any, TypeVar

from biographer.state.errors import RefusedError, TransientError

T = TypeVar("T")

_LOOK_S = 0.25
"""So often it is seen whether it is still wanted."""


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Why nothing came of it."""

    reason: str


@dataclass(frozen=True, slots=True)
class InlineWait:
    """Asks on `loop`, for at most `limit_s`."""

    loop: asyncio.AbstractEventLoop
    limit_s: float

    def answer(self, asked: Coroutine[Any, Any, T], stop: Callable[[], bool], what: str) -> T | Unanswered:
        """Return what came of it, or why nothing did; blocks. Raises TransientError once `stop` says so."""
        future = asyncio.run_coroutine_threadsafe(asked, self.loop)
        waited = 0.0
        while True:
            try:
                return future.result(_LOOK_S)
            except TooLate:
                waited += _LOOK_S
                if stop():
                    future.cancel()
                    raise TransientError(f"{what} was stopped; try it again") from None
                if waited >= self.limit_s:
                    future.cancel()
                    return Unanswered(f"no answer within language.inline_s {self.limit_s:g}")
            except (TransientError, RefusedError) as error:
                return Unanswered(str(error))

"""The failure boundary of one record: what goes wrong inside becomes a value, so that no clip stops its stream.

The only broad `except` of the pipeline is here.
"""

import errno
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from structlog.typing import FilteringBoundLogger

from biographer.daemon.retry import Backoff
from biographer.state.errors import BadClipError, FatalError, RefusedError, TransientError

T = TypeVar("T")

_SURROUNDINGS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM}
"""What an OSError says that is no clip's fault: disk full or read-only, out of descriptors or memory."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a record goes to the dead letters; `kind` is clip, surroundings, crashes or unexpected."""

    kind: str
    error: Exception


@dataclass(frozen=True, slots=True)
class Boundary:
    """Makes calls on behalf of records: returns what they return, or the failure that sets the record aside.

    While the surroundings are at fault it tries again, telling `waiting(part, reason)`, and `waiting(part, None)`
    once that is over.
    """

    backoff: Backoff
    waiting: Callable[[str, str | None], None]
    log: FilteringBoundLogger

    async def call(self, part: str, work: Callable[[], Awaitable[T]], tries_max: int | None = None) -> T | Failure:
        """Await work(), again while it raises TransientError, at most `tries_max` times. Raises FatalError."""
        async for tries in self.backoff.tries():
            outcome = await self._once(work)
            waits = isinstance(outcome, Failure) and outcome.kind == "surroundings"
            if not waits or tries == tries_max:
                if tries > 1:
                    self.waiting(part, None)
                break
            self.waiting(part, str(outcome.error))  # type: ignore[union-attr]  # `waits` says that it is a failure
        return outcome

    async def _once(self, work: Callable[[], Awaitable[T]]) -> T | Failure:
        try:
            return await work()
        except FatalError:
            raise
        except (BadClipError, RefusedError) as error:
            return Failure("clip", error)
        except (TransientError, MemoryError) as error:
            return Failure("surroundings", error)
        except Exception as error:  # the boundary: whatever one clip does, the next one proceeds
            if isinstance(error, OSError) and error.errno in _SURROUNDINGS:
                return Failure("surroundings", error)
            self.log.exception("unexpected failure")
            return Failure("unexpected", error)

"""Trying again with back-off while the surroundings are at fault."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """Pauses in seconds that double from `first_s` to `last_s`."""

    first_s: float = 0.1
    last_s: float = 10.0

    def pause_s(self, tries: int) -> float:
        """Return the pause after so many failed tries, 1 being the first."""
        return min(self.last_s, self.first_s * 2.0 ** min(tries - 1, 30))

    async def tries(self) -> AsyncIterator[int]:
        """Yield 1, 2, 3 … for ever, pausing in between; the caller leaves when it succeeds or gives up."""
        count = 1
        while True:
            yield count
            await asyncio.sleep(self.pause_s(count))
            count += 1

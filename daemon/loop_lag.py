"""How late the event loop runs: what starves Kafka's heartbeat shows here first (aio-libs/aiokafka#678)."""

import asyncio
from collections import deque


class LoopLag:
    """Measures by how much a short sleep overshoots; keeps the last readings."""

    def __init__(self, interval_s: float = 0.25, readings: int = 40) -> None:
        self._interval_s = interval_s
        self._readings: deque[float] = deque(maxlen=readings)

    @property
    def worst_s(self) -> float:
        """Return the worst overshoot of the last readings, in seconds."""
        return max(self._readings, default=0.0)

    async def watch(self) -> None:
        """Measure until cancelled."""
        clock = asyncio.get_running_loop().time
        while True:
            before = clock()
            await asyncio.sleep(self._interval_s)
            self._readings.append(max(0.0, clock() - before - self._interval_s))

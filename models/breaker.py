"""The circuit breaker: an endpoint that keeps failing is left alone for a while, then tried by one request.

Time is passed in. What counts as a failure is for who asks to say; a busy endpoint (429) is alive.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum


class BreakerState(StrEnum):
    """Closed lets all through, open none, half-open one that tries."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class Outcome(StrEnum):
    """What came of one request: unknown where its asker went away, or where a busy server put it off."""

    UNKNOWN = "unknown"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class Trial:
    """One admitted request; its outcome is unknown until it is set."""

    def __init__(self) -> None:
        self.outcome = Outcome.UNKNOWN


class Breaker:
    """Opens after `failures` in a row, for `pause_s`; `clock` returns seconds that only rise.

    One event loop's, or one thread's, at a time.
    """

    def __init__(self, clock: Callable[[], float], failures: int = 5, pause_s: float = 30.0) -> None:
        self.failures_running = 0
        self._clock = clock
        self._limit = failures
        self._pause_s = pause_s
        self._opened_at: float | None = None
        self._trying = False

    @property
    def state(self) -> BreakerState:
        """Where it stands now."""
        if self._opened_at is None:
            return BreakerState.CLOSED
        return BreakerState.OPEN if self.opens_in_s > 0 else BreakerState.HALF_OPEN

    @property
    def opens_in_s(self) -> float:
        """Seconds until a request may try, 0 where one may now."""
        if self._opened_at is None:
            return 0.0
        return max(0.0, self._opened_at + self._pause_s - self._clock())

    @contextmanager
    def trial(self) -> Iterator[Trial | None]:
        """Admit a request for the length of a block, or give None; half-open admits one at a time."""
        if self.state is BreakerState.OPEN or (self.state is BreakerState.HALF_OPEN and self._trying):
            yield None
            return
        self._trying = self.state is BreakerState.HALF_OPEN
        trial = Trial()
        try:
            yield trial
        finally:
            self._settle(trial.outcome)

    def _settle(self, outcome: Outcome) -> None:
        """Take an outcome to heart; a failure while half-open opens at once."""
        self._trying = False
        if outcome is Outcome.SUCCEEDED:
            self.failures_running, self._opened_at = 0, None
        elif outcome is Outcome.FAILED:
            self.failures_running += 1
            if self._opened_at is not None or self.failures_running >= self._limit:
                self._opened_at = self._clock()

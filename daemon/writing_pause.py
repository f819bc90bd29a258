"""When a kind of piece is asked for again after its endpoint failed: later and later, until it answers.

An endpoint that is only away comes back soon; one that refuses waits for somebody to change the settings or itself.
"""

from collections.abc import Callable

from biographer.daemon.retry import Backoff

_REFUSED = Backoff(30.0, 600.0)


class Pause:
    """Of one kind of piece; `clock` gives seconds that only rise."""

    def __init__(self, clock: Callable[[], float], backoff: Backoff) -> None:
        self.reason: str | None = None
        self._clock, self._backoff = clock, backoff
        self._tries = 0
        self._until = 0.0
        self._since: float | None = None

    @property
    def left_s(self) -> float:
        """Seconds until it may be asked for again; 0 where it may now."""
        return max(0.0, self._until - self._clock())

    @property
    def lasts_s(self) -> float:
        """Seconds since it failed first; 0 where it last answered."""
        return 0.0 if self._since is None else self._clock() - self._since

    def failed(self, reason: str, *, refused: bool = False, at_least_s: float = 0.0) -> bool:
        """Wait; return whether that is news. What was asked together fails together, and counts once."""
        if self.left_s:
            return False
        self._tries += 1
        self._since = self._clock() if self._since is None else self._since
        backoff = _REFUSED if refused else self._backoff
        self._until = self._clock() + max(at_least_s, backoff.pause_s(self._tries))
        news, self.reason = self.reason is None, reason
        return news

    def answered(self) -> bool:
        """Go on; return whether that is news."""
        news, self.reason = self.reason is not None, None
        self._tries, self._until, self._since = 0, 0.0, None
        return news

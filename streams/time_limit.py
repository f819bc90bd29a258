"""A limit on the time that decoding one clip takes, not counting what its frames are used for meanwhile."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from biographer.state.errors import BadClipError


class TimeLimit:
    """Adds up the time spent inside `counted` blocks; `clock` returns seconds."""

    def __init__(self, limit_s: float, clock: Callable[[], float]) -> None:
        self._limit_s = limit_s
        self._clock = clock
        self._spent_s = 0.0

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count what happens inside; raises BadClipError afterwards where the limit is passed."""
        begun = self._clock()
        yield
        self._spent_s += self._clock() - begun
        if self._spent_s > self._limit_s:
            raise BadClipError(
                f"decoding took over {self._limit_s:g} s; send shorter or smaller clips, or raise the time limit"
            )

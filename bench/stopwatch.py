"""How long calls take, measured from outside: methods are wrapped for the time of a block, nothing else changes."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Stopwatch:
    """Seconds of every call, by the name it is measured under; calls come from one thread at a time."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self._clock = clock

    def timed(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return the callable, measured; a call that raises counts too."""

        def measured(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - whatever the callable takes and gives
            began = self._clock()
            try:
                return call(*given, **named)
            finally:
                self.seconds[name].append(self._clock() - began)

        return measured

    @contextmanager
    def on(self, *methods: tuple[object, str]) -> Iterator[None]:
        """Measure calls of (object, method) within the block, each under the method's name."""
        for owner, method in methods:
            setattr(owner, method, self.timed(method, getattr(owner, method)))
        try:
            yield
        finally:
            for owner, method in methods:
                delattr(owner, method)

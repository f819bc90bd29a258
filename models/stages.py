"""Stages: where the time of perceiving one clip went, for the bench and the metrics."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, TypeVar

T = TypeVar("T")


class _End:
    """Marks an exhausted iterator, as None may be an item."""


_END: Final = _End()


class Stage(StrEnum):
    """A step of perceiving."""

    DECODE = "decode"
    DETECT = "detect"
    TRACK = "track"
    CROPS = "crops"
    EMBED = "embed"
    HEAR = "hear"
    DESCRIBE = "describe"
    TEXTS = "texts"


@dataclass(slots=True)
class Stages:
    """Seconds spent in each stage, added up; one a clip, used by one thread."""

    clock: Callable[[], float] = time.perf_counter
    seconds: dict[Stage, float] = field(default_factory=lambda: dict.fromkeys(Stage, 0.0))
    frames: int = 0
    """Frames looked at."""

    @contextmanager
    def timed(self, stage: Stage) -> Iterator[None]:
        """Add the time that the block takes to the stage, also where it raises."""
        began = self.clock()
        try:
            yield
        finally:
            self.seconds[stage] += self.clock() - began

    def timed_each(self, stage: Stage, items: Iterable[T]) -> Iterator[T]:
        """Yield the items, adding the time that each takes to arrive."""
        source = iter(items)
        while True:
            with self.timed(stage):
                item = next(source, _END)
            if isinstance(item, _End):
                return
            yield item

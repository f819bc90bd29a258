"""The recording that a benchmark's questions are on, as its clips tell it: what its own seconds mean in event time."""

from collections.abc import Iterable
from dataclasses import dataclass

from biographer.bench.answer_scores import Span, joined
from biographer.bench.questions import MIDNIGHT_US
from biographer.state.times import SECOND_US


@dataclass(frozen=True, slots=True)
class Recorded:
    """The stream that is asked: its name, when it was recorded (spans that rise and do not meet), and day 1, 00:00."""

    stream: str
    spans: tuple[Span, ...] = ()
    midnight_us: int = MIDNIGHT_US

    @classmethod
    def of(cls, stream: str, clips: Iterable[Span], midnight_us: int = MIDNIGHT_US) -> "Recorded":
        """Join clips that meet or overlap; they may come in any order."""
        return cls(stream, tuple(joined(clips)), midnight_us)

    @property
    def start_us(self) -> int:
        """When it begins, 0 where nothing was recorded."""
        return self.spans[0][0] if self.spans else 0

    @property
    def end_us(self) -> int:
        """When it ends, 0 where nothing was recorded."""
        return self.spans[-1][1] if self.spans else 0

    def after(self, second: float) -> int:
        """Return the event time so many seconds after its start."""
        return self.start_us + round(second * SECOND_US)

    def played(self, second: float) -> int:
        """Return the event time at which so many seconds had been recorded, gaps not counted; past the end, its end."""
        left = round(second * SECOND_US)
        for start, end in self.spans:
            if left <= end - start:
                return start + left
            left -= end - start
        return self.end_us

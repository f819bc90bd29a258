"""The journal: a line in the log for each clip that is remembered, and one now and then for what takes long.

It only tells; what is counted for good is in the metrics. What comes from a recording is only ever a value of a line.
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock

from structlog.typing import FilteringBoundLogger

from biographer.daemon.work import Work
from biographer.models.stages import Stages
from biographer.state.change import Change
from biographer.state.clip import Clip
from biographer.state.times import SECOND_US, format_time
from biographer.streams.message import ClipMessage

LINES = 20
"""At most so many clips of a span have a line of their own; the rest of them share one."""

SPAN_S = 10.0
"""Length of that span, and how long a clip is at work before that is told, again after every such span."""

_TIMINGS = 256
"""Clips whose stages are kept until they are applied; more than are in hand at once, and those abandoned fall out."""


@dataclass(slots=True)
class Unsaid:
    """What the clips without a line of their own add up to."""

    clips: int = 0
    observations: int = 0
    entities: int = 0

    def add(self, change: Change) -> None:
        """Count one more."""
        self.clips += 1
        self.observations += len(change.observations)
        self.entities += len(change.entities)


@dataclass(slots=True)
class Journal:
    """`clock` is in seconds and only ever rises; `now_us` is the time of day, for how long ago a clip was sent."""

    log: FilteringBoundLogger
    clock: Callable[[], float]
    now_us: Callable[[], int]
    _timings: OrderedDict[tuple[str, str], Mapping[str, float]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)
    _at_work: dict[Work, tuple[float, float]] = field(default_factory=dict)
    _began: float = 0.0
    _lines: int = 0
    _unsaid: Unsaid = field(default_factory=Unsaid)

    def perceived(self, clip: Clip, stages: Stages) -> None:
        """Keep where the time of a clip went, until it is remembered; safe in any thread."""
        with self._lock:
            self._timings[clip.stream, clip.name] = {stage.value: spent for stage, spent in stages.seconds.items()}
            while len(self._timings) > _TIMINGS:
                self._timings.popitem(last=False)

    def begin(self, work: Work) -> None:
        """Note that a clip is at work."""
        self._at_work[work] = (self.clock(), self.clock())

    def end(self, work: Work) -> None:
        """Note that it is not any more."""
        self._at_work.pop(work, None)

    def remembered(self, work: Work, change: Change, apply_s: float) -> None:
        """Tell of a clip that was applied, which took `apply_s` seconds, waiting included."""
        with self._lock:
            stages = self._timings.pop((change.clip.stream, change.clip.name), {})
        self._turn_over()
        self._lines += 1
        if self._lines > LINES:
            self._unsaid.add(change)
            return
        spent = {stage: round(seconds, 3) for stage, seconds in {**stages, "apply": apply_s}.items() if seconds}
        self.log.info("clip remembered", **_told(change), seconds=spent, **self._lag(work))

    def tell(self) -> None:
        """Tell what is due: clips long at work, and those that had no line of their own. Call about once a second."""
        self._turn_over()
        now = self.clock()
        for work, (began, told) in self._at_work.items():
            if now - told >= SPAN_S:
                self._at_work[work] = (began, now)
                self.log.info(
                    "clip still at work", offset=work.record.offset, **_named(work), so_far_s=int(now - began)
                )

    def close(self) -> None:
        """Tell what has not been told."""
        self._sum_up()

    def _turn_over(self) -> None:
        if self.clock() - self._began >= SPAN_S:
            self._sum_up()
            self._began, self._lines = self.clock(), 0

    def _sum_up(self) -> None:
        unsaid, self._unsaid = self._unsaid, Unsaid()
        if unsaid.clips:
            told = {"observations": unsaid.observations, "new": unsaid.entities}
            self.log.info("further clips remembered", clips=unsaid.clips, **told)

    def _lag(self, work: Work) -> dict[str, float]:
        """Seconds since the clip was sent, where the record says when that was."""
        sent_us = work.record.timestamp_us
        return {"lag_s": round((self.now_us() - sent_us) / SECOND_US, 1)} if sent_us > 0 else {}


def _told(change: Change) -> dict[str, object]:
    entities, new = set(change.chosen.values()), len(change.entities)
    late = {"late": True} if change.late else {}
    return {
        "stream": change.clip.stream,
        "clip": change.clip.name,
        "ended": format_time(change.clip.end_us),
        "observations": len(change.observations),
        "new": new,
        "met": len(entities) - new,
        **late,
    }


def _named(work: Work) -> dict[str, str]:
    message = work.message
    return {"stream": message.stream, "clip": message.clip} if isinstance(message, ClipMessage) else {}

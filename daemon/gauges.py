"""The gauges of the metrics page, read when someone asks for it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice

from biographer.daemon.boundary import Failure
from biographer.daemon.loop_lag import LoopLag
from biographer.daemon.metrics import Metrics
from biographer.daemon.pipeline import Pipeline
from biographer.state.times import SECOND_US

_STREAMS_MAX = 100


@dataclass(frozen=True, slots=True)
class Gauges:
    """What is read: the pipeline's queues and streams, the source's lag, the loop's lateness."""

    metrics: Metrics
    pipeline: Pipeline
    lag: Callable[[], Mapping[int, int]]
    loop_lag: LoopLag
    further: Callable[[], Mapping[str, tuple[str, str, Mapping[str, float]]]] = dict
    """Others, by name: what each means, its label, and its values."""

    def page(self) -> bytes:
        """Return the page of all metrics, as of now."""
        queued = self.pipeline.partitions.queued()
        self._set("queued_records", "Records in hand", {str(n): count for n, count in queued.items()}, "partition")
        self._set("lag_records", "Records not delivered", {str(n): c for n, c in self.lag().items()}, "partition")
        lanes = list(islice(self.pipeline.lanes, _STREAMS_MAX))
        self._set("held_clips", "Clips that wait for their turn", {lane.name: lane.held for lane in lanes}, "stream")
        marks = {
            lane.name: lane.stream.watermark_us / SECOND_US
            for lane in lanes
            if lane.stream is not None and not isinstance(lane.stream, Failure) and lane.stream.watermark_us is not None
        }
        self._set("watermark_seconds", "Event time up to which a stream is complete, Unix time", marks, "stream")
        self._set("loop_lag_seconds", "Worst lateness of the event loop lately", {"": self.loop_lag.worst_s}, "loop")
        for name, (meaning, label, values) in self.further().items():
            self._set(name, meaning, values, label)
        return self.metrics.page()

    def _set(self, name: str, meaning: str, values: Mapping[str, float], label: str) -> None:
        self.metrics.gauge(name, meaning, values, label)

"""What is counted and timed for Prometheus, in a registry of its own."""

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from biographer.state.stream import Applied

_STREAMS_MAX = 100
"""Streams with a label of their own; the rest share one, since names are data and labels cost memory for ever."""

_OTHERS = "(others)"
_SECONDS = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """Counters that the pipeline adds to, and gauges that are set when someone reads them."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._streams: set[str] = set()
        self._clips = Counter(
            "biographer_clips", "Clips by what became of them", ["stream", "outcome"], registry=self._registry
        )
        self._dead = Counter("biographer_dead_letters", "Records set aside", ["kind"], registry=self._registry)
        self._observations = Counter(
            "biographer_observations", "Observations remembered", ["stream"], registry=self._registry
        )
        self._entities = Counter("biographer_entities", "Entities begun", ["stream"], registry=self._registry)
        self._refused = Counter(
            "biographer_observations_without_identity",
            "Observations whose embedding was refused or missing",
            ["stream"],
            registry=self._registry,
        )
        self._stage = Histogram(
            "biographer_stage_seconds",
            "Time of one clip in a stage",
            ["stage"],
            registry=self._registry,
            buckets=_SECONDS,
        )
        self._request = Histogram(
            "biographer_http_request_seconds",
            "Time until a request's answer began, by the route's template",
            ["method", "route", "status"],
            registry=self._registry,
            buckets=_SECONDS,
        )
        self._written = Counter(
            "biographer_written", "Pieces by what became of them", ["writing", "outcome"], registry=self._registry
        )
        self._gauges: dict[str, Gauge] = {}

    def applied(self, stream: str, applied: Applied) -> None:
        """Count a clip that was applied, late or known."""
        label, change = self._label(stream), applied.change
        outcome = "known" if change is None else "late" if change.late else "applied"
        self._clips.labels(label, outcome).inc()
        if change is not None:
            self._observations.labels(label).inc(len(change.observations))
            self._entities.labels(label).inc(len(change.entities))
            self._refused.labels(label).inc(change.refused)

    def known(self, stream: str) -> None:
        """Count a clip that came again."""
        self._clips.labels(self._label(stream), "known").inc()

    def set_aside(self, kind: str) -> None:
        """Count a dead letter."""
        self._dead.labels(kind).inc()

    def wrote(self, writing: str, outcome: str) -> None:
        """Count a piece that was asked for: written, unusable, or failed and asked again."""
        self._written.labels(writing, outcome).inc()

    def stages(self, seconds: Mapping[str, float]) -> None:
        """Take the times of one clip, by stage; safe in any thread."""
        for stage, spent in seconds.items():
            self._stage.labels(stage).observe(spent)

    def requested(self, method: str, route: str, status: int, seconds: float) -> None:
        """Take a request over HTTP; `route` is the template, not the path, which is data."""
        self._request.labels(method, route, str(status)).observe(seconds)

    def gauge(self, name: str, meaning: str, values: Mapping[str, float], label: str) -> None:
        """Set a gauge anew: its labels are those given, no others."""
        gauge = self._gauges.get(name)
        if gauge is None:
            gauge = self._gauges[name] = Gauge(f"biographer_{name}", meaning, [label], registry=self._registry)
        gauge.clear()
        for each, value in values.items():
            gauge.labels(each).set(value)

    def page(self) -> bytes:
        """Return everything in Prometheus' text format."""
        return generate_latest(self._registry)

    def _label(self, stream: str) -> str:
        if stream not in self._streams and len(self._streams) < _STREAMS_MAX:
            self._streams.add(stream)
        return stream if stream in self._streams else _OTHERS

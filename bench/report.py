"""The one JSON object that a bench prints, and what it says on the way.

Results go to standard output or a file, progress to standard error; what is measured is the benches' own.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias, TypeVar

import msgspec

from biographer.bench.machine import Commit, Machine, commit, machine
from biographer.state.times import SECOND_US, format_time

T = TypeVar("T")

Say: TypeAlias = Callable[[str], None]
"""Tells whoever waits how far a bench is."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """One bench's outcome. `meets` holds each target of the issue: whether the figure reaches it."""

    bench: str
    measured_at: str
    seconds: float
    machine: Machine
    commit: Commit
    parameters: Mapping[str, object]
    figures: Mapping[str, object]
    meets: Mapping[str, bool]


def report(
    bench: str, began: float, parameters: Mapping[str, object], figures: Mapping[str, object], meets: Mapping[str, bool]
) -> Report:
    """Put an outcome together; `began` is time.time() at the start of the bench."""
    return Report(
        bench=bench,
        measured_at=format_time(int(began) * SECOND_US),
        seconds=round(time.time() - began, 1),
        machine=machine(),
        commit=commit(),
        parameters=parameters,
        figures=figures,
        meets=meets,
    )


def publish(outcome: Report, output: Path | None) -> None:
    """Print the report as indented JSON, and write it to `output` too where that is given."""
    text = msgspec.json.format(msgspec.json.encode(outcome, order="sorted"), indent=2).decode()
    print(text, flush=True)
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text + "\n", encoding="utf-8")


def publish_part(outcome: Report, output: Path | None) -> None:
    """As `publish`; a report of the same bench that lies there keeps the figures that this one did not measure."""
    if output is not None and output.exists():
        before = msgspec.json.decode(output.read_bytes(), type=Report)
        if before.bench == outcome.bench:
            outcome = msgspec.structs.replace(
                outcome,
                seconds=round(before.seconds + outcome.seconds, 1),
                figures={**before.figures, **outcome.figures},
                meets={**before.meets, **outcome.meets},
            )
    publish(outcome, output)


def say(text: str) -> None:
    """Write one line of progress to standard error."""
    print(text, file=sys.stderr, flush=True)


def paced(items: Iterable[T], total: int, what: str, speak: Say, every_s: float = 5.0) -> Iterator[T]:
    """Yield the items, telling every few seconds how many of `total` are done."""
    told = time.monotonic()
    for done, item in enumerate(items):
        if time.monotonic() - told > every_s:
            told = time.monotonic()
            speak(f"  {what}: {done} of {total}")
        yield item


def spread(seconds: Sequence[float]) -> dict[str, float]:
    """Return median, 95th percentile, most and mean of durations, in milliseconds."""
    ordered = sorted(seconds)
    if not ordered:
        raise ValueError("no durations to sum up")
    # The nearest rank: with 20 clips the 95th percentile is the second slowest, a value that was seen.
    ninety_fifth = ordered[max(0, -(-95 * len(ordered) // 100) - 1)]
    middle = len(ordered) // 2
    median = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    figures = {"median": median, "p95": ninety_fifth, "max": ordered[-1], "mean": sum(ordered) / len(ordered)}
    return {name: round(1000 * value, 2) for name, value in figures.items()}

"""`biographer bench update`: how long a clip's update of a large memory takes, and that it decides as if by exhaustion.

The clip has 49 observations, GEB's density; the memories are seeded in bulk. What is measured is Stream.apply:
associate, append, graph, commit; and with it what the search index takes to learn the clip. That index is one of the
new clips alone: it only appends, and learning a million observations for it would take longer than all the rest.
"""

import multiprocessing
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

import msgspec
import numpy as np

from biographer.bench.exhaustive import Exhaustive
from biographer.bench.population import PER_CLIP, WEEK_OBSERVATIONS
from biographer.bench.report import Report, Say, paced, report, spread
from biographer.bench.sample import Sample, shipped_sample
from biographer.bench.seeding import STREAM, Recording, seed
from biographer.bench.stopwatch import Stopwatch
from biographer.bench.vectors import Vectors, cosines
from biographer.state.change import Change
from biographer.state.index import Index
from biographer.state.learned import Learned
from biographer.state.perceived import Perceived
from biographer.state.store import Store
from biographer.state.stream import Stream

SIZES = (100_000, WEEK_OBSERVATIONS, 1_000_000)
_SEEDERS = 2
UPDATE_MS = 150.0
GROWTH = 5.0

Figures = dict[str, object]


@dataclass(frozen=True, slots=True)
class Workload:
    """Memories of `sizes` observations, `fresh` clips applied to each, `checked` of them also decided exhaustively."""

    sizes: tuple[int, ...] = SIZES
    fresh: int = 24
    checked: int = 1
    per_clip: int = PER_CLIP
    small: int = 10_000
    """A memory of this size besides, on which every fresh clip is also decided exhaustively."""
    seed: int = 7


def measure(work: Workload, folder: Path | None, speak: Say) -> Report:
    """Seed, apply and compare at every size; `folder` is where the memories lie meanwhile (default: the system's)."""
    began, sample = time.time(), shipped_sample()
    by_size: dict[int, Figures] = {}
    with tempfile.TemporaryDirectory(prefix="biographer-bench-", dir=folder) as place:
        places = {size: Path(place) / str(size) for size in sorted((work.small, *work.sizes))}
        seconds = _seeded(work, places, speak)
        for size, at in places.items():
            by_size[size] = {"seed_s": round(seconds[size], 1)} | _one_size(work, size, at, sample, speak)
            shutil.rmtree(at)
    figures: Figures = {"at": {str(size): figures for size, figures in by_size.items()}}
    figures |= _summed(work, by_size) | {"cosines": likeness(sample, work.seed)}
    parameters = {
        **asdict(work),
        "embedder": sample.embedder,
        "dim": sample.dim,
    }
    return report("update", began, parameters, figures, _met(figures))


def likeness(sample: Sample, seed_number: int) -> Figures:
    """Return the cosines of the sample beside those of made-up vectors, one sighting a spell, to be compared."""
    random = np.random.default_rng(seed_number)
    entities = np.repeat(np.arange(400), 3)
    vectors = Vectors(sample, 400, random)
    made = vectors.sightings(entities, np.arange(len(entities)), random)
    _, subjects = np.unique(sample.subjects, return_inverse=True)
    _, kinds = np.unique(sample.kinds, return_inverse=True)
    return {
        "sample": cosines(sample.vectors, subjects, kinds),
        "made": cosines(made, entities, vectors.kinds[entities]),
    }


def _seeded(work: Workload, places: Mapping[int, Path], speak: Say) -> dict[int, float]:
    """Seed all memories, two at a time and the largest first, before anything is measured; return the seconds of each.

    What is measured later has the machine to itself.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(_SEEDERS, mp_context=context) as seeders:
        waiting = {
            seeders.submit(_seed, work, size, place): size for size, place in sorted(places.items(), reverse=True)
        }
        speak(f"seeding memories of {', '.join(map(str, places))} observations")
        seconds: dict[int, float] = {}
        for done in as_completed(waiting):
            seconds[waiting[done]] = done.result()
            speak(f"{waiting[done]} observations: seeded in {done.result():.1f} s")
    return seconds


def _seed(work: Workload, size: int, place: Path) -> float:
    began, clips = time.perf_counter(), _clips(work, size)
    place.mkdir()
    store = Store(place / "memory.db", STREAM)
    seed(store, Recording(shipped_sample(), clips + work.fresh, work.seed, work.per_clip), clips, _unheard)
    store.close()
    return time.perf_counter() - began


def _clips(work: Workload, size: int) -> int:
    return max(1, round(size / work.per_clip))


def _unheard(_: str) -> None:
    """Pass over how far a seeding is: several go on at a time."""


def _one_size(work: Workload, size: int, place: Path, sample: Sample, speak: Say) -> Figures:
    clips, watch = _clips(work, size), Stopwatch()
    recording = Recording(sample, clips + work.fresh, work.seed, work.per_clip)
    on_disk = (place / "memory.db").stat().st_size
    stream: Stream = watch.timed("open", Stream)(STREAM, place, recording.rule)
    speak(f"{size} observations: opened in {watch.seconds['open'][0]:.1f} s; applying {work.fresh} clips")
    figures: Figures = {"observations": clips * work.per_clip, "entities": stream.memory.entity_count}
    try:
        to_come = [recording.perceived(clip) for clip in range(clips, clips + work.fresh)]
        figures |= _applied(stream, to_come, work.fresh if size == work.small else work.checked, speak)
    finally:
        stream.close()
    figures["disk_bytes_per_observation"] = round(on_disk / (clips * work.per_clip))
    return figures | {"open_s": round(sum(watch.seconds["open"]), 1)}


def _applied(stream: Stream, clips: Sequence[Perceived], checked: int, speak: Say) -> Figures:
    watch, changes, agreed = Stopwatch(), list[Change](), list[bool]()
    oracle, index = _oracle(stream) if checked else None, Index()
    with watch.on((stream.memory, "plan"), (stream.store, "commit"), (stream.memory, "adopt")):
        for number, perceived in enumerate(paced(clips, len(clips), "clips applied", speak)):
            judged = oracle.apply(perceived) if oracle and number < checked else []
            change: Change = watch.timed("apply", stream.apply)(perceived).change
            watch.timed("index", index.grow)(Learned.of(change))
            changes.append(change)
            decided = {one.observation: one.entity for one in change.memberships}
            agreed += [decided.get(one.observation) == one.entity for one in judged]
    observations = sum(len(change.observations) for change in changes)
    begun = sum(len(change.entities) for change in changes)
    return {
        "update_ms": spread(
            [one + two for one, two in zip(watch.seconds["apply"], watch.seconds["index"], strict=True)]
        ),
        **{f"{name}_ms": spread(watch.seconds[name]) for name in ("apply", "plan", "commit", "adopt", "index")},
        "hits_per_query": round(sum(change.hits for change in changes) / observations, 1),
        "vetoes_per_clip": round(fmean(change.vetoes for change in changes), 2),
        "new_entities": round(begun / observations, 3),
        "decisions_checked": len(agreed),
        "agreement": fmean(agreed) if agreed else None,
    }


def _oracle(stream: Stream) -> Exhaustive:
    """Return an oracle that has seen what the stream has, the cut to the next clip included."""
    memory = stream.memory
    last = memory.clip_spans[len(memory.clips) - 1]
    numbers = np.flatnonzero(memory.spans.starts[:] >= last[0]).tolist()
    return Exhaustive.of(memory, [(last[1], numbers)])


def _summed(work: Workload, by_size: Mapping[int, Figures]) -> Figures:
    medians = {size: _median_ms(by_size[size]) for size in work.sizes}
    agreed = [one for figures in by_size.values() if isinstance(one := figures["agreement"], float)]
    return {
        "update_ms": medians.get(WEEK_OBSERVATIONS),
        "growth": round(medians[max(medians)] / medians[min(medians)], 2),
        "growth_of_memory": round(max(medians) / min(medians), 2),
        "agreement": min(agreed, default=None),
    }


def _median_ms(figures: Mapping[str, object]) -> float:
    return msgspec.convert(figures["update_ms"], dict[str, float])["median"]


def _met(figures: Mapping[str, object]) -> dict[str, bool]:
    update_ms, growth = figures["update_ms"], figures["growth"]
    return {
        f"update_ms <= {UPDATE_MS:.0f}": isinstance(update_ms, float) and update_ms <= UPDATE_MS,
        f"growth <= {GROWTH:.0f}": isinstance(growth, float) and growth <= GROWTH,
        "agreement = 1": figures["agreement"] == 1.0,
    }

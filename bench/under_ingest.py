"""Searches beside a writer: how much later they are done, and how much of its rate the writer keeps.

A store of the scale is seeded and opened as the daemon opens it, in a process whose threads take turns as the daemon's
do. Two searches a second begin in an open loop: first alone; then while clips with a device's tracks are applied one
after the other, as fast as they go; then while a video is perceived and applied as well. The writer is timed with
searches and without, in turns.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from threading import Event, Thread

from biographer.bench.population import PER_CLIP
from biographer.bench.report import Say, spread
from biographer.bench.sample import shipped_sample
from biographer.bench.seeding import STREAM, seed
from biographer.bench.timed_search import TimedSearch
from biographer.bench.told_week import SCALES, Told, ToldRecording
from biographer.daemon.networks import Networks
from biographer.daemon.parts import decoder_of, fetcher_of
from biographer.daemon.perception import Perception
from biographer.daemon.processors import share_processors
from biographer.daemon.sections import Pipeline
from biographer.daemon.settings import read_settings
from biographer.state.folder import StateFolder, stream_folder
from biographer.state.perceived import Perceived
from biographer.state.store import Store
from biographer.state.stream import Stream
from biographer.state.times import SECOND_US
from biographer.state.views import Views
from biographer.streams.message import ClipMessage
from biographer.streams.segmenter import Segmenter

SLOWER_AT_MOST = 3.0
INGEST_KEPT = 0.8
EVERY_S = 0.5

_IDLE_S = 20.0
_TURN_S = 12.0
_FRESH = 600
"""Clips that are ready to be applied: as many as a writer can get through in the time."""

Step = Callable[[], None]


def seeded(state: Path, told: Told, scale: str, seed_number: int, say: Say) -> ToldRecording:
    """Write a memory of the scale into a state folder; return the recording, which goes on behind it."""
    clips = round(SCALES[scale] / PER_CLIP)
    recording = ToldRecording(told, shipped_sample(), clips + _FRESH, seed_number)
    folder = stream_folder(state, STREAM)
    folder.mkdir(parents=True)
    # What names a stream's folder is the folder's to write: it is opened once, and closed.
    opened = StateFolder(state, recording.rule)
    opened.stream(STREAM)
    opened.close()
    store = Store(folder / "memory.db", STREAM)
    seed(store, recording, clips, say)
    store.close()
    return recording


class UnderIngest:
    """One memory, its writer and its searches."""

    def __init__(self, state: Path, recording: ToldRecording, search: TimedSearch, say: Say) -> None:
        self._state, self._recording, self._search, self._say = state, recording, search, say

    def measured(self, video: Path | None) -> dict[str, dict[str, float]]:
        """Return, beside `tracks` and, where there is a video, `perceiving`, what searches and the writer took."""
        share_processors(Pipeline().product_threads)
        self._say("opening the memory")
        folder = StateFolder(self._state, self._recording.rule)
        try:
            stream = folder.stream(STREAM)
            views = Views(stream.memory.index)
            self._search.once(views, 0)
            self._say("searches alone")
            idle = spread(self._search.open_loop(views, EVERY_S, _IDLE_S))
            found = {"tracks": self._beside(views, idle, self._tracks(stream))}
            if video is not None:
                found["perceiving"] = self._beside(views, idle, _perceiving(stream, video))
            return found
        finally:
            folder.close()

    def _beside(self, views: Views, idle: dict[str, float], steps: Iterator[Step]) -> dict[str, float]:
        """Let a writer take one step after the other, by turns alone and with searches beside it."""
        alone, beside, taken = list[float](), list[float](), list[float]()
        for searching in (False, True, False, True):
            self._say(f"a writer {'and searches' if searching else 'alone'}")
            with _Writer(steps) as writer:
                if searching:
                    taken += self._search.open_loop(views, EVERY_S, _TURN_S)
                else:
                    time.sleep(_TURN_S)
            (beside if searching else alone).append(writer.rate)
        ours = spread(taken)
        rate, kept = sum(alone) / len(alone), sum(beside) / len(beside)
        return {
            "idle_p50_ms": idle["median"],
            "idle_p95_ms": idle["p95"],
            "p50_ms": ours["median"],
            "p95_ms": ours["p95"],
            "p95_over_idle": round(ours["p95"] / idle["p95"], 2),
            "clips_a_second_alone": round(rate, 3),
            "clips_a_second": round(kept, 3),
            "rate_kept": round(kept / rate, 3),
        }

    def _tracks(self, stream: Stream) -> Iterator[Step]:
        first = len(stream.memory.clips)
        self._say("making clips to apply")
        # All of them before the first is timed.
        ready = [self._recording.perceived(clip) for clip in range(first, first + _FRESH)]
        return iter([partial(_apply, stream, perceived) for perceived in ready])


class _Writer:
    """A thread that takes steps until it is told to stop; `rate` is how many it took a second."""

    def __init__(self, steps: Iterator[Step]) -> None:
        self._steps, self._done, self._stop = steps, 0, Event()
        self._thread = Thread(target=self._run)
        self.rate = 0.0

    def __enter__(self) -> "_Writer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        began = time.perf_counter()
        while not self._stop.is_set():
            step = next(self._steps, None)
            if step is None:
                break
            step()
            self._done += 1
        self.rate = self._done / (time.perf_counter() - began)


def _apply(stream: Stream, perceived: Perceived) -> None:
    stream.apply(perceived)


def _perceiving(stream: Stream, video: Path) -> Iterator[Step]:
    """Yield steps that perceive one short clip of a video each, with the daemon's own networks, and apply it."""
    settings = read_settings(None, {})
    networks = Networks.load(settings)
    perceiver, texts = networks.perceiver(settings), networks.texts
    perception = Perception(
        fetcher_of(settings), decoder_of(settings), perceiver, settings.state.keep, lambda *_: None, texts
    )
    parts = [(one.video, one.duration_us) for one in Segmenter(5.0).segments(video)]
    for number in count():
        content, duration_us = parts[number % len(parts)]
        start_us = stream.watermark_us or 0
        message = ClipMessage(STREAM, f"seen-{number}", start_us, min(duration_us, 5 * SECOND_US), content)
        yield partial(_perceive, perception, stream, message)


def _perceive(perception: Perception, stream: Stream, message: ClipMessage) -> None:
    _apply(stream, _bare(perception.perceive(message)))


def _bare(perceived: Perceived) -> Perceived:
    """Return a clip without its media: what the disk takes to keep films is not what is measured here."""
    return replace(perceived, media={})

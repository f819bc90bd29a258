"""`biographer bench recovery`: kill -9 at the size of GEB's week, and how long until the daemon is back.

A store is seeded in bulk; a real daemon takes clips with a device's tracks from a broker, is killed in the middle, and
started again. What it ends with is compared with the same clips applied without interruption to a copy of the store.
"""

import asyncio
import cProfile
import multiprocessing
import os
import shutil
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from biographer.bench.brokers import Broker, broker_settings, send
from biographer.bench.population import PER_CLIP, WEEK_OBSERVATIONS
from biographer.bench.report import Report, Say, report
from biographer.bench.sample import shipped_sample
from biographer.bench.seeding import STREAM, Recording, seed
from biographer.bench.served import Served, resident_gib
from biographer.daemon.perception import Perception
from biographer.models.describer import PlainDescriber
from biographer.models.perceiver import Perceiver
from biographer.models.stages import Stages
from biographer.state.clip import Clip
from biographer.state.device_track import DeviceTrack
from biographer.state.errors import BadClipError
from biographer.state.folder import StateFolder, stream_folder
from biographer.state.perceived import Perceived
from biographer.state.rule import Rule
from biographer.state.state_hash import state_hash
from biographer.state.store import Store
from biographer.streams.decoder import Decoder
from biographer.streams.message import ClipMessage, decode, encode

READY_S = 10.0
RSS_GIB = 2.5
_PATIENCE_S = 180.0
_LEARNING_S = 300.0

Figures = dict[str, object]


@dataclass(frozen=True, slots=True)
class Workload:
    """How large a memory, and how many clips come while the daemon is killed and restarted."""

    size: int = WEEK_OBSERVATIONS
    clips: int = 24
    before_kill: int = 8
    per_clip: int = PER_CLIP
    seed: int = 7


def measure(work: Workload, broker: Broker, environ: dict[str, str], folder: Path | None, speak: Say) -> Report:
    """Seed, kill, restart and compare; `environ` holds settings for the daemon besides its broker and folder."""
    began = time.time()
    with tempfile.TemporaryDirectory(prefix="biographer-bench-", dir=folder) as place:
        figures = _measured(work, broker, environ, Path(place), speak)
    parameters = asdict(work) | {"embedder": shipped_sample().embedder, "settings": environ, "broker": broker.name}
    ready_s, rss = figures["ready_s"], figures["rss_gib"]
    meets = {
        f"ready_s <= {READY_S:.0f}": isinstance(ready_s, float) and ready_s <= READY_S,
        f"rss_gib <= {RSS_GIB}": isinstance(rss, float) and rss <= RSS_GIB,
        "hash_equal": figures["hash_equal"] is True,
    }
    return report("recovery", began, parameters, figures, meets)


def _measured(work: Workload, broker: Broker, environ: dict[str, str], place: Path, speak: Say) -> Figures:
    clips = max(1, round(work.size / work.per_clip))
    recording = Recording(shipped_sample(), clips + work.clips, work.seed, work.per_clip)
    speak(f"seeding {clips} clips")
    state, copy = place / "state", place / "copy"
    _seeded(state, recording, clips, speak)
    shutil.copytree(state, copy, ignore=shutil.ignore_patterns("LOCK"))
    values = [encode(message_of(recording.perceived(clip))) for clip in range(clips, clips + work.clips)]
    observations = clips * work.per_clip
    figures = {"observations": observations} | _opened_apart(copy, recording.rule, observations)
    settings = {**environ, "BIOGRAPHER_STATE_FOLDER": str(state), **broker_settings(broker, place.name)}
    # What is compared with is applied without a text embedder, and its vectors are part of the hash.
    settings["BIOGRAPHER_PERCEIVE_TEXT_EMBEDDER"] = "none"
    figures |= _interrupted(work, broker, settings, values, clips, place, speak)
    speak("applying the same clips without interruption")
    kept, hashes = _uninterrupted(copy, recording.rule, values), [_hash(path) for path in (state, copy)]
    return figures | {"hash_equal": hashes[0] == hashes[1], "hash": hashes[0], "clips_applied": kept}


def message_of(perceived: Perceived) -> ClipMessage:
    """Return the message of a device that perceives for itself."""
    clip = perceived.clip
    tracks = tuple(
        DeviceTrack(
            one.track,
            one.label,
            one.score,
            one.times_us,
            one.boxes,
            None if one.embedding is None else one.embedding.vector,
            None if one.embedding is None else one.embedding.embedder,
            one.text,
        )
        for one in perceived.observations
    )
    return ClipMessage(
        clip.stream, clip.name, clip.start_us, clip.end_us - clip.start_us, tracks=tracks, lines=clip.lines
    )


def _seeded(state: Path, recording: Recording, clips: int, speak: Say) -> None:
    folder = StateFolder(state, recording.rule)
    try:
        seed(folder.stream(STREAM).store, recording, clips, speak)
    finally:
        folder.close()


def _interrupted(
    work: Workload,
    broker: Broker,
    settings: dict[str, str],
    values: Sequence[bytes],
    clips: int,
    place: Path,
    speak: Say,
) -> Figures:
    """Run the daemon over the clips, killing it once some are applied.

    It counts as ready again once it says so and has applied the first of the clips that waited in the topic: readiness
    alone would not show that the memory is back. It is searchable again once it answers a question; what it was seeded
    with is learned before it is killed, as it would have been by then.
    """
    state, sent = Path(settings["BIOGRAPHER_STATE_FOLDER"]), (work.before_kill + work.clips) // 2
    with Served(settings, place / "daemon.log") as daemon:
        speak("starting the daemon")
        daemon.start()
        first_s = daemon.wait_ready(_PATIENCE_S)
        speak("waiting until what was seeded is learned for searching")
        learned_s = _searchable_s(daemon)
        asyncio.run(send(broker, settings, STREAM, values[:sent]))
        daemon.wait(lambda: _count(state) >= clips + work.before_kill, _PATIENCE_S, "at the clip to be killed at")
        daemon.kill()
        applied = _count(state) - clips
        speak(f"killed with {applied} clips applied; starting it again")
        # One waits at least: a quick daemon may have applied all of the others before it was killed.
        asyncio.run(send(broker, settings, STREAM, values[sent : sent + 1]))
        daemon.start()
        readyz_s = daemon.wait_ready(_PATIENCE_S)
        daemon.wait(lambda: _count(state) > clips + applied, _PATIENCE_S, "at the next clip")
        ready_s = daemon.seconds
        search_ready_s = _searchable_s(daemon)
        memory = daemon.memory_gib()
        asyncio.run(send(broker, settings, STREAM, values[sent + 1 :]))
        daemon.wait(lambda: _count(state) == clips + work.clips, _PATIENCE_S, "at the last clip")
        most = daemon.memory_gib()
    return {
        "ready_s": round(ready_s, 2),
        "first_start_ready_s": round(first_s, 2),
        "readyz_s": round(readyz_s, 2),
        "search_ready_s": round(search_ready_s, 2),
        "search_learned_anew_s": round(learned_s, 2),
        "applied_when_killed": applied,
        "rss_gib": most.get("most"),
        "rss_at_ready_gib": memory.get("now"),
    }


def _searchable_s(daemon: Served) -> float:
    """Return the seconds from execution to the first question that is answered."""
    daemon.wait(lambda: daemon.is_searchable(STREAM), _LEARNING_S, "searchable")
    return daemon.seconds


def _uninterrupted(copy: Path, rule: Rule, values: Sequence[bytes]) -> int:
    """Apply the messages as the daemon would, in one go; return how many clips are then remembered."""
    perception = Perception(_Nowhere(), Decoder(), Perceiver(None, None, PlainDescriber()), "crops", _unheard)
    folder = StateFolder(copy, rule)
    try:
        stream = folder.stream(STREAM)
        for value in values:
            message = decode(value, STREAM.encode())
            if isinstance(message, ClipMessage):
                stream.apply(perception.perceive(message))
        return stream.version
    finally:
        folder.close()


class _Nowhere:
    """Clips with a device's tracks have no pixels to be fetched."""

    def fetch(self, uri: str, sha256: str) -> bytes:  # noqa: ARG002 - the protocol's names
        raise BadClipError(f"{uri} is not fetched here")


def _unheard(clip: Clip, stages: Stages) -> None:
    """Pass over where the time of perceiving went: nothing is perceived."""


def _opened_apart(copy: Path, rule: Rule, observations: int) -> Figures:
    """Open the memory in a process of its own, so that nothing else is in what is measured; twice, once profiled."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as apart:
        seconds, gib = apart.submit(_opened, copy, rule).result()
    with ProcessPoolExecutor(1, mp_context=context) as apart:
        steps = apart.submit(_profiled, copy, rule).result()
    on_disk = sum(file.stat().st_size for file in copy.rglob("*") if file.is_file())
    return {
        "open_s": round(seconds, 2),
        "open_profiled_s": steps,
        "bytes_per_observation": {
            "disk": round(on_disk / observations),
            "memory": round(gib * 2**30 / observations) if gib else None,
        },
    }


def _opened(copy: Path, rule: Rule) -> tuple[float, float]:
    before = resident_gib(os.getpid()).get("now", 0.0)
    began = time.perf_counter()
    folder = StateFolder(copy, rule)
    folder.stream(STREAM)
    seconds = time.perf_counter() - began
    gib = resident_gib(os.getpid()).get("now", 0.0) - before
    folder.close()
    return seconds, gib


def _profiled(copy: Path, rule: Rule) -> dict[str, float]:
    """Return the seconds in each function of restore.py, callees included; a profile slows what makes many calls."""
    profile = cProfile.Profile()
    folder = StateFolder(copy, rule)
    profile.enable()
    folder.stream(STREAM)
    profile.disable()
    folder.close()
    # The profile is read through its public iterator: pstats keeps what it parsed to itself.
    called = ((entry.code, entry.totaltime) for entry in profile.getstats() if not isinstance(entry.code, str))
    inside = {code.co_name: round(total, 2) for code, total in called if Path(code.co_filename).name == "restore.py"}
    return dict(sorted(inside.items(), key=lambda item: -item[1]))


def _count(state: Path) -> int:
    store = Store(stream_folder(state, STREAM) / "memory.db", STREAM, write=False)
    try:
        ((count,),) = store.select("SELECT count(*) FROM clip")
        return int(count)
    finally:
        store.close()


def _hash(state: Path) -> str:
    store = Store(stream_folder(state, STREAM) / "memory.db", STREAM, write=False)
    try:
        return state_hash(store)
    finally:
        store.close()

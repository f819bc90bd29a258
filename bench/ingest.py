"""`biographer bench ingest`: how many times faster than the recording clips go from the broker to the commit.

A real daemon takes clips of 720p video. First one at a time, each sent once the one before is committed: what that
takes beyond decoding and the networks is overhead. Then all at once: that is the rate.
"""

import asyncio
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from biographer.bench.brokers import Broker, broker_settings, send
from biographer.bench.filmed import filmed
from biographer.bench.footage import HEIGHT, RATE, WIDTH, footage
from biographer.bench.report import Report, Say, report, spread
from biographer.bench.served import Served
from biographer.state.errors import RefusedError
from biographer.state.folder import stream_folder
from biographer.state.store import Store
from biographer.state.times import SECOND_US
from biographer.streams.message import ClipMessage, encode

STREAM = "bench"
REALTIME_FACTOR = 6.0
OVERHEAD_S = 0.6
OBSERVATIONS = 5
_PATIENCE_S = 300.0
_LOOK_EVERY_S = 0.005
_MEASURED = ("decode", "detect", "embed", "texts")
"""Decoding and the networks (detector, embedder and text embedder): what does not count as overhead."""

Figures = dict[str, object]


@dataclass(frozen=True, slots=True)
class Workload:
    """How many clips are sent one at a time, and how many at once; how long they are."""

    serial: int = 6
    at_once: int = 10
    clip_seconds: float = 30.0
    cores: int = 2


def measure(work: Workload, video: Path, broker: Broker, environ: dict[str, str], speak: Say) -> Report:
    """Make the recording, run the daemon over it, and sum up."""
    began = time.time()
    count = work.serial + work.at_once + 1
    path = footage(video, count * work.clip_seconds, speak)
    with tempfile.TemporaryDirectory(prefix="biographer-bench-") as place:
        figures = _measured(work, path, broker, environ, Path(place), speak)
    parameters = asdict(work) | {
        "video": video.name,
        "picture": f"{WIDTH}x{HEIGHT} at {RATE}",
        "broker": broker.name,
        "settings": environ,
    }
    return report("ingest", began, parameters, figures, _met(figures))


def _measured(work: Workload, path: Path, broker: Broker, environ: dict[str, str], place: Path, speak: Say) -> Figures:
    clips = filmed(path, STREAM, work.clip_seconds, work.serial + work.at_once + 1)
    settings = {**environ, "BIOGRAPHER_STATE_FOLDER": str(place / "state"), **broker_settings(broker, place.name)}
    with Served(settings, place / "daemon.log", work.cores) as daemon:
        daemon.start()
        daemon.wait_ready(_PATIENCE_S)
        speak("one clip to warm up")
        _sent_and_applied(clips[:1], broker, settings, daemon, 1)
        before = _stages(daemon)
        speak(f"{work.serial} clips, one at a time")
        seconds = [
            _sent_and_applied(clips[turn : turn + 1], broker, settings, daemon, turn + 1)
            for turn in range(1, work.serial + 1)
        ]
        after = _stages(daemon)
        speak(f"{work.at_once} clips at once")
        rest = clips[work.serial + 1 :]
        at_once_s = _sent_and_applied(rest, broker, settings, daemon, len(clips))
        memory = daemon.memory_gib()
    with closing(_store(place / "state")) as store:
        observations = _count(store, "observation")
    stages = {name: (after[name] - before.get(name, 0.0)) / work.serial for name in after}
    return {
        "realtime_factor": round(sum(clip.duration_us for clip in rest) / SECOND_US / at_once_s, 2),
        **_per_clip(seconds, stages),
        "observations_per_clip": observations / len(clips),
        "clip_mb": round(sum(len(clip.video or b"") for clip in clips) / len(clips) / 1e6, 2),
        "rss_gib": memory.get("most"),
    }


def _sent_and_applied(
    clips: Sequence[ClipMessage], broker: Broker, settings: dict[str, str], daemon: Served, expected: int
) -> float:
    """Send clips; return the seconds from handing over the first until the store holds `expected`."""
    values = [encode(clip) for clip in clips]
    began = asyncio.run(send(broker, settings, STREAM, values))
    state = Path(settings["BIOGRAPHER_STATE_FOLDER"])
    daemon.wait(lambda: _begun(state), _PATIENCE_S, "done with its first clip")
    # Opened once: two cores are the daemon's, and to look often is to be told early.
    with closing(_store(state)) as store:
        done = f"done with clip {expected}"
        daemon.wait(lambda: _count(store, "clip") >= expected, _PATIENCE_S, done, _LOOK_EVERY_S)
    return time.perf_counter() - began


def _stages(daemon: Served) -> dict[str, float]:
    """Return the seconds that each stage has taken since the daemon began."""
    found = re.findall(r'^biographer_stage_seconds_sum\{stage="(\w+)"\} (\S+)$', daemon.page("/metrics"), re.MULTILINE)
    return {name: float(value) for name, value in found}


def _per_clip(seconds: Sequence[float], stages: Mapping[str, float]) -> Figures:
    """Sum up the clips that were sent one at a time; `stages` are mean seconds a clip."""
    wall_s = sum(seconds) / len(seconds)
    measured_s = sum(stages.get(name, 0.0) for name in _MEASURED)
    return {
        "serial_clip_ms": spread(seconds),
        "overhead_s": round(wall_s - measured_s, 3),
        "stages_s": {name: round(value, 3) for name, value in sorted(stages.items())},
        "transport_association_storage_s": round(wall_s - sum(stages.values()), 3),
    }


def _begun(state: Path) -> bool:
    try:
        _store(state).close()
    except RefusedError:
        return False
    return True


def _store(state: Path) -> Store:
    return Store(stream_folder(state, STREAM) / "memory.db", STREAM, write=False)


def _count(store: Store, table: str) -> int:
    ((count,),) = store.select(f"SELECT count(*) FROM {table}")  # noqa: S608 - our own table names
    return int(count)


def _met(figures: Figures) -> dict[str, bool]:
    numbers = msgspec.convert({key: value for key, value in figures.items() if key in _JUDGED}, dict[str, float])
    return {
        f"realtime_factor >= {REALTIME_FACTOR:.0f}": numbers["realtime_factor"] >= REALTIME_FACTOR,
        f"overhead_s <= {OVERHEAD_S}": numbers["overhead_s"] <= OVERHEAD_S,
        f"observations_per_clip >= {OBSERVATIONS}": numbers["observations_per_clip"] >= OBSERVATIONS,
    }


_JUDGED = ("realtime_factor", "overhead_s", "observations_per_clip")

"""`biographer bench freshness`: how soon after a clip's end what it shows can be searched, while it is recorded.

A real daemon with the networks of the CPU default takes clips of 720p video, each sent when a camera would have ended
it: one a clip's length. A clip is searchable once a search's own snapshot has reached its end.
"""

import asyncio
import tempfile
import time
from dataclasses import asdict, dataclass
from http.client import HTTPException
from pathlib import Path

import msgspec

from biographer.bench.brokers import Broker, broker_settings, send
from biographer.bench.footage import HEIGHT, RATE, WIDTH, footage
from biographer.bench.report import Report, Say, report, spread
from biographer.bench.served import Served
from biographer.state.times import SECOND_US, format_time
from biographer.streams.message import ClipMessage, encode
from biographer.streams.segmenter import Segmenter

STREAM = "bench"
_BEGAN_US = 1_777_593_600 * SECOND_US
_PATIENCE_S = 300.0


@dataclass(frozen=True, slots=True)
class Workload:
    """How many clips are recorded, after one to warm up, how long each is, and what the daemon may run on."""

    clips: int = 8
    clip_seconds: float = 30.0
    cores: int = 2


def measure(work: Workload, video: Path, broker: Broker, environ: dict[str, str], speak: Say) -> Report:
    """Record, ask, and sum up."""
    began = time.time()
    path = footage(video, (work.clips + 1) * work.clip_seconds, speak)
    with tempfile.TemporaryDirectory(prefix="biographer-bench-") as place:
        taken = _measured(work, path, broker, environ, Path(place), speak)
    found = spread(taken)
    p95_s = round(found["p95"] / 1000, 2)
    figures: dict[str, object] = {
        "p50_s": round(found["median"] / 1000, 2),
        "p95_s": p95_s,
        "each_s": [round(one, 2) for one in taken],
    }
    parameters = asdict(work) | {"video": video.name, "picture": f"{WIDTH}x{HEIGHT} at {RATE}", "broker": broker.name}
    # Behind by more than a clip, a daemon would fall further back with each.
    meets = {"keeps up": p95_s <= work.clip_seconds}
    return report("freshness", began, parameters, figures, meets)


def _measured(
    work: Workload, path: Path, broker: Broker, environ: dict[str, str], place: Path, speak: Say
) -> list[float]:
    clips = _clips(path, work)
    settings = {**environ, "BIOGRAPHER_STATE_FOLDER": str(place / "state"), **broker_settings(broker, place.name)}
    with Served(settings, place / "daemon.log", work.cores) as daemon:
        daemon.start()
        daemon.wait_ready(_PATIENCE_S)
        speak("one clip to warm up")
        _sent(clips[0], broker, settings)
        _searchable(clips[0], daemon)
        began, taken = time.perf_counter(), list[float]()
        for number, clip in enumerate(clips[1:]):
            ended = began + number * work.clip_seconds
            time.sleep(max(0.0, ended - time.perf_counter()))
            _sent(clip, broker, settings)
            _searchable(clip, daemon)
            taken.append(time.perf_counter() - ended)
            speak(f"clip {number + 1} of {work.clips}: {taken[-1]:.1f} s")
    return taken


def _clips(path: Path, work: Workload) -> list[ClipMessage]:
    segments = (one for one in Segmenter(work.clip_seconds).segments(path) if one.index <= work.clips)
    return [
        ClipMessage(STREAM, f"clip-{one.index:04}", _BEGAN_US + one.offset_us, one.duration_us, one.video)
        for one in segments
    ]


def _sent(clip: ClipMessage, broker: Broker, settings: dict[str, str]) -> None:
    asyncio.run(send(broker, settings, STREAM, [encode(clip)]))


def _searchable(clip: ClipMessage, daemon: Served) -> None:
    end = format_time(clip.start_us + clip.duration_us)

    def come() -> bool:
        try:
            answer = daemon.post(f"/v1/streams/{STREAM}/search", msgspec.json.encode({"text": "a person in the room"}))
        except (OSError, HTTPException):
            return False
        watermark = msgspec.json.decode(answer).get("snapshot", {}).get("watermark")
        return watermark is not None and watermark >= end

    daemon.wait(come, _PATIENCE_S, f"able to find {clip.clip}")

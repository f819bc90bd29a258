"""`biographer bench freshness`: how soon after a clip's end what it shows can be searched, while it is recorded.

A real daemon with the networks of the CPU default takes clips of 720p video, each sent when a camera would have ended
it: one a clip's length. A clip is searchable once a search's own snapshot has reached its end.

With `model_s` the same is recorded once more, beside a language endpoint that takes so long for each question: what it
writes about clips that were applied is to hold none up.
"""

import asyncio
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from http.client import HTTPException
from pathlib import Path

import msgspec

from biographer.bench.brokers import Broker, broker_settings, send
from biographer.bench.filmed import filmed
from biographer.bench.footage import HEIGHT, RATE, WIDTH, footage
from biographer.bench.report import Report, Say, report, spread
from biographer.bench.served import Served
from biographer.bench.slow_model import slow_model
from biographer.state.times import format_time
from biographer.streams.message import ClipMessage, encode

STREAM = "bench"
_PATIENCE_S = 300.0

RATIO = 1.1
"""So much longer a clip may take beside a model."""


@dataclass(frozen=True, slots=True)
class Workload:
    """How many clips are recorded, after one to warm up, how long each is, and what the daemon may run on."""

    clips: int = 8
    clip_seconds: float = 30.0
    cores: int = 2
    model_s: float | None = None


def measure(work: Workload, video: Path, broker: Broker, environ: dict[str, str], speak: Say) -> Report:
    """Record, ask, and sum up."""
    began = time.time()
    path = footage(video, (work.clips + 1) * work.clip_seconds, speak)
    with tempfile.TemporaryDirectory(prefix="biographer-bench-") as place:
        alone = spread(taken := _measured(work, path, broker, environ, Path(place) / "alone", speak))
        beside = None if work.model_s is None else _beside(work, path, broker, environ, Path(place), speak)
    figures: dict[str, object] = {**_seconds(alone), "each_s": [round(one, 2) for one in taken]}
    parameters = asdict(work) | {"video": video.name, "picture": f"{WIDTH}x{HEIGHT} at {RATE}", "broker": broker.name}
    # Behind by more than a clip, a daemon would fall further back with each.
    meets = {"keeps up": alone["p95"] <= 1000 * work.clip_seconds}
    if beside is not None:
        ratio = round(beside["median"] / alone["median"], 3)
        asked = {name: round(beside[name]) for name in ("asked", "asked_at_once")}
        figures |= {"beside_a_model": {**_seconds(beside), **asked}, "ratio": ratio}
        meets["ratio"] = ratio <= RATIO
    return report("freshness", began, parameters, figures, meets)


def _seconds(taken: Mapping[str, float]) -> dict[str, float]:
    return {"p50_s": round(taken["median"] / 1000, 2), "p95_s": round(taken["p95"] / 1000, 2)}


def _measured(
    work: Workload, path: Path, broker: Broker, environ: dict[str, str], place: Path, speak: Say
) -> list[float]:
    clips = filmed(path, STREAM, work.clip_seconds, work.clips + 1)
    place.mkdir()
    settings = {
        **environ,
        "BIOGRAPHER_STATE_FOLDER": str(place / "state"),
        **broker_settings(broker, f"{place.parent.name}-{place.name}"),
    }
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


def _beside(
    work: Workload, path: Path, broker: Broker, environ: dict[str, str], place: Path, speak: Say
) -> dict[str, float]:
    """Record once more with all that a language model writes; return what clips took, and how much was written."""
    speak("once more, beside a model")
    with slow_model(work.model_s or 0.0) as model:
        told = {**environ, "BIOGRAPHER_LANGUAGE_URL": model.url, "BIOGRAPHER_LANGUAGE_MODEL": "small"}
        taken = _measured(work, path, broker, told, place / "beside", speak)
        return {**spread(taken), "asked": float(len(model.asked)), "asked_at_once": float(model.most_at_once)}


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

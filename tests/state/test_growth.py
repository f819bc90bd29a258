"""Memory grows only with what is remembered, at a bounded number of bytes an observation; all else stays flat."""

import gc
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from sightings import STREAM, clip, seen

from biographer.state import trails as trails_file
from biographer.state.folder import StateFolder
from biographer.state.memory import Memory
from biographer.state.perceived import Perceived
from biographer.state.rule import Rule
from biographer.state.trail import Trail

DIM = 32


def tiny(number: int, random: np.random.Generator) -> Perceived:
    return clip(f"c{number}", number, seen(0, random.normal(size=DIM), number, frames=3, rate=5), seconds=1)


def test_two_thousand_short_clips_leave_only_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """insight-platform/Savant#1169, FoundationVision/ByteTrack#328: what is at hand is bounded, files stay flat."""
    monkeypatch.setattr(trails_file, "_KEPT", 256)
    random = np.random.default_rng(0)
    folder = StateFolder(tmp_path / "state", Rule())
    stream = folder.stream(STREAM)
    stream.store.database.connection.execute("PRAGMA synchronous=OFF")  # what is tested here is not the disk
    open_files = []
    for number in range(2_000):
        stream.apply(tiny(number, random))
        if number in {100, 1_999}:
            open_files.append(len(list(Path("/proc/self/fd").iterdir())))
    assert len(stream.memory.trails._recent) <= 256
    assert len(stream.memory._recent_clips) <= 16
    assert open_files[0] == open_files[1]
    assert (tmp_path / "state").exists()
    # The write-ahead log is folded in as it goes.
    assert (stream.folder / "memory.db-wal").stat().st_size < 16 * 1024 * 1024
    folder.close()


def test_bytes_an_observation_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond its vector: a few numbers, a node with its edges, and the room that a growing column keeps."""

    def older(number: int) -> Trail:
        raise AssertionError(number)

    monkeypatch.setattr(trails_file, "_KEPT", 64)
    random = np.random.default_rng(1)
    memory = Memory(STREAM, Rule(), older)
    made = [
        clip(
            f"c{number}",
            30.0 * number,
            *(seen(track, random.normal(size=DIM), 30.0 * number + track, frames=4, rate=5) for track in range(8)),
        )
        for number in range(200)
    ]
    sizes = []
    tracemalloc.start()
    try:
        for perceived in made:
            memory.adopt(memory.plan(perceived))
            if memory.version in {40, 200}:
                gc.collect()
                sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert (sizes[1] - sizes[0]) / (8 * 160) < 2_000

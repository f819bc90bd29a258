"""The benches that need a broker and a daemon, in miniature; and what they are made of."""

import json
import os
from pathlib import Path

import av
import numpy as np
import pytest
from click.testing import CliRunner

from biographer.bench.footage import footage
from biographer.bench.machine import commit, machine
from biographer.bench.recovery import message_of
from biographer.bench.report import spread
from biographer.bench.sample import shipped_sample
from biographer.bench.seeding import Recording
from biographer.bench.served import resident_gib
from biographer.ops.bench import bench
from biographer.streams.message import decode, encode


@pytest.fixture
def video(tmp_path: Path) -> Path:
    path = tmp_path / "source.mp4"
    random = np.random.default_rng(0)
    with av.open(str(path), "w") as made:
        stream = made.add_stream("libx264", rate=15)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for _ in range(30):
            picture = random.integers(0, 255, (48, 64, 3), dtype=np.uint8)
            made.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        made.mux(stream.encode(None))
    return path


def test_footage_is_720p_at_30_frames_a_second_and_long_enough(video: Path, tmp_path: Path, monkeypatch):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    said: list[str] = []
    path = footage(video, 5, said.append)
    with av.open(str(path)) as made:
        stream = made.streams.video[0]
        frames = [frame.pts * frame.time_base for frame in made.decode(stream)]
        assert (stream.width, stream.height) == (1280, 720)
    assert len(frames) == pytest.approx(6 * 30, abs=3)
    assert np.diff([float(at) for at in frames]) == pytest.approx(1 / 30, abs=2e-3)
    assert footage(video, 5, said.append) == path
    assert len(said) == 1, "the second time nothing is scaled"


def test_a_made_up_clip_survives_its_message():
    perceived = Recording(shipped_sample(), 2, 1, 10).perceived(1)
    message = decode(encode(message_of(perceived)), b"bench")
    assert message.tracks is not None
    assert [track.track for track in message.tracks] == [one.track for one in perceived.observations]
    assert message.lines == perceived.clip.lines
    first = perceived.observations[0]
    assert message.tracks[0].times_us.tolist() == first.times_us.tolist()
    assert np.array_equal(message.tracks[0].embedding, first.embedding.vector)


def test_durations_are_summed_up_in_milliseconds_by_nearest_rank():
    summed = spread([number / 1000 for number in range(1, 21)])
    assert summed == {"median": 10.5, "p95": 19.0, "max": 20.0, "mean": 10.5}
    assert spread([0.002]) == {"median": 2.0, "p95": 2.0, "max": 2.0, "mean": 2.0}


def test_the_machine_and_the_commit_are_named(tmp_path: Path):
    assert machine().cpu
    assert machine().libraries["numpy"] == np.__version__
    assert commit(tmp_path).hash == ""
    assert commit(tmp_path).dirty is False


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system has no /proc")
def test_resident_memory_is_read():
    read = resident_gib(os.getpid())
    assert 0.01 < read["now"] <= read["most"] < 100


def test_an_unknown_broker_is_refused():
    ran = CliRunner().invoke(bench, ["recovery", "--broker", "nowhere", "--size", "10"])
    assert ran.exit_code != 0
    assert "embedded" in str(ran.exception)


@pytest.mark.slow
@pytest.mark.timeout(400)  # the embedded broker lets members wait to join, twice
def test_recovery_in_miniature(tmp_path: Path):
    small = ["--size", "400", "--per-clip", "10", "--clips", "6", "--before-kill", "2", "--no-networks"]
    ran = CliRunner().invoke(bench, ["recovery", *small, "--broker", "embedded", "--work-folder", str(tmp_path)])
    assert ran.exit_code == 0, ran.stderr
    figures = json.loads(ran.stdout)["figures"]
    assert figures["hash_equal"] is True
    assert figures["clips_applied"] == 46
    assert figures["applied_when_killed"] >= 2
    assert figures["ready_s"] > 0
    assert figures["bytes_per_observation"]["disk"] > 0
    assert "restore" in figures["open_profiled_s"]


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.data
def test_ingest_in_miniature(shared_data):
    source = shared_data("videoagent_tracks/boats/video.mp4")
    small = ["--serial", "1", "--at-once", "1", "--clip-seconds", "4", "--broker", "embedded"]
    ran = CliRunner().invoke(bench, ["ingest", "--video", str(source), *small])
    assert ran.exit_code == 0, ran.stderr
    figures = json.loads(ran.stdout)["figures"]
    assert figures["realtime_factor"] > 0
    assert figures["stages_s"]["detect"] > 0
    assert 0 < figures["overhead_s"] < figures["serial_clip_ms"]["mean"] / 1000

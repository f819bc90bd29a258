import json
import os
from pathlib import Path

import av
import numpy as np
import pytest
from click.testing import CliRunner
from daemon_doubles import NO_NETWORKS

from biographer.daemon.sections import Order
from biographer.ops.backfill import Backfill
from biographer.ops.cli import main
from biographer.state.clip import Clip
from biographer.state.device_track import DeviceTrack
from biographer.state.folder import StateFolder
from biographer.state.line import Line, LineKind
from biographer.state.perceived import Perceived
from biographer.state.rule import Rule
from biographer.state.times import SECOND_US, parse_time
from biographer.streams.message import ClipMessage, FlushMessage, encode

START_US = parse_time("2026-05-01T09:30:00Z")
START = "2026-05-01T09:30:00Z"
ENVIRON = {**NO_NETWORKS, "BIOGRAPHER_ORDER_FUTURE_S": "0"}
"""No bound on times: the recordings have their own, whatever day it is here."""


def message(number: int, stream: str = "ann") -> ClipMessage:
    """A clip of a device that perceives for itself: one subject, the same in every clip."""
    start = START_US + number * 30 * SECOND_US
    times = start + np.arange(5, dtype=np.int64) * SECOND_US
    boxes = np.tile(np.array([0.1, 0.1, 0.4, 0.4], np.float32), (5, 1))
    track = DeviceTrack(1, "cup", 0.9, times, boxes, np.array([1, 0, 0.1], np.float32), "test", "A cup.", None)
    line = Line(start, start + SECOND_US, LineKind.SPEECH, f"Line {number}.")
    return ClipMessage(stream, f"clip-{number}", start, 30 * SECOND_US, tracks=(track,), lines=(line,))


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / f"{number}.msgpack" for number in range(3)]
    for number, path in enumerate(paths):
        path.write_bytes(encode(message(number)))
    return paths


@pytest.fixture
def video(tmp_path):
    path = tmp_path / "walk.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=5, options={"g": "5"})
        stream.width = stream.height = 64
        for level in range(25):
            picture = np.full((64, 64, 3), level * 10, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode(None))
    return path


def run(*arguments: object, code: int = 0):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], env=ENVIRON)
    assert result.exit_code == code, result.output
    return result


def state_hash(state: Path) -> str:
    document = json.loads(run("verify", "--state", state, "--json").stdout)
    assert document["faults"] == []
    (stream,) = document["streams"]
    return stream["hash"]


def test_messages_become_a_memory_and_a_repeat_changes_nothing(tmp_path, files):
    assert "3 clips applied with 3 observations, 0 known" in run("ingest", *files, "--state", tmp_path / "a").stdout
    before = state_hash(tmp_path / "a")
    assert "0 clips applied with 0 observations, 3 known" in run("ingest", *files, "--state", tmp_path / "a").stdout
    assert state_hash(tmp_path / "a") == before
    (cup,) = json.loads(run("entities", "--state", tmp_path / "a", "--json").stdout)["entities"]
    assert (cup["label"], cup["observations"]) == ("cup", 3)


def test_a_bad_message_is_named_and_the_others_are_applied(tmp_path, files):
    files[1].write_bytes(b"\xc1 not MessagePack")
    result = run("ingest", *files, "--state", tmp_path / "a", code=2)
    assert "2 clips applied" in result.stdout
    assert f"not applied: {files[1]}" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("biographer: 1 of 3 clips could not be applied")


def test_a_video_is_cut_into_clips_that_a_repeat_knows(tmp_path, video):
    arguments = ["ingest", video, "--stream", "ann", "--start", START, "--clip-seconds", 2, "--state", tmp_path / "a"]
    assert "3 clips applied" in run(*arguments).stdout
    assert "0 clips applied with 0 observations, 3 known" in run(*arguments).stdout
    episodes = json.loads(run("episodes", "--state", tmp_path / "a", "--json").stdout)["episodes"]
    assert [episode["start"] for episode in episodes] == [START, "2026-05-01T09:30:02Z", "2026-05-01T09:30:04Z"]


def test_videos_follow_each_other_without_a_gap(tmp_path, video):
    again = tmp_path / "again.mp4"
    again.write_bytes(video.read_bytes())
    run("ingest", video, again, "--stream", "ann", "--start", START, "--state", tmp_path / "a")
    first, second = json.loads(run("episodes", "--state", tmp_path / "a", "--json").stdout)["episodes"]
    assert first["end"] == second["start"] == "2026-05-01T09:30:05Z"


SAID = {
    "srt": "1\n00:00:01,000 --> 00:00:02,000\nThe first.\n\n2\n00:00:05,000 --> 00:00:06,000\nOn the cut.\n\n"
    "3\n00:00:07,500 --> 00:00:09,000\nThe second.\n\n4\n00:01:00,000 --> 00:01:01,000\nToo late.\n",
    "jsonl": '{"start": 1, "text": "The first."}\n{"start": 5, "text": "On the cut."}\n'
    '{"start": "2026-05-01T09:30:07.5Z", "text": "The second."}\n{"start": 60, "text": "Too late."}\n',
}


@pytest.mark.parametrize("form", SAID)
def test_lines_run_over_all_videos_and_each_lies_with_the_clip_that_holds_its_start(tmp_path, video, form):
    again, said = tmp_path / "again.mp4", tmp_path / f"said.{form}"
    again.write_bytes(video.read_bytes())
    said.write_text(SAID[form])
    options = ["--stream", "ann", "--start", START, "--lines", said, "--state", tmp_path / "a"]
    result = run("ingest", video, again, *options)
    assert "outside the recording, left out: 'Too late.'" in result.stderr
    first, second = json.loads(run("episodes", "--state", tmp_path / "a", "--json").stdout)["episodes"]
    assert "The first." in first["text"]
    assert "cut" not in first["text"]
    assert all(words in second["text"] for words in ("On the cut.", "The second."))


def test_lines_without_a_video_are_refused_before_anything_is_written(tmp_path, files):
    (tmp_path / "said.srt").write_text(SAID["srt"])
    result = run("ingest", *files, "--lines", tmp_path / "said.srt", "--state", tmp_path / "a", code=2)
    assert "has no video to go with" in result.stderr
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [([], "--stream and --start"), (["--stream", "ann", "--start", "2026-05-01T09:30:00"], "no offset")],
)
def test_a_video_without_stream_or_true_start_is_refused_before_anything_is_written(tmp_path, video, options, words):
    result = run("ingest", video, *options, "--state", tmp_path / "a", code=2)
    assert words in result.stderr
    assert not (tmp_path / "a").exists()


def test_what_is_no_video_is_refused(tmp_path):
    """blakeblackshear/frigate#14917: a text file named .mp4."""
    (tmp_path / "notes.mp4").write_text("not a film")
    result = run("ingest", tmp_path / "notes.mp4", "--stream", "a", "--start", START, "--state", tmp_path / "s", code=2)
    assert "notes.mp4 cannot be read as a video" in result.stderr


def test_it_refuses_while_another_holds_the_folder_and_names_it(tmp_path, files):
    holder = StateFolder(tmp_path / "a", Rule())
    result = run("ingest", *files, "--state", tmp_path / "a", code=1)
    assert str(os.getpid()) in result.stderr
    assert "held by another" in result.stderr
    holder.close()
    run("ingest", *files, "--state", tmp_path / "a")


class Adopting:
    """Perception without pixels; raises `error` at the clip of that name."""

    def __init__(self, at: str = "", error: BaseException | None = None) -> None:
        self._at, self._error = at, error

    def perceive(self, clip: ClipMessage, _stop):
        if clip.clip == self._at and self._error is not None:
            raise self._error
        return Perceived(Clip(clip.stream, clip.clip, clip.start_us, clip.end_us, clip.lines))


def backfill(
    path: Path, log, perception: Adopting | None = None, order: Order | None = None, now_us: int = 0
) -> tuple[Backfill, list[str]]:
    folder = StateFolder(path, Rule())
    told: list[int] = []
    one = Backfill(
        folder, perception or Adopting(), order or Order(future_s=0), 2, lambda: told.append(1), lambda: now_us
    )
    try:
        one.run(log)
    finally:
        folder.close()
    names = StateFolder(path, Rule())
    applied = list(names.stream("ann").memory.clips)
    names.close()
    return one, applied


def test_an_interrupted_backfill_goes_on_to_the_same_memory(tmp_path):
    log = [message(number) for number in range(6)]
    backfill(tmp_path / "whole", log)
    with pytest.raises(KeyboardInterrupt):
        backfill(tmp_path / "cut", log, Adopting("clip-3", KeyboardInterrupt()))
    second, applied = backfill(tmp_path / "cut", log)
    assert 0 < second.outcome.known <= 3
    assert second.outcome.known + second.outcome.applied == 6
    assert applied == [f"clip-{number}" for number in range(6)]
    assert state_hash(tmp_path / "cut") == state_hash(tmp_path / "whole")


def test_late_clips_wait_for_their_turn_as_in_the_daemon_and_flushes_let_them_go(tmp_path):
    patient = Order(lateness_s=120, future_s=0)
    _, applied = backfill(tmp_path / "a", [message(0), message(2), message(1), message(3)], order=patient)
    assert applied == ["clip-0", "clip-1", "clip-2", "clip-3"]
    log = [message(0), message(2), FlushMessage("ann", START_US), message(1)]
    _, applied = backfill(tmp_path / "b", log, order=patient)
    assert applied == ["clip-0", "clip-2", "clip-1"]
    _, applied = backfill(tmp_path / "c", [message(0), message(2), message(1)])
    assert applied == ["clip-0", "clip-2", "clip-1"]


def test_one_clip_sent_three_times_is_applied_once(tmp_path):
    """faust-streaming/faust#323."""
    one, applied = backfill(tmp_path / "a", [message(0), message(0), message(0)])
    assert applied == ["clip-0"]
    assert (one.outcome.applied, one.outcome.known) == (1, 2)
    backfill(tmp_path / "b", [message(0)])
    assert state_hash(tmp_path / "a") == state_hash(tmp_path / "b")


def test_a_clip_from_ahead_of_now_is_set_aside_with_the_reason(tmp_path):
    now_us = message(1).end_us
    one, applied = backfill(
        tmp_path / "a", [message(0), message(200), message(1)], order=Order(future_s=60), now_us=now_us
    )
    assert applied == ["clip-0", "clip-1"]
    assert "order.future_s=60" in one.outcome.aside["ann/clip-200"]


def test_a_video_that_starts_in_the_future_is_refused_up_front(tmp_path, video):
    arguments = ["ingest", video, "--stream", "ann", "--start", "2970-01-01T00:00:00Z", "--state", tmp_path / "state"]
    env = {**ENVIRON, "BIOGRAPHER_ORDER_FUTURE_S": "3600"}
    result = CliRunner().invoke(main, [str(one) for one in arguments], env=env)
    assert result.exit_code == 2
    assert "Check --start" in result.stderr
    assert not (tmp_path / "state").exists()


def test_streams_do_not_touch_each_other(tmp_path):
    log = [message(number, stream) for number in range(3) for stream in ("ann", "bob")]
    backfill(tmp_path / "both", log)
    backfill(tmp_path / "ann", [clip for clip in log if clip.stream == "ann"])
    both = json.loads(run("verify", "--state", tmp_path / "both", "--json").stdout)["streams"]
    assert both[0]["hash"] == state_hash(tmp_path / "ann")

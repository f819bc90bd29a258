"""`search`, `export` and `import` as they are typed: one answer from a daemon, its folder and a snapshot of it."""

import asyncio
import json
import sys
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from api_rig import RULE, SPOKEN, Rig, filmed
from click.testing import CliRunner
from recordings import meaning, told
from sightings import STREAM, clip, seen

from biographer.daemon import networks
from biographer.daemon.api_records import SnapshotRecord
from biographer.ops.cli import main
from biographer.ops.daemon_place import daemon_url
from biographer.ops.search_shown import Shown, behind
from biographer.ops.terminal import plain
from biographer.state.folder import StateFolder
from biographer.state.ruling import Act, Word
from biographer.state.state_hash import state_hash

PLAIN = {"BIOGRAPHER_PERCEIVE_TEXT_EMBEDDER": "none", "BIOGRAPHER_HTTP_PORT": "1"}

LOG = [
    told(f"t{number}", 40.0 * number, ("Ann", f"the {word} is here"), ("Ben", f"take the {other}"), things=things)
    for number, (word, other, things) in enumerate(
        [
            ("red cup", "milk", [(0, 0, "cup"), (1, 1, "bowl")]),
            ("door", "phone", [(0, 0, "cup")]),
            ("garden", "table", [(0, 0, "cup"), (1, 2, "door")]),
            ("milk", "red cup", [(0, 0, "cup")]),
            ("phone", "garden", [(0, 3, "phone")]),
        ]
    )
]


class Words:
    """A text embedder for tests."""

    of_question = staticmethod(meaning)
    pictures = None

    @property
    def texts(self):
        return self


@pytest.fixture
def state(tmp_path):
    folder = StateFolder(tmp_path / "state", RULE)
    for one in LOG:
        folder.stream(STREAM).apply(one)
    folder.close()
    return tmp_path / "state"


@pytest.fixture
def words(monkeypatch):
    monkeypatch.setattr(networks.Networks, "load", classmethod(lambda *_: Words()))


def run(*arguments: object, code: int = 0, **environ: str):
    result = CliRunner().invoke(main, [str(one) for one in arguments], env={**PLAIN, **environ})
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


def found(*arguments: object, **environ: str):
    return json.loads(run("search", *arguments, "--json", **environ).stdout)


def same(left, right):
    for one, other in zip(left["items"], right["items"], strict=True):
        assert one.pop("score") == pytest.approx(other.pop("score"), abs=1e-6)
        assert one == other
    for key in ("excerpts", "notes", "reading", "reason", "further"):
        assert left[key] == right[key]
    for key in ("version", "watermark", "as_of"):
        assert left["snapshot"][key] == right["snapshot"][key]


QUESTIONS = [
    ["who has the red cup?"],
    ["cup", "--as-of", "1970-01-01T00:02:00Z"],
    ["garden", "--label", "cup", "--limit", "3"],
    ["milk", "--speaker", "Ben"],
    ["cup", "--entity", "e0"],
    ["--between", "1970-01-01T00:00:30Z", "1970-01-01T01:02:00+01:00"],
    ["table", "--between", "1970-01-01T00:00:00Z", "1970-01-01T00:02:00Z", "--as-of", "1970-01-01T00:01:50Z"],
]


@pytest.mark.usefixtures("words")
async def test_a_daemon_its_folder_and_a_snapshot_answer_alike(tmp_path):
    rig = Rig(tmp_path / "state")
    rig.apply(STREAM, *LOG)
    rig.api.search.connect(rig.folder, meaning)
    snapshot, environ = tmp_path / "snapshot", {"BIOGRAPHER_STATE_FOLDER": str(tmp_path / "state")}
    try:
        async with rig.served() as url:
            await asyncio.to_thread(run, "export", snapshot, **environ)
            for question in QUESTIONS:
                live = await asyncio.to_thread(found, *question, "--url", url)
                assert live["items"] or live["reason"]
                same(live, await asyncio.to_thread(found, *question, "--state", tmp_path / "state"))
                live = await asyncio.to_thread(found, *question, BIOGRAPHER_CLIENT_URL=url)
                same(live, await asyncio.to_thread(found, *question, "--snapshot", snapshot))
    finally:
        rig.close()


@pytest.mark.usefixtures("words")
def test_a_snapshot_as_of_a_time_answers_as_the_memory_does_as_of_it(tmp_path, state):
    moment = "1970-01-01T00:02:00Z"
    run("export", tmp_path / "s", "--as-of", moment, "--state", state)
    whole = found("red cup", "--as-of", moment, "--state", state)
    then = found("red cup", "--snapshot", tmp_path / "s")
    assert whole["items"]
    then["snapshot"]["as_of"], whole["snapshot"]["version"] = moment, then["snapshot"]["version"]
    same(whole, then)


def test_where_no_daemon_answers_the_folder_is_read_and_said_so(state):
    result = run("search", "cup", BIOGRAPHER_STATE_FOLDER=str(state))
    assert f"no daemon answers at http://127.0.0.1:1: reading {state} itself" in result.stderr
    assert "behind, known up to 1970-01-01T00:03:10Z" in result.stdout
    assert "red cup" in result.stdout
    assert "e0" in result.stdout


def test_where_there_is_nothing_to_ask_the_remedy_is_told(tmp_path, state):
    nothing = str(tmp_path / "nothing")
    for environ in ({"BIOGRAPHER_STATE_FOLDER": nothing}, {"BIOGRAPHER_CLIENT_URL": "http://127.0.0.1:1"}):
        result = run("search", "cup", code=75, **environ)
        for remedy in ("no daemon answers", "biographer serve", "--snapshot", "--state"):
            assert remedy in result.stderr
    assert not Path(nothing).exists()
    assert "no stream" in run("search", "cup", "--state", nothing, code=2).stderr
    assert "no whole snapshot" in run("search", "cup", "--snapshot", state, code=2).stderr
    assert "nothing is asked" in run("search", code=2).stderr
    assert "different places" in run("search", "x", "--url", "http://x", "--state", state, code=2).stderr
    assert "not RFC 3339" in run("search", "x", "--as-of", "noon", "--state", nothing, code=2).stderr


def test_reading_a_folder_writes_nothing_to_it_and_needs_no_lock(state):
    before = {path: path.read_bytes() for path in state.rglob("*") if path.is_file()}
    holder = StateFolder(state, RULE)
    try:
        assert found("cup", "--state", state)["items"]
    finally:
        holder.close()
    after = {path: path.read_bytes() for path in state.rglob("*") if path.is_file()}
    assert {path: after[path] for path in before if path.name != "LOCK"} == {
        path: content for path, content in before.items() if path.name != "LOCK"
    }


async def test_a_token_is_borne_and_found_in_its_file(tmp_path):
    rig = Rig(tmp_path / "state")
    rig.apply("cam", filmed("cam", 0, 2000.0))
    file = tmp_path / "token"
    file.write_text(rig.token("read", streams=("cam",)) + "\n")
    try:
        async with rig.served() as url:
            asked = ("search", SPOKEN, "--url", url)
            assert "401" in (await asyncio.to_thread(run, *asked, code=2)).stderr
            result = await asyncio.to_thread(run, *asked, BIOGRAPHER_CLIENT_TOKEN_FILE=str(file))
    finally:
        rig.close()
    assert SPOKEN in result.stdout


def test_what_was_recorded_steers_no_terminal(tmp_path):
    steering = "\x1b]0;gotcha\x07 \x9b31m [bold]not[/bold] \u202eback"
    folder = StateFolder(tmp_path / "state", RULE)
    folder.stream(STREAM).apply(told("c", 0.0, f"zeppelin {steering}", vectors=False))
    folder.stream(STREAM).apply(clip("d\x1b[2J", 40.0, seen(0, (1, 0, 0, 0), 40.0, label="zeppelin \x1b[31m")))
    folder.close()
    shown = run("search", "zeppelin", "--state", tmp_path / "state").stdout
    assert "[bold]not[/bold]" in shown
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(shown)
    assert plain("a\tb\nc\U0001f600") == "a\tb\nc\U0001f600"


def test_whom_a_user_named_is_shown_by_that_name(state):
    folder = StateFolder(state, RULE)
    folder.stream(STREAM).obey(Word(Act.NAME, "me", 0, name="Aunt Ida"))
    folder.close()
    assert 'e0 "Aunt Ida"' in run("search", "Aunt Ida", "--state", state).stdout


def test_nothing_found_is_said_and_is_no_error(state):
    assert "Nothing in the memory meets" in run("search", "xylophone", "--state", state).stdout
    years = ("--between", "2001-01-01T00:00:00Z", "2002-01-01T00:00:00Z")
    assert "Nothing was recorded in that time" in run("search", *years, "--state", state).stdout


def test_several_streams_are_to_be_told_apart(state):
    folder = StateFolder(state, RULE)
    folder.stream("other").apply(clip("o", 0.0, seen(0, (1, 0, 0, 0)), stream="other", words="nothing"))
    folder.close()
    assert "choose one with --stream: other, wearer" in run("search", "cup", "--state", state, code=2).stderr
    assert found("nothing", "--stream", "other", "--state", state)["items"]
    assert "choose one with --stream" in run("export", state.parent / "s", "--state", state, code=2).stderr


def test_export_and_import_as_they_are_typed(tmp_path, state):
    told = json.loads(run("export", tmp_path / "s", "--state", state, "--media", "--json").stdout)
    (made,) = told["snapshots"]
    assert (made["stream"], made["version"], told["folder"]) == (STREAM, 5, str(tmp_path / "s"))
    assert "not empty" in run("export", tmp_path / "s", "--state", state, code=2).stderr
    assert "already" in run("import", tmp_path / "s", "--state", state, code=2).stderr
    shown = run("import", tmp_path / "s", "--stream", "copy", "--state", state).stdout
    assert made["state_hash"][:20] in shown.replace("\n", "")
    folder = StateFolder(state, RULE)
    try:
        assert state_hash(folder.stream("copy").store) == made["state_hash"]
        assert "held by another" in run("import", tmp_path / "s", "--stream", "b", "--state", state, code=1).stderr
    finally:
        folder.close()


@pytest.mark.parametrize(
    ("lag", "told"), [(14.2, "14 s behind"), (300, "5 min behind"), (3 * 3600, "3 h behind"), (9e5, "10 days behind")]
)
def test_how_far_behind_is_told_in_words(lag, told):
    shown, then = Shown("s", ZoneInfo("Asia/Kathmandu"), "here"), "2026-05-01T00:00:00Z"
    up_to = "known up to 2026-05-01T05:45:00+05:45"
    assert behind(SnapshotRecord(version=1, watermark=then, lag_s=lag), shown) == f"{told}, {up_to}"
    as_of = SnapshotRecord(version=1, watermark=then, lag_s=lag, as_of="2026-05-01T01:00:00Z")
    assert behind(as_of, shown) == f"as of 2026-05-01T06:45:00+05:45, {up_to}"
    assert behind(SnapshotRecord(version=0, watermark=None, lag_s=None), shown) == "nothing remembered yet"


def test_times_are_those_of_the_streams_zone_as_they_are_printed_and_as_they_are_typed(tmp_path):
    """Kathmandu was 5:30 ahead in 1970. JSON is the API's own answer, in UTC."""
    folder = StateFolder(tmp_path / "state", RULE, timezone="Asia/Kathmandu")
    for one in LOG:
        folder.stream(STREAM).apply(one)
    folder.close()
    asked = ("cup", "--state", tmp_path / "state", "--as-of")
    shown = run("search", *asked, "1970-01-01T05:32:00").stdout
    assert "as of 1970-01-01T05:32:00+05:30, known up to 1970-01-01T05:31:50+05:30" in shown
    assert "  1970-01-01T05:30:40+05:30 to 1970-01-01T05:31:10+05:30  " in shown
    few = run("search", *asked, "1970-01-01T05:32:00", "--limit", 3).stdout
    assert "seen 2 more times: 2 from 1970-01-01T05:30:00+05:30 to" in few
    assert "Z" not in shown + few.partition("\n")[2]
    typed, told = found(*asked, "1970-01-01T05:32:00"), found(*asked, "1970-01-01T00:02:00Z")
    assert told["snapshot"]["as_of"] == "1970-01-01T00:02:00Z"
    same(typed, told)
    between = found("--between", "1970-01-01T05:30:00", "1970-01-01 00:01:00Z", "--state", tmp_path / "state")
    assert [one["start"] for one in between["items"]] == ["1970-01-01T00:00:00Z", "1970-01-01T00:00:40Z"]
    run("export", tmp_path / "s", "--state", tmp_path / "state", "--as-of", "1970-01-01T05:32:00")
    assert json.loads((tmp_path / "s" / "manifest.json").read_text())["as_of"] == "1970-01-01T00:02:00Z"


@pytest.mark.parametrize("command", ["search", "ask", "relations", "rulings", "export"])
def test_what_a_time_without_an_offset_means_is_in_the_help(command):
    assert "Without an offset it is in the stream's zone" in " ".join(run(command, "--help").stdout.split())


def test_where_a_daemon_is_asked():
    from biographer.daemon.settings import read_settings  # noqa: PLC0415 - only here

    for environ, url in (
        ({}, "http://127.0.0.1:8640"),
        ({"BIOGRAPHER_HTTP_HOST": "0.0.0.0", "BIOGRAPHER_HTTP_PORT": "9"}, "http://127.0.0.1:9"),
        ({"BIOGRAPHER_HTTP_HOST": "::"}, "http://[::1]:8640"),
        ({"BIOGRAPHER_CLIENT_URL": "https://x/y"}, "https://x/y"),
    ):
        assert daemon_url(read_settings(None, environ)) == url


def test_vectors_of_questions_count(state, monkeypatch):
    """Else the test of equal answers above would compare words alone."""
    by_words = found("Anna walks", "--state", state)
    monkeypatch.setattr(networks.Networks, "load", classmethod(lambda *_: Words()))
    assert np.array_equal(meaning("cup").vector, meaning("cup").vector)
    assert found("Anna walks", "--state", state)["items"] != by_words["items"]


def test_without_the_extra_its_name_is_told_before_anything_is_done(tmp_path, state, monkeypatch):
    monkeypatch.setitem(sys.modules, "arro3.core", None)
    for asked in (("export", tmp_path / "s", "--state", state), ("search", "x", "--snapshot", tmp_path)):
        assert "pip install 'biographer[snapshot]'" in run(*asked, code=2).stderr
    assert not (tmp_path / "s").exists()

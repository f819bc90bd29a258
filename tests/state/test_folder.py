"""The state folder: one lock, one folder a stream, and names that are data and never paths."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sightings import STREAM, clip, recording, seen

from biographer.state.errors import FatalError, RefusedError
from biographer.state.folder import StateFolder, folder_name, refuse_missing, stream_folder, stream_names
from biographer.state.position import Position
from biographer.state.rule import Rule
from biographer.state.state_hash import state_hash

HOLDER = """
import sys
from pathlib import Path
from biographer.state.folder import StateFolder
from biographer.state.rule import Rule
folder = StateFolder(Path(sys.argv[1]), Rule())
print("held", flush=True)
sys.stdin.read()
"""

NAMES = [
    "Jake",
    "jake",
    "JAKE",
    "",
    " ",
    ".",
    "..",
    "../x",
    "a/b",
    "/etc/passwd",
    "a\\b",
    "C:\\x",
    "con",
    "a\x00b",
    "a\nb",
    "👓",
    "眼鏡",
    "é",
    "e\u0301",
    "x" * 5_000,
    "x" * 5_001,
    "stream.json",
    "LOCK",
    "-rf",
    "*",
]


def test_the_folder_is_held_by_one_process(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(FatalError, match=rf"process {holder.pid}\)"):
            StateFolder(tmp_path, Rule())
        holder.kill()
    StateFolder(tmp_path, Rule()).close()


def test_the_folder_is_held_once_within_a_process(tmp_path: Path) -> None:
    folder = StateFolder(tmp_path, Rule())
    with pytest.raises(FatalError, match=rf"process {os.getpid()}\)"):
        StateFolder(tmp_path, Rule())
    folder.close()
    StateFolder(tmp_path, Rule()).close()


def test_reading_names_needs_no_lock(folder: StateFolder) -> None:
    folder.stream("b")
    folder.stream("a")
    assert stream_names(folder.path) == folder.names() == ["a", "b"]


def test_any_name_has_a_folder_of_its_own_directly_below_the_streams(folder: StateFolder, tmp_path: Path) -> None:
    for name in NAMES:
        folder.stream(name).apply(clip("c", 0, stream=name))
    assert folder.names() == sorted(NAMES)
    below = sorted(path.name for path in (folder.path / "streams").iterdir())
    assert below == sorted({folder_name(name) for name in NAMES})
    assert len({name.lower() for name in below}) == len(NAMES)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["state"]


@settings(max_examples=40)
@given(st.text(), st.text())
def test_two_names_never_share_a_folder(one: str, other: str) -> None:
    assert (folder_name(one) == folder_name(other)) == (one == other)
    for name in (folder_name(one), folder_name(other)):
        assert name.isascii()
        assert len(name) < 64
        assert not set(name) & set("./\\ :*")


def test_a_name_is_read_back_as_it_was(tmp_path: Path) -> None:
    first = StateFolder(tmp_path, Rule())
    for name in NAMES:
        first.stream(name).apply(clip("c", 0, stream=name))
    first.close()
    again = StateFolder(tmp_path, Rule())
    assert [again.stream(name).name for name in again.names()] == sorted(NAMES)
    assert all(again.stream(name).knows("c") for name in NAMES)
    again.close()


def test_a_missing_stream_is_refused_with_the_names_there_are(folder: StateFolder) -> None:
    folder.stream("kitchen")
    assert refuse_missing(folder.path, "kitchen") == stream_folder(folder.path, "kitchen")
    with pytest.raises(RefusedError, match="'boats' is unknown here; known: 'kitchen'"):
        refuse_missing(folder.path, "boats")
    assert not stream_folder(folder.path, "boats").exists()
    assert not folder.knows("boats")


def test_a_folder_moved_into_anothers_place_is_refused(folder: StateFolder, tmp_path: Path, rule: Rule) -> None:
    folder.stream("a").apply(clip("c", 0, seen(0, (1, 0)), stream="a"))
    folder.close()
    stream_folder(folder.path, "a").rename(stream_folder(folder.path, "b"))
    again = StateFolder(tmp_path / "state", rule)
    with pytest.raises(FatalError, match="holds stream 'a', not 'b'"):
        again.stream("b")
    with pytest.raises(FatalError, match="holds stream 'a', which belongs into"):
        again.names()
    again.close()


def test_a_copy_beside_the_folder_is_refused_rather_than_read_as_the_same_stream(folder: StateFolder) -> None:
    folder.stream("a")
    shutil.copytree(stream_folder(folder.path, "a"), folder.path / "streams" / "a-copy")
    with pytest.raises(FatalError, match="a-copy holds stream 'a'"):
        folder.positions()


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", "null", "\x00\x00"])
def test_a_damaged_name_is_named(folder: StateFolder, content: str) -> None:
    folder.stream("a")
    (stream_folder(folder.path, "a") / "stream.json").write_text(content)
    with pytest.raises(FatalError, match=r"stream\.json is damaged"):
        folder.names()


def test_a_stream_that_was_only_begun_is_begun_again(folder: StateFolder) -> None:
    """Killed after the folder was made, after its name was half written, and after an empty database was made."""
    stream_folder(folder.path, "a").mkdir(parents=True)
    stream_folder(folder.path, "b").mkdir()
    (stream_folder(folder.path, "b") / "stream.json.part").write_text('{"str')
    stream_folder(folder.path, "c").mkdir()
    (stream_folder(folder.path, "c") / "stream.json").write_text(json.dumps({"stream": "c"}))
    (stream_folder(folder.path, "c") / "memory.db").touch()
    assert folder.names() == ["c"]
    for name in "abc":
        assert not folder.stream(name).apply(clip("x", 0, stream=name)).known
    assert folder.names() == ["a", "b", "c"]


def test_a_streams_folder_can_move_to_another_owner(folder: StateFolder, tmp_path: Path, rule: Rule) -> None:
    """DESIGN section 5, many machines: the folder is self-contained."""
    made = recording(3, 12)
    stay, move = folder.stream(STREAM), StateFolder(tmp_path / "other", rule)
    for perceived in made[:6]:
        stay.apply(perceived)
    folder.close()
    shutil.move(stream_folder(folder.path, STREAM), stream_folder(move.path, STREAM))
    moved = move.stream(STREAM)
    for perceived in made[6:]:
        moved.apply(perceived)
    whole = StateFolder(tmp_path / "whole", rule)
    for perceived in made:
        whole.stream(STREAM).apply(perceived)
    assert state_hash(moved.store) == state_hash(whole.stream(STREAM).store)
    assert folder.names() == []
    move.close()
    whole.close()


def test_positions_of_all_streams_are_told_without_their_being_open(folder: StateFolder, rule: Rule) -> None:
    for name, offset in (("a", 7), ("b", 9)):
        folder.stream(name).advance(Position("cluster", "clips", "id", 0, offset))
    folder.close()
    again = StateFolder(folder.path, rule)
    assert sorted(one.next_offset for one in again.positions()) == [7, 9]
    again.close()


@pytest.mark.parametrize("clips", [40, pytest.param(500, marks=pytest.mark.slow)])
def test_two_streams_interleaved_are_each_as_alone(folder: StateFolder, tmp_path: Path, rule: Rule, clips: int) -> None:
    """getzep/graphiti#1676, mikel-brostrom/boxmot#741: not one row crosses, and numbers are each stream's own."""
    made = {name: recording(seed, clips, stream=name) for name, seed in (("a", 1), ("b", 2))}
    for pair in zip(made["a"], made["b"], strict=True):
        for perceived in pair:
            folder.stream(perceived.clip.stream).apply(perceived)
    for name, perceiveds in made.items():
        alone = StateFolder(tmp_path / f"alone-{name}", rule)
        for perceived in perceiveds:
            alone.stream(name).apply(perceived)
        assert state_hash(folder.stream(name).store) == state_hash(alone.stream(name).store)
        assert folder.stream(name).memory.entity_count == alone.stream(name).memory.entity_count > 5
        alone.close()


def test_a_clip_of_another_stream_is_refused_and_leaves_no_trace(folder: StateFolder) -> None:
    """Also where both streams know a clip of that name."""
    for name in "ab":
        folder.stream(name).apply(clip("c0", 0, stream=name))
    before = state_hash(folder.stream("a").store)
    for name in ("c0", "c1"):
        with pytest.raises(RefusedError, match="stream 'b' came to the memory of 'a'"):
            folder.stream("a").apply(clip(name, 30, seen(0, (1, 0), 30), stream="b"), Position("", "t", "", 0, 9))
    assert state_hash(folder.stream("a").store) == before
    assert folder.stream("a").positions() == ()

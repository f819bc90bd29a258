"""Whom castings and users name stands in a snapshot as its memory's readers find it, now and as of then."""

import json
from contextlib import closing

import networkx as nx
import pytest
from remarks import amendment, cast_as
from sightings import LEFT, RIGHT, STREAM, clip, seen, us

from biographer.ops.exporting import Wanted, export
from biographer.ops.fingerprints import Fingerprints
from biographer.ops.importing import take_in
from biographer.ops.snapshot_parquet import rows_of
from biographer.ops.snapshot_people import PEOPLE
from biographer.state.cut import cut_of
from biographer.state.folder import StateFolder
from biographer.state.rule import Rule, Thresholds
from biographer.state.ruling import Act, Word

RULE = Rule(thresholds={"": Thresholds(0.6, 0.75)})
PRINTS = Fingerprints("0", {"order": {}}, "0" * 64, {})
COAT, SHIRT, CAP, CUP = (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)


@pytest.fixture
def state(tmp_path):
    """Jake in his coat (e0) and his shirt (e2), a cup (e1), and Tasha (e3), whom a user names last."""
    with closing(StateFolder(tmp_path / "state", RULE, timezone="Asia/Kathmandu")) as folder:
        stream = folder.stream(STREAM)
        scenes = [(COAT, "Jake"), (SHIRT, "Jake"), (CAP, "Tasha"), (COAT, "jake"), (SHIRT, "Jake"), (CAP, "Tasha")]
        for number, (looks, name) in enumerate(scenes):
            at = 40 * number
            one = clip(f"c{number}", at, seen(0, looks, at, box=LEFT), seen(1, CUP, at, box=RIGHT))
            stream.apply(one)
            stream.amend(amendment(cast_as(number, one.clip, name)))
        stream.obey(Word(Act.NAME, "me", 3, name="Aunt <Ida>"))
    return tmp_path / "state"


def exported(state, target, as_of_us=None):
    export(Wanted(state, STREAM, as_of_us=as_of_us), target, PRINTS, lambda *_: lambda _: None)
    file = target / "people" / "00000.parquet"
    return list(rows_of(PEOPLE, file.read_bytes(), "people"))


def imported(snapshot, place):
    """Who is whom in a memory made of a snapshot: names, those of castings, and parts."""
    with closing(StateFolder(place, RULE)) as folder:
        take_in(snapshot, folder, lambda *_: lambda _: None)
        file = folder.stream(STREAM).folder / "memory.db"
        with cut_of(file, STREAM) as cut:
            return dict(cut.standing.names), set(cut.people.names), dict(cut.people.owners)


def test_names_and_parts_are_a_table(state, tmp_path):
    assert exported(state, tmp_path / "s") == [
        (0, "Jake", "castings", None),
        (2, "Jake", "castings", 0),
        (3, "Aunt <Ida>", "user", None),
    ]


@pytest.mark.parametrize("seconds", [None, 0, 90, 165, 205, 1000])
def test_it_is_what_an_imported_memory_finds(state, tmp_path, seconds):
    rows = exported(state, tmp_path / "s", None if seconds is None else us(seconds))
    names, cast, owners = imported(tmp_path / "s", tmp_path / "b")
    assert {row[0]: row[1] for row in rows if row[3] is None} == names
    assert {row[0] for row in rows if row[2] == "castings" and row[3] is None} == cast
    assert {row[0]: row[3] for row in rows if row[3] is not None} == owners


def test_the_graph_says_it_of_its_entities_and_names(state, tmp_path):
    exported(state, tmp_path / "s")
    graph = nx.read_graphml(tmp_path / "s" / "graph.graphml")
    who = {name: (one.get("name"), one.get("named_by"), one.get("part_of")) for name, one in graph.nodes(data=True)}
    assert (who["e0"], who["e2"]) == (("Jake", "castings", None), ("Jake", "castings", "e0"))
    assert (who["e1"], who["e3"]) == ((None, None, None), ("Aunt <Ida>", "user", None))
    (jake,) = (name for name, one in graph.nodes(data=True) if one["kind"] == "name" and one["label"] == "Jake")
    assert graph.edges[jake, "e0"]["kind"] == "appeared_in"
    assert set(graph["o2"]) >= {"e2"}, "as association has it"


def test_a_snapshot_from_before_there_were_people_is_taken_in(state, tmp_path):
    exported(state, tmp_path / "s")
    path = tmp_path / "s" / "manifest.json"
    manifest = json.loads(path.read_text())
    files = [file for file in manifest["files"] if not file["path"].startswith("people/")]
    assert len(files) == len(manifest["files"]) - 1
    path.write_text(json.dumps(manifest | {"format_version": 1, "files": files}))
    (tmp_path / "s" / "people" / "00000.parquet").unlink()
    assert imported(tmp_path / "s", tmp_path / "b")[2] == {2: 0}

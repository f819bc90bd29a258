"""Users' words leave with a snapshot, and come back; those that were said later than it do not."""

import json
from contextlib import closing

import pytest
from sightings import STREAM, clip, seen, us

from biographer.ops.exporting import Wanted, export
from biographer.ops.fingerprints import Fingerprints
from biographer.ops.importing import take_in
from biographer.state.folder import StateFolder
from biographer.state.rule import Rule, Thresholds
from biographer.state.ruling import Act, Word
from biographer.state.verify import verdict

RULE = Rule(thresholds={"": Thresholds(0.6, 0.75)})
PRINTS = Fingerprints("0", {"order": {}}, "0" * 64, {})


@pytest.fixture
def state(tmp_path):
    with closing(StateFolder(tmp_path / "state", RULE)) as folder:
        stream = folder.stream(STREAM)
        for number in range(4):
            looks = (1.0, 0.0) if number % 2 else (0.0, 1.0)
            stream.apply(clip(f"c{number}", 40 * number, seen(0, looks, 40 * number)))
            if number == 1:
                stream.obey(Word(Act.NAME, "me", 0, name="Ida"))
        stream.obey(Word(Act.MERGE, "me", 0, 1))
    return tmp_path / "state"


def taken(state, tmp_path, as_of_us=None):
    export(Wanted(state, STREAM, as_of_us=as_of_us), tmp_path / "snapshot", PRINTS, lambda *_: lambda _: None)
    with closing(StateFolder(tmp_path / "other", RULE)) as folder:
        take_in(tmp_path / "snapshot", folder, lambda *_: lambda _: None)
        stream = folder.stream(STREAM)
        assert verdict(stream.store, stream.memory).faults == ()
        assert json.loads((tmp_path / "snapshot" / "manifest.json").read_text())["version"] == stream.memory.version
        return stream.memory


def test_rulings_are_part_of_a_snapshot(state, tmp_path):
    memory = taken(state, tmp_path)
    assert memory.entity_of[:].tolist() == [0, 0, 0, 0]
    assert (memory.standing.names, memory.version) == ({0: "Ida"}, 6)


def test_as_of_a_time_those_said_by_then_are(state, tmp_path):
    memory = taken(state, tmp_path, us(75))
    assert (memory.entity_of[:].tolist(), memory.standing.names) == ([0, 1], {0: "Ida"})

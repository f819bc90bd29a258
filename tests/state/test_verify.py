"""`verify`: every kind of damage is found; of what is stored once, by its clip's digest, and the clip is named."""

import shutil
from pathlib import Path

import apsw
import pytest
from sightings import RIGHT, STREAM, clip, pictured, seen, unit

from biographer.state.errors import FatalError
from biographer.state.folder import StateFolder
from biographer.state.rule import Rule, Thresholds
from biographer.state.state_hash import state_hash
from biographer.state.store import Store
from biographer.state.stream import Stream
from biographer.state.verify import verdict, verify

RULE = Rule(references=3, thresholds={"": Thresholds(0.6, 0.9)})

FOUND = {
    "a membership is gone": "DELETE FROM membership WHERE observation = 5",
    "all memberships of an entity are gone": "DELETE FROM membership WHERE entity = 0",
    "a membership of nobody": "UPDATE membership SET entity = 999 WHERE observation = 5",
    "a membership of a negative entity": "UPDATE membership SET entity = -3 WHERE observation = 5",
    "a membership of an observation that is not there": "INSERT INTO membership VALUES (999, 0, 0, 0, 1.0, 'match')",
    "a membership across embedders": "UPDATE membership SET entity = 2 WHERE observation = 4",
    "a membership known too early": "UPDATE membership SET known_us = 0 WHERE observation = 4",
    "an entity that nobody began": "UPDATE membership SET cause = 'match' WHERE observation = 0",
    "the last clip is gone": "DELETE FROM clip WHERE number = (SELECT max(number) FROM clip)",
    "a clip is gone": "DELETE FROM clip WHERE number = 2",
    "the last observation is gone": "DELETE FROM observation WHERE number = (SELECT max(number) FROM observation)",
    "an observation is gone": "DELETE FROM observation WHERE number = 4",
    "an observation is of another time": "UPDATE observation SET start_us = start_us - 1 WHERE number = 4",
    "an observation is of another clip": "UPDATE observation SET clip = 1 WHERE number = 0",
    "an observation has lost its embedder": "UPDATE observation SET embedder = NULL WHERE number = 4",
    "an observation is known at another time": "UPDATE observation SET known_us = 0 WHERE number = 4",
    "the last entity is gone": "DELETE FROM entity WHERE number = (SELECT max(number) FROM entity)",
    "an entity is gone": "DELETE FROM entity WHERE number = 1",
    "an entity is of another embedder": "UPDATE entity SET embedder = 'zz' WHERE number = 1",
    "vectors are gone": "DELETE FROM vector WHERE clip = 2",
    "vectors are zero": "UPDATE vector SET matrix = zeroblob(length(matrix)) WHERE clip = 2",
    "a vector is no number": "UPDATE vector SET matrix = X'0000c07f' || substr(matrix, 5) WHERE clip = 2",
    "vectors are cut by a row": "UPDATE vector SET matrix = substr(matrix, 1, length(matrix) - 12) WHERE clip = 2",
    "vectors are cut within a row": "UPDATE vector SET matrix = substr(matrix, 1, length(matrix) - 1) WHERE clip = 2",
    "vectors are of others": "UPDATE vector SET observations = zeroblob(length(observations)) WHERE clip = 2",
    "trails are gone": "DELETE FROM trail WHERE clip = 2",
    "trails are too few": "UPDATE trail SET counts = substr(counts, 1, 4) WHERE clip = 2",
    "trails have lost boxes": "UPDATE trail SET boxes = substr(boxes, 1, 16) WHERE clip = 2",
    "trails are of another time": "UPDATE trail SET times_us = zeroblob(length(times_us)) WHERE clip = 2",
    "an episode is gone": "DELETE FROM episode WHERE number = 2",
    "an episode is of another time": "UPDATE episode SET start_us = 1 WHERE number = 2",
    "an episode is known at another time": "UPDATE episode SET known_us = 1 WHERE number = 2",
    "a line is of no clip": "UPDATE line SET clip = 99 WHERE clip = 2",
    "a crop is of no observation": "UPDATE crop SET observation = 99 WHERE observation = 3",
    "entities are apart by the evidence of others": "UPDATE apart SET low_observation = 4",
    "entities are apart that are not there": "INSERT INTO apart VALUES (900, 901, 0, 1, 0)",
    "the watermark is wrong": "UPDATE clip SET watermark_us = 5 WHERE number = 3",
    "a version is wrong": "UPDATE clip SET version = 99 WHERE number = 2",
    "a clip is late that is not": "UPDATE clip SET late = 1 WHERE number = 2",
    "a late clip is not": "UPDATE clip SET late = 0 WHERE late",
    "a clip is known at another time": "UPDATE clip SET known_us = 1 WHERE number = 2",
}

STORED_ONCE = {
    "an observation has another label": ("UPDATE observation SET label = 'zz' WHERE number = 4", 1),
    "an episode has another text": ("UPDATE episode SET text = '' WHERE number = 2", 2),
    "a line is gone": ("DELETE FROM line WHERE clip = 2", 2),
    "a crop is gone": ("DELETE FROM crop WHERE observation = 3", 1),
    "boxes are elsewhere": ("UPDATE trail SET boxes = zeroblob(length(boxes)) WHERE clip = 2", 2),
    "the evidence of separation is gone": ("DELETE FROM apart", 0),
    "a similarity is another": ("UPDATE membership SET similarity = 0.5 WHERE observation = 4", 1),
}


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stream with everything that can be damaged, closed."""
    folder = StateFolder(tmp_path_factory.mktemp("sound"), RULE)
    stream = folder.stream(STREAM)
    for number, start in enumerate((0, 60, 120, 180, 30)):
        crops = (pictured(b"x", start),)
        stream.apply(
            clip(
                f"c{number}",
                start,
                seen(0, unit(1, 0.1 * number, 0), start, crops=crops),
                seen(1, unit(1, 0, 0), start, box=RIGHT),
                seen(2, unit(0, 1, 0), start + 1, embedder="f"),
                words="hello",
                media=[b"x"],
            )
        )
    assert verdict(stream.store, stream.memory).faults == ()
    assert (stream.memory.entity_count, len(stream.memory.apartness)) == (3, 1)
    folder.close()
    return stream.folder / "memory.db"


def damaged(sound: Path, tmp_path: Path, statement: str) -> Path:
    path = tmp_path / "memory.db"
    shutil.copy(sound, path)
    connection = apsw.Connection(str(path))
    connection.execute(statement)
    assert connection.changes() > 0
    connection.close()
    return path


def faults(path: Path) -> tuple[str, ...]:
    """What verify says, be it that the memory cannot even be rebuilt."""
    store = Store(path, STREAM)
    try:
        return verify(store, STREAM, RULE).faults
    except FatalError as error:
        return (str(error),)
    finally:
        store.close()


def test_a_sound_store_has_no_faults_and_is_counted(sound: Path) -> None:
    store = Store(sound, STREAM)
    found = verify(store, STREAM, RULE)
    assert found.faults == ()
    assert (found.stream, found.version, found.hash) == (STREAM, 5, state_hash(store))
    assert (found.counts["observation"], found.counts["entity"], found.counts["clip"]) == (15, 3, 5)
    store.close()


@pytest.mark.parametrize("statement", FOUND.values(), ids=FOUND)
def test_damage_is_found(sound: Path, tmp_path: Path, statement: str) -> None:
    """circlemind-ai/fast-graphrag#101: lengths that differ are said, not stumbled over."""
    said = faults(damaged(sound, tmp_path, statement))
    assert said
    assert all("KeyError" not in one or "feed the log again" in one for one in said)


@pytest.mark.parametrize(("statement", "number"), STORED_ONCE.values(), ids=STORED_ONCE)
def test_damage_to_what_is_stored_once_names_the_clip(sound: Path, tmp_path: Path, statement: str, number: int) -> None:
    path = damaged(sound, tmp_path, statement)
    assert [one for one in faults(path) if "not those that were written" in one] == [
        f"clip {number} (c{number}): its records are not those that were written"
    ]
    one, other = Store(sound, STREAM), Store(path, STREAM)
    assert state_hash(one) != state_hash(other)
    one.close()
    other.close()


def test_a_digest_that_is_gone_or_altered_is_found(sound: Path, tmp_path: Path) -> None:
    said = faults(damaged(sound, tmp_path, "DELETE FROM digest WHERE clip = 4"))
    assert said == ("clip 4 (c4): its records are not those that were written",)
    said = faults(damaged(sound, tmp_path, "UPDATE digest SET digest = x'00' WHERE clip = 1"))
    assert "clip 1 (c1): its records are not those that were written" in said


def test_a_damaged_store_does_not_open_as_a_stream(sound: Path, tmp_path: Path) -> None:
    with pytest.raises(FatalError, match="do not fit together"):
        Stream(STREAM, damaged(sound, tmp_path, FOUND["vectors are gone"]).parent, RULE)


def test_a_live_memory_that_has_drifted_is_found(folder: StateFolder) -> None:
    """What is derived is compared with the records, not only rebuilt from them."""
    stream = folder.stream(STREAM)
    for number in range(4):
        stream.apply(clip(f"c{number}", 60 * number, seen(0, (1, 0), 60 * number)))
    memory = stream.memory
    assert verdict(stream.store, memory).faults == ()
    memory.galleries["e"].set_references(0, [0, 1])
    assert "references (0, 1)" in verdict(stream.store, memory).faults[0]
    memory.galleries["e"].set_references(0, [1, 2, 3])
    assert verdict(stream.store, memory).faults == ()
    memory.entity_count += 1
    assert any("entity: 1 rows up to number 0" in one for one in verdict(stream.store, memory).faults)


def test_many_faults_are_named_up_to_a_limit(sound: Path, tmp_path: Path) -> None:
    assert 1 <= len(faults(damaged(sound, tmp_path, "UPDATE trail SET times_us = zeroblob(length(times_us))"))) <= 20

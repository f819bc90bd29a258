"""Reading beside the writer: rows put together for people, from one state of the store each."""

from pathlib import Path

import pytest
from remarks import amendment, captioned, described, summarised
from sightings import RIGHT, STREAM, clip, pictured, seen, us

from biographer.state.errors import RefusedError
from biographer.state.folder import StateFolder
from biographer.state.reader import Reader, streams
from biographer.state.stream import Stream


@pytest.fixture
def reader(folder: StateFolder, stream: Stream) -> Reader:
    crop = pictured(b"x", 0)
    stream.apply(clip("a", 0, seen(0, (1, 0), crops=(crop,)), seen(1, (1, 0), box=RIGHT), words="two cups"))
    stream.apply(clip("c", 60, seen(0, (1, 0), 60, label="mug"), seen(1, None, 61, label="cat")))
    stream.apply(clip("b", 30, seen(0, (1, 0), 30)))
    return Reader(folder.path, STREAM)


def test_a_stream_in_numbers(reader: Reader, folder: StateFolder) -> None:
    (row,) = streams(folder.path)
    assert row == reader.summary()
    assert (row.stream, row.version, row.clips, row.late) == (STREAM, 3, 3, 1)
    assert (row.start_us, row.watermark_us) == (0, us(90))
    assert (row.observations, row.entities, row.unidentified) == (5, 2, 1)


def test_an_empty_stream_has_no_times(folder: StateFolder) -> None:
    folder.stream("empty")
    row = Reader(folder.path, "empty").summary()
    assert (row.version, row.clips, row.late, row.start_us, row.watermark_us) == (0, 0, 0, None, None)


def test_entities_with_whom_they_were_seen_apart_from(reader: Reader) -> None:
    first, second = reader.entities()
    assert (first.entity, first.label, first.observations, first.clips, first.apart) == (0, "cup", 3, 3, (1,))
    assert (first.first_us, first.last_us) == (0, us(60.9))
    assert (second.entity, second.observations, second.apart) == (1, 1, (0,))
    assert [one.entity for one in reader.entities("cup")] == [0, 1]
    assert reader.entities("mug") == []
    assert reader.entity(1) == second


def test_a_biography_is_in_order_of_event_time_whatever_came_late(reader: Reader) -> None:
    rows = reader.biography(0)
    assert [(row.clip, row.cause) for row in rows] == [("a", "new"), ("b", "match"), ("c", "match")]
    assert rows[0].crops[0] == pictured(b"x", 0)
    assert all(row.known_us >= row.end_us for row in rows)


@pytest.mark.parametrize("entity", [2, 99, -1])
def test_an_unknown_entity_is_refused_by_name(reader: Reader, entity: int) -> None:
    with pytest.raises(RefusedError, match=f"entity e{entity} is unknown"):
        reader.biography(entity)


def test_what_belongs_to_no_entity_is_listed_with_its_flaw(reader: Reader) -> None:
    (row,) = [row for row in reader.observations("c") if row.entity is None]
    assert (row.label, row.flaw, row.similarity) == ("cat", "no evidence of identity", None)
    assert len(reader.observations()) == 5
    assert reader.observations("nothing") == []


def test_episodes_hold_what_was_said_and_seen(reader: Reader) -> None:
    rows = reader.episodes()
    assert [(row.clip, row.late) for row in rows] == [("a", False), ("b", True), ("c", False)]
    assert rows[0].text == "two cups\nSeen: cup (2 sightings)."


def test_an_unknown_stream_is_refused_and_not_begun(tmp_path: Path, folder: StateFolder) -> None:
    with pytest.raises(RefusedError, match="known: none"):
        Reader(folder.path, "boats")
    assert streams(folder.path) == []
    assert list(tmp_path.rglob("*.db")) == []


def test_a_later_word_about_an_observation_is_the_one_that_is_read(reader: Reader, stream: Stream) -> None:
    """DESIGN section 3: corrections are new versions, never edits."""
    with stream.store.database.transaction() as cursor:
        cursor.execute("INSERT INTO membership VALUES (0, 1, 1, 90000000, 1.0, 'match')")
    assert [row.clip for row in reader.biography(0)] == ["b", "c"]
    assert [row.clip for row in reader.biography(1)] == ["a", "a"]
    assert [one.observations for one in reader.entities()] == [2, 2]


def test_an_entity_of_which_all_was_moved_away_counts_no_more(reader: Reader, stream: Stream) -> None:
    with stream.store.database.transaction() as cursor:
        moved = "SELECT observation, 1, 0, 90000000, 1.0, 'match' FROM membership WHERE entity = 1"
        cursor.execute(f"INSERT INTO membership {moved}")
    assert reader.summary().entities == len(reader.entities()) == 1


def test_what_was_written_is_what_is_read(folder: StateFolder, stream: Stream) -> None:
    for number in range(8):
        stream.apply(clip(f"c{number}", 30 * number, seen(0, (1, 0), 30 * number), words=f"word {number}"))
    window = stream.memory.index.windows.versions[0]
    stream.amend(
        amendment(
            described(1, "c1", 0, us(90), "With a chipped rim."),
            captioned(0, clip("c0", 0).clip, "Tea is poured."),
            summarised(window, tuple(f"c{n}" for n in window.clips), "Breakfast."),
        )
    )
    reader = Reader(folder.path, STREAM)
    assert [one.text for one in reader.observations()[:3]] == ["a cup", "cup. With a chipped rim.", "a cup"]
    assert [one.text.splitlines()[0] for one in reader.episodes()[:2]] == ["Tea is poured.", "word 1"]
    assert [one.text for one in reader.episodes("3min")] == ["Breakfast."]
    assert reader.summary().version == 9
    reader.close()

"""The store: changes and positions in, records out, a transaction each."""

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from sightings import STREAM, clip, pictured, recording, seen, unit

from biographer.state.change import Change
from biographer.state.memory import Memory
from biographer.state.position import Position
from biographer.state.rule import Rule
from biographer.state.state_hash import state_hash
from biographer.state.store import Store
from biographer.state.stream import Stream
from biographer.state.trail import Trail


def never_asked(observation: int) -> Trail:
    raise AssertionError(f"trail of {observation} should be at hand")


def changes_of(count: int) -> list[Change]:
    memory, changes = Memory(STREAM, Rule(), never_asked), []
    for perceived in recording(3, count):
        changes.append(memory.plan(perceived))
        memory.adopt(changes[-1])
    return changes


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "memory.db", STREAM)


def test_many_changes_in_one_transaction_are_as_one_each(store: Store, tmp_path: Path) -> None:
    """Bulk seeding writes what ingest writes."""
    changes = changes_of(20)
    one_by_one = Store(tmp_path / "other.db", STREAM)
    for change in changes:
        one_by_one.commit([change], None)
    store.commit(changes, Position("", "t", "", 0, 20))
    assert state_hash(store) == state_hash(one_by_one)
    assert [one.next_offset for one in store.positions()] == [20]


def test_a_failure_among_many_changes_writes_none(store: Store) -> None:
    changes = changes_of(5)
    with pytest.raises(Exception, match="UNIQUE"):
        store.commit([*changes, changes[2]], Position("", "t", "", 0, 1), {"a" * 64: 1})
    for table in ("clip", "observation", "membership", "media", "position"):
        assert list(store.select(f"SELECT count(*) FROM {table}")) == [(0,)]


def test_a_vector_comes_back_bit_for_bit(store: Store) -> None:
    changes = changes_of(10)
    store.commit(changes, None)
    expected = {
        number: one.embedding.vector.tobytes()
        for change in changes
        for number, one in enumerate(change.observations, change.first_observation)
        if one.embedding is not None
    }
    found = {}
    for numbers, matrix in store.select("SELECT observations, matrix FROM vector"):
        rows = np.frombuffer(matrix, "<f4").reshape(len(np.frombuffer(numbers, "<i4")), -1)
        found.update(zip(np.frombuffer(numbers, "<i4").tolist(), [row.tobytes() for row in rows], strict=True))
    assert found == expected


def test_text_of_any_kind_comes_back_as_it_was(stream: Stream) -> None:
    words = "a\x00b 'quoted' \"twice\" ; DROP TABLE clip -- 眼鏡 👓 e\u0301"
    stream.apply(clip(words, 0, seen(0, (1, 0), label=words), words=words))
    assert list(stream.store.select("SELECT name FROM clip")) == [(words,)]
    assert list(stream.store.select("SELECT text FROM line")) == [(words,)]
    assert list(stream.store.select("SELECT label FROM observation")) == [(words,)]
    assert stream.knows(words)


@pytest.mark.parametrize(("bound", "stay"), [(10_000, 4), (4_000, 4), (3_999, 3), (1_000, 1), (999, 0), (0, 0)])
def test_the_oldest_media_over_the_bound_are_named_oldest_first(stream: Stream, bound: int, stay: int) -> None:
    pictures = [bytes([number]) * 1_000 for number in range(4)]
    for number, content in enumerate(pictures):
        crop = pictured(content, 60 * number)
        stream.apply(clip(f"c{number}", 60 * number, seen(0, (1, 0), 60 * number, crops=(crop,)), media=[content]))
    expected = [sha256(content).hexdigest() for content in pictures[: 4 - stay]]
    assert stream.store.oldest_media(bound) == expected
    stream.store.forget_media(expected)
    assert stream.store.oldest_media(bound) == []


# The hash.


def hashed(tmp_path: Path, name: str, *perceiveds: object) -> str:
    memory, store = Memory(STREAM, Rule(), never_asked), Store(tmp_path / f"{name}.db", STREAM)
    for perceived in perceiveds:
        change = memory.plan(perceived)  # type: ignore[arg-type]
        store.commit([change], None)
        memory.adopt(change)
    digest = state_hash(store)
    store.close()
    return digest


def test_the_hash_tells_every_record_apart(tmp_path: Path) -> None:
    looks = unit(1, 2)
    variants = {
        "plain": clip("c", 0, seen(0, looks)),
        "nothing": clip("c", 0),
        "name": clip("d", 0, seen(0, looks)),
        "start": clip("c", 1, seen(0, looks), seconds=29),
        "end": clip("c", 0, seen(0, looks), seconds=31),
        "words": clip("c", 0, seen(0, looks), words="hello"),
        "other words": clip("c", 0, seen(0, looks), words="hallo"),
        "track": clip("c", 0, seen(1, looks)),
        "label": clip("c", 0, seen(0, looks, label="mug")),
        "box": clip("c", 0, seen(0, looks, box=(0, 0, 0.25, 0.500001))),
        "frames": clip("c", 0, seen(0, looks, frames=9)),
        "rate": clip("c", 0, seen(0, looks, rate=9)),
        "vector": clip("c", 0, seen(0, unit(1, 2.000001))),
        "no vector": clip("c", 0, seen(0, None)),
        "embedder": clip("c", 0, seen(0, looks, embedder="f")),
        "crop": clip("c", 0, seen(0, looks, crops=(pictured(b"x", 0),))),
        "two": clip("c", 0, seen(0, looks), seen(1, looks, 1)),
    }
    hashes = {name: hashed(tmp_path, name, perceived) for name, perceived in variants.items()}
    assert len(set(hashes.values())) == len(variants)


def test_the_hash_covers_neither_offsets_nor_media_nor_pages(stream: Stream) -> None:
    for perceived in recording(1, 10):
        stream.apply(perceived)
    before = state_hash(stream.store)
    stream.advance(Position("c", "t", "i", 3, 99))
    stream.store.forget_media(stream.store.oldest_media(0))
    stream.store.database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    stream.store.database.connection.execute("VACUUM")
    assert state_hash(stream.store) == before
    assert len(before) == 64

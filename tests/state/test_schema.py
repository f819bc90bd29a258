"""The tables' version says which tables they are."""

from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest
from sightings import STREAM, clip, seen

from biographer.state.errors import FatalError
from biographer.state.rule import Rule, Thresholds
from biographer.state.schema import SCHEMA_VERSION, TABLES
from biographer.state.store import Store
from biographer.state.stream import Stream
from biographer.state.verify import verify

RULE = Rule(thresholds={"": Thresholds(0.6, 0.9)})

PINNED = {
    1: "8b463b78f4ac40df954e2c816cf2c2f44ac076caf02133ffdc1994f1fa882e6a",
    2: "015979c3f7d4697ea58c16a90f5497bf6ca85888334dfd04a23383ea250c7ced",
}


def test_changed_tables_have_a_new_version() -> None:
    """Raise SCHEMA_VERSION with every change to TABLES once a version has been released, and pin it here."""
    assert PINNED[SCHEMA_VERSION] == sha256(TABLES.encode()).hexdigest()


def test_a_store_with_other_tables_is_refused_in_words(tmp_path: Path) -> None:
    store = Store(tmp_path / "memory.db", "anna")
    store.database.connection.execute("ALTER TABLE position DROP COLUMN through")
    with pytest.raises(FatalError, match="other tables"):
        store.positions()
    store.close()


def test_a_store_of_the_version_before_is_brought_up_to_date(tmp_path: Path) -> None:
    with closing(Stream(STREAM, tmp_path, RULE)) as stream:
        for number in range(3):
            stream.apply(clip(f"c{number}", 30 * number, seen(0, (1, 0), 30 * number)))
        connection = stream.store.database.connection
        digests = connection.execute("SELECT * FROM digest ORDER BY clip").fetchall()
        connection.execute(
            "DROP TABLE digest; DROP TABLE piece; DROP TABLE remark; DROP TABLE remark_words; DROP TABLE ruling; "
            "UPDATE meta SET value = 1 WHERE key = 'schema'"
        )
    with pytest.raises(FatalError, match="start the daemon once"):
        Store(tmp_path / "memory.db", STREAM, write=False)
    with closing(Store(tmp_path / "memory.db", STREAM)) as store:
        assert list(store.select("SELECT * FROM digest ORDER BY clip")) == digests
        assert not verify(store, STREAM, RULE).faults


def test_the_remedy_for_a_newer_store_is_another_program(tmp_path: Path) -> None:
    with closing(Store(tmp_path / "memory.db", STREAM)) as store:
        store.database.connection.execute("UPDATE meta SET value = 99 WHERE key = 'schema'")
    with pytest.raises(FatalError, match="use the program that wrote it"):
        Store(tmp_path / "memory.db", STREAM)

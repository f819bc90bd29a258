"""The tables' version says which tables they are."""

from hashlib import sha256
from pathlib import Path

import pytest

from biographer.state.errors import FatalError
from biographer.state.schema import SCHEMA_VERSION, TABLES
from biographer.state.store import Store

PINNED = {1: "8b463b78f4ac40df954e2c816cf2c2f44ac076caf02133ffdc1994f1fa882e6a"}


def test_changed_tables_have_a_new_version() -> None:
    """Raise SCHEMA_VERSION with every change to TABLES once a version has been released, and pin it here."""
    assert PINNED[SCHEMA_VERSION] == sha256(TABLES.encode()).hexdigest()


def test_a_store_with_other_tables_is_refused_in_words(tmp_path: Path) -> None:
    store = Store(tmp_path / "memory.db", "anna")
    store.database.connection.execute("ALTER TABLE position DROP COLUMN through")
    with pytest.raises(FatalError, match="other tables"):
        store.positions()
    store.close()

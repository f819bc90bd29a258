"""`biographer verify` on files that the disk damaged: told in words, never by a traceback, never passed over."""

from pathlib import Path

import apsw
import pytest
from click.testing import CliRunner, Result
from sightings import STREAM, clip, seen, unit

from biographer.ops.cli import main
from biographer.state.folder import StateFolder, stream_folder
from biographer.state.rule import Rule


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """Return the database of a stream that nobody holds."""
    folder = StateFolder(tmp_path, Rule())
    for number in range(3):
        folder.stream(STREAM).apply(clip(f"c{number}", 30 * number, seen(0, unit(1, 2, number), 30 * number)))
    folder.close()
    return stream_folder(tmp_path, STREAM) / "memory.db"


def verified(stored: Path) -> Result:
    return CliRunner().invoke(main, ["verify", "--state", str(stored.parents[2])])


@pytest.mark.parametrize("place", ["clip SET name", "observation SET label", "episode SET text"])
def test_text_that_is_none_is_damage(stored: Path, place: str) -> None:
    connection = apsw.Connection(str(stored))
    connection.execute(f"UPDATE {place} = CAST(X'ff61' AS TEXT) WHERE number = 1")
    connection.close()
    result = verified(stored)
    assert result.exit_code == 1
    assert "is damaged" in result.stderr


def test_an_index_that_points_elsewhere_is_damage_though_every_record_is_there(stored: Path) -> None:
    connection = apsw.Connection(str(stored))
    ((root,),) = connection.execute(
        "SELECT rootpage FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'clip' LIMIT 1"
    ).fetchall()
    ((size,),) = connection.execute("PRAGMA page_size").fetchall()
    connection.close()
    content = bytearray(stored.read_bytes())
    content[root * size - 4 : root * size] = b"\xff\xff\xff\xff"
    stored.write_bytes(content)
    result = verified(stored)
    assert result.exit_code == 1
    assert "is damaged" in result.stderr


def test_a_value_that_is_missing_is_damage_not_a_traceback(stored: Path) -> None:
    strict, loose = "'end_us INTEGER NOT NULL'", "'end_us INTEGER'"
    for one, other in ((strict, loose), (loose, strict)):
        connection = apsw.Connection(str(stored))
        if one == loose:
            connection.execute("UPDATE clip SET end_us = NULL WHERE number = 1")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(f"UPDATE sqlite_schema SET sql = replace(sql, {one}, {other}) WHERE name = 'clip'")
        connection.close()
    result = verified(stored)
    assert result.exit_code == 1
    assert "is damaged" in result.stderr

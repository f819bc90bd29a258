"""Where partitions stand that hold nothing but dead letters."""

from contextlib import closing
from pathlib import Path

import pytest

from biographer.state.errors import TransientError
from biographer.state.folder import StateFolder
from biographer.state.position import Position
from biographer.state.positions import Positions
from biographer.state.rule import Rule

FIRST, LATER = Position("c", "clips", "t", 3, 1, "aa"), Position("c", "clips", "t", 3, 7, "bb")
OTHER = Position("c", "clips", "t", 4, 2)


def test_the_last_word_about_each_partition_is_kept(tmp_path: Path) -> None:
    with closing(Positions(tmp_path / "positions.db")) as positions:
        assert positions.all() == ()
        for position in (FIRST, OTHER, LATER):
            positions.advance(position)
    with closing(Positions(tmp_path / "positions.db")) as positions:
        assert positions.all() == (LATER, OTHER)


def test_a_damaged_file_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / "positions.db").write_bytes(b"no database at all, and longer than a header is " * 30)
    with closing(Positions(tmp_path / "positions.db")) as positions:
        positions.advance(FIRST)
        assert positions.all() == (FIRST,)


def test_a_disk_that_refuses_is_said(tmp_path: Path) -> None:
    (tmp_path / "positions.db").mkdir()
    with pytest.raises(TransientError, match="cannot be written or read"):
        Positions(tmp_path / "positions.db")


def test_a_state_folder_claims_them_beside_its_streams(tmp_path: Path) -> None:
    folder = StateFolder(tmp_path, Rule())
    folder.stream("anna").advance(OTHER)
    folder.advance(FIRST)
    assert folder.positions() == (OTHER, FIRST)
    folder.close()
    folder = StateFolder(tmp_path, Rule())
    assert folder.positions() == (OTHER, FIRST)
    folder.close()

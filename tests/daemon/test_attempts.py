"""Counting crashes, with a crash being a connection that is dropped."""

import apsw
import pytest

from biographer.daemon.attempts import Attempts, Origin
from biographer.state.errors import TransientError

A, B = Origin("t", 0, 1, "aa"), Origin("t", 0, 2, "bb")


def crash(attempts):
    attempts._database.close()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "attempts.db"


def test_only_what_was_at_work_is_counted(path):
    attempts = Attempts(path)
    attempts.begin(A)
    attempts.begin(B)
    attempts.end(B)
    crash(attempts)
    again = Attempts(path)
    assert (again.crashes(A), again.crashes(B)) == (1, 0)


def test_a_count_survives_a_crash_at_which_the_record_was_not_at_work(path):
    first = Attempts(path)
    first.begin(A)
    crash(first)
    second = Attempts(path)
    second.begin(A)
    second.end(A)
    crash(second)
    assert Attempts(path).crashes(A) == 1


def test_a_record_that_is_done_starts_anew(path):
    first = Attempts(path)
    first.begin(A)
    crash(first)
    second = Attempts(path)
    second.settle(A)
    assert second.crashes(A) == 0
    crash(second)
    assert Attempts(path).crashes(A) == 0


def test_an_orderly_end_is_no_crash(path):
    first = Attempts(path)
    first.begin(A)
    first.close()
    assert Attempts(path).crashes(A) == 0


def test_another_record_at_the_same_offset_is_not_suspected(path):
    first = Attempts(path)
    first.begin(A)
    crash(first)
    assert Attempts(path).crashes(Origin("t", 0, 1, "other")) == 0


@pytest.mark.parametrize("content", [b"no database" * 100, b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_torn_file_costs_the_counts_and_not_the_start(path, content):
    """HKUDS/LightRAG#2441."""
    path.write_bytes(content)
    attempts = Attempts(path)
    attempts.begin(A)
    crash(attempts)
    assert Attempts(path).crashes(A) == 1


def test_pages_torn_behind_a_sound_head_cost_the_counts_and_not_the_start(path):
    """The head of the file is read when it is opened, its rows only later; seen as a daemon that was red for ever."""
    Attempts(path).close()
    path.write_bytes(path.read_bytes()[:4096] + bytes(range(256)) * 32)
    attempts = Attempts(path)
    attempts.begin(A)
    crash(attempts)
    assert Attempts(path).crashes(A) == 1


def test_a_table_of_another_shape_costs_the_counts_and_not_the_start(path):
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE attempt (origin TEXT)")
    other.close()
    Attempts(path).begin(A)
    assert Attempts(path).crashes(A) == 1


def test_a_folder_that_is_not_there_is_said(tmp_path):
    with pytest.raises(TransientError, match="attempts not written"):
        Attempts(tmp_path / "missing" / "attempts.db")

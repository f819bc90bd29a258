import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biographer.state.column import Column


def test_a_view_stays_as_it_was_while_the_column_grows() -> None:
    column = Column(np.int64)
    views = []
    for number in range(1_000):
        column.append(number)
        views.append(column.view())
    for number, view in enumerate(views):
        assert len(view) == number + 1
        assert view[-1] == number
    assert np.array_equal(views[-1], np.arange(1_000))


def test_a_view_cannot_be_written_to() -> None:
    column = Column(np.float32, (2,))
    column.append((1, 2))
    with pytest.raises(ValueError, match="read-only"):
        column.view()[0] = (3, 4)
    column.append((5, 6))
    assert column[:].tolist() == [[1, 2], [5, 6]]


def test_a_row_is_set_only_where_there_is_one() -> None:
    column = Column(np.int32)
    column.extend([1, 2, 3])
    column.set(1, 7)
    assert column[:].tolist() == [1, 7, 3]
    for row in (3, -1, 64):
        with pytest.raises(IndexError):
            column.set(row, 0)


def test_what_lies_beyond_the_end_is_never_seen() -> None:
    column = Column(np.int32)
    column.extend([4, 5])
    assert column[:10].tolist() == [4, 5]
    with pytest.raises(IndexError):
        column[2]


@given(st.lists(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=100), max_size=10))
def test_appending_and_extending_are_the_same(parts: list[list[int]]) -> None:
    extended, appended = Column(np.int32), Column(np.int32)
    for part in parts:
        extended.extend(part)
        for number in part:
            appended.append(number)
    expected = [number for part in parts for number in part]
    assert extended[:].tolist() == appended[:].tolist() == expected
    assert len(extended) == len(expected)


def test_growing_takes_at_most_twice_what_is_held() -> None:
    column = Column(np.float32, (16,))
    for _ in range(10):
        column.extend(np.zeros((777, 16), np.float32))
    assert column.nbytes <= 2 * len(column) * 16 * 4

import pytest

from biographer.state.errors import BadClipError
from biographer.streams.time_limit import TimeLimit


def test_only_what_is_counted_counts():
    now = [0.0]
    limit = TimeLimit(10, lambda: now[0])
    for _ in range(2):
        with limit.counted():
            now[0] += 5
        now[0] += 1000
    with pytest.raises(BadClipError, match="over 10 s"), limit.counted():
        now[0] += 0.5


def test_a_fault_inside_keeps_its_own_reason():
    limit = TimeLimit(10, lambda: 0.0)
    with pytest.raises(ValueError, match="mine"), limit.counted():
        raise ValueError("mine")

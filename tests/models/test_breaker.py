"""The breaker by a clock of the test's."""

from biographer.models.breaker import Breaker, BreakerState, Outcome


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def ask(breaker, outcome):
    with breaker.trial() as trial:
        if trial is None:
            return False
        trial.outcome = outcome
    return True


def test_it_opens_after_failures_in_a_row_only():
    breaker = Breaker(Clock(), failures=3, pause_s=10)
    for outcome in (Outcome.FAILED, Outcome.FAILED, Outcome.SUCCEEDED, Outcome.FAILED, Outcome.FAILED):
        assert ask(breaker, outcome)
    assert breaker.state is BreakerState.CLOSED
    assert ask(breaker, Outcome.FAILED)
    assert breaker.state is BreakerState.OPEN
    assert not ask(breaker, Outcome.SUCCEEDED)


def test_half_open_admits_one_and_believes_it():
    clock = Clock()
    breaker = Breaker(clock, failures=1, pause_s=10)
    ask(breaker, Outcome.FAILED)
    assert breaker.opens_in_s == 10
    clock.now += 10
    assert breaker.state is BreakerState.HALF_OPEN
    with breaker.trial() as first, breaker.trial() as second:
        assert second is None
        first.outcome = Outcome.FAILED
    assert breaker.state is BreakerState.OPEN
    clock.now += 10
    assert ask(breaker, Outcome.SUCCEEDED)
    assert breaker.state is BreakerState.CLOSED


def test_a_trial_given_up_leaves_the_next_its_place():
    clock = Clock()
    breaker = Breaker(clock, failures=1, pause_s=10)
    ask(breaker, Outcome.FAILED)
    clock.now += 10
    assert ask(breaker, Outcome.UNKNOWN)
    assert breaker.state is BreakerState.HALF_OPEN
    assert ask(breaker, Outcome.SUCCEEDED)

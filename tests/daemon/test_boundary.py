"""The failure boundary: what is the clip's fault, what the surroundings', and what stops the daemon."""

import errno

import pytest
import structlog

from biographer.daemon.boundary import Boundary, Failure
from biographer.daemon.retry import Backoff
from biographer.state.errors import BadClipError, FatalError, RefusedError, TransientError


class Calls:
    def __init__(self, *outcomes):
        self.left, self.waited = list(outcomes), []

    async def __call__(self):
        outcome = self.left.pop(0)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    async def through(self, tries_max=None):
        backoff = Backoff(0.0001, 0.0002)
        boundary = Boundary(backoff, lambda *said: self.waited.append(said), structlog.get_logger())
        return await boundary.call("part", self, tries_max)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (BadClipError("x"), "clip"),
        (RefusedError("x"), "clip"),
        (ValueError("x"), "unexpected"),
        (OSError(errno.ENOENT, "x"), "unexpected"),
    ],
)
async def test_what_the_clip_is_at_fault_for_is_a_failure_at_once(error, kind):
    assert await Calls(error).through() == Failure(kind, error)


@pytest.mark.parametrize(
    "error", [TransientError("x"), MemoryError("x"), OSError(errno.ENOSPC, "x"), OSError(errno.EROFS, "x")]
)
async def test_what_the_surroundings_are_at_fault_for_is_tried_again(error):
    calls = Calls(error, error, 7)
    assert await calls.through() == 7
    assert [part for part, _ in calls.waited] == ["part"] * 3
    assert calls.waited[-1] == ("part", None)


async def test_tries_may_be_bounded_and_leave_no_part_red():
    error = TransientError("x")
    calls = Calls(error, error, 7)
    assert await calls.through(2) == Failure("surroundings", error)
    assert calls.left == [7]
    assert calls.waited == [("part", "x"), ("part", None)]


async def test_what_is_fatal_passes_through():
    with pytest.raises(FatalError):
        await Calls(FatalError("x")).through()


def test_pauses_double_up_to_the_longest():
    assert [Backoff(1, 5).pause_s(tries) for tries in (1, 2, 3, 4, 4000)] == [1, 2, 4, 5, 5]

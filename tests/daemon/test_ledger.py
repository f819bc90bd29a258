"""The ledger against a plain model: a dictionary of everything ever taken."""

from hypothesis import given
from hypothesis import strategies as st

from biographer.daemon.ledger import Ledger
from biographer.state.position import Position


def position(offset):
    return Position("c", "t", "i", 0, offset + 1, f"tail {offset}")


def taken(*offsets):
    ledger = Ledger()
    for offset in offsets:
        ledger.take(offset, position(offset), 10)
    return ledger


def low_water(offsets, done):
    mark = None
    for offset in sorted(offsets):
        if offset not in done:
            break
        mark = position(offset)
    return mark


@given(st.sets(st.integers(0, 50), min_size=1), st.randoms())
def test_the_mark_is_behind_the_last_record_before_which_all_are_done(offsets, random):
    ledger, done = taken(*sorted(offsets)), set()
    order = sorted(offsets)
    random.shuffle(order)
    for offset in order:
        if random.random() < 0.3:
            ledger.hold(offset)
        assert ledger.mark == low_water(offsets, done)
        assert ledger.mark_after(offset) == low_water(offsets, done | {offset})
        ledger.settle(offset)
        done.add(offset)
        assert len(ledger) == len(offsets) - len(done)
    assert ledger.mark == position(max(offsets))
    assert (ledger.queued, ledger.queued_bytes) == (0, 0)


def test_it_begins_before_the_first_record_that_was_taken():
    ledger = taken(7, 8)
    ledger.settle(8)
    assert (ledger.mark, ledger.begin) == (None, Position("c", "t", "i", 0, 7, ""))


def test_what_is_held_is_not_queued():
    ledger = taken(1, 2)
    ledger.hold(1)
    ledger.hold(1)
    assert (ledger.queued, ledger.queued_bytes, len(ledger)) == (1, 10, 2)


def test_done_records_behind_one_that_waits_for_days_take_no_room():
    ledger = taken(0)
    for offset in range(1, 1000):
        ledger.take(offset, position(offset), 10)
        ledger.settle(offset)
    assert len(ledger._entries) == 2
    assert ledger.settle(0) == position(999)

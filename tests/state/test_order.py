"""The order in which a stream's clips are applied (DESIGN section 5): decided by the log alone."""

from dataclasses import dataclass

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from biographer.state.order import Order
from biographer.state.times import SECOND_US

S = SECOND_US


@dataclass(frozen=True)
class Sent:
    """A clip as it lies in the log: seconds, and a name."""

    start: int
    end: int

    @property
    def name(self) -> str:
        return f"{self.start}-{self.end}"


def fed(
    log: list[Sent], lateness: int, limit: int = 1_000, crash_after: int | None = None, *, flush: bool = True
) -> list[Sent]:
    """The order in which a log's clips are applied, by an ingest that may die after so many and start again.

    It starts again at the first record that was not applied, skips those that were, and has only what was stored: the
    clips applied, and with them the watermark.
    """
    applied: list[Sent] = []
    start = through = 0
    while True:
        order = Order[Sent](lateness * S, limit)
        for turn, sent in enumerate(log[start:], start):
            watermark = max((one.end for one in applied), default=None)
            watermark_us = None if watermark is None else watermark * S
            if order.patient and turn < through:
                if sent not in applied:
                    order.gather(sent.start * S, sent.end * S, sent)
                released = []
            elif sent in applied:
                released = order.due(watermark_us)
            else:
                released = order.push(sent.start * S, sent.end * S, sent, watermark_us)
            for one in released:
                applied.append(one)
                through = max(through, turn)
                if len(applied) == crash_after:
                    break
            if len(applied) == crash_after:
                break
        if crash_after is not None and len(applied) == crash_after:
            start = next((turn for turn, sent in enumerate(log) if sent not in applied), len(log))
            crash_after = None
            continue
        return applied + (order.flush() if flush else [])


def row(*starts: int, seconds: int = 30) -> list[Sent]:
    return [Sent(start, start + seconds) for start in starts]


def test_lateness_0_passes_everything_through_as_it_comes() -> None:
    order = Order[str](0, 10)
    assert order.push(90 * S, 120 * S, "b", None) == ["b"]
    assert order.push(0, 30 * S, "a", 120 * S) == ["a"]
    assert order.flush() == []
    assert len(order) == 0


def test_what_continues_the_watermark_is_applied_at_once() -> None:
    order = Order[str](60 * S, 10)
    assert order.push(30 * S, 60 * S, "b", 30 * S) == ["b"]
    assert order.push(60 * S + S // 2, 90 * S, "c", 60 * S) == ["c"]  # half a second of a camera's own gap


def test_what_comes_from_before_the_watermark_is_applied_at_once() -> None:
    """bytewax/bytewax#413: late is not lost."""
    order = Order[str](60 * S, 10)
    assert order.push(0, 30 * S, "late", 120 * S) == ["late"]


def test_what_comes_after_a_gap_waits_and_goes_with_what_fills_it() -> None:
    order = Order[str](120 * S, 10)
    assert order.push(60 * S, 90 * S, "c", 30 * S) == []
    assert order.push(90 * S, 120 * S, "d", 30 * S) == []
    assert len(order) == 2
    assert order.push(30 * S, 60 * S, "b", 30 * S) == ["b", "c", "d"]
    assert len(order) == 0


def test_what_waits_is_due_once_the_stream_is_the_lateness_ahead() -> None:
    order = Order[str](60 * S, 10)
    assert order.push(90 * S, 120 * S, "c", 30 * S) == []
    assert order.push(119 * S, 149 * S, "d", 30 * S) == []
    assert order.push(120 * S, 150 * S, "e", 30 * S) == ["c", "d", "e"]  # 150 - 60 has reached 90; the rest continues


def test_the_first_clip_of_a_stream_waits_for_the_lateness_alone() -> None:
    order = Order[str](90 * S, 10)
    assert order.push(30 * S, 60 * S, "b", None) == []
    assert order.push(0, 30 * S, "a", None) == []
    assert order.push(60 * S, 90 * S, "c", None) == ["a", "b", "c"]


def test_more_than_the_limit_never_wait() -> None:
    order = Order[int](10_000 * S, 3)
    released = []
    for turn, start in enumerate((900, 700, 500, 300, 1_100, 1_300)):
        released += order.push(start * S, (start + 30) * S, start, 0)
        assert len(order) <= 3, turn
    assert released == [300, 500, 700]


def test_a_flush_releases_all_in_order_of_event_time_and_starts_anew() -> None:
    order = Order[str](60 * S, 10)
    for start, name in ((90, "c"), (50, "a"), (70, "b")):
        assert order.push(start * S, (start + 1) * S, name, 0) == []
    assert order.flush() == ["a", "b", "c"]
    assert len(order) == 0
    assert order.push(500 * S, 501 * S, "d", 91 * S) == []


starts = st.lists(st.integers(0, 40), min_size=1, max_size=12, unique=True).map(
    lambda slots: row(*(30 * n for n in slots))
)


@given(starts, st.randoms(use_true_random=False))
def test_within_the_lateness_any_order_of_arrival_is_one_order_of_application(log: list[Sent], random: object) -> None:
    """For clips that do not overlap. The lateness is the least that this order of arrival asks for."""
    random.shuffle(log)  # type: ignore[attr-defined]
    asked = [max(one.end for one in log[:turn]) - sent.start + 1 for turn, sent in enumerate(log) if turn]
    assert fed(log, max([1, *asked])) == sorted(log, key=lambda one: one.start)


@given(starts, st.randoms(use_true_random=False), st.integers(1, 600), st.integers(0, 5))
def test_nothing_is_lost_or_doubled_whatever_the_lateness(
    log: list[Sent], random: object, lateness: int, limit: int
) -> None:
    random.shuffle(log)  # type: ignore[attr-defined]
    assert sorted(fed(log, lateness, limit), key=lambda one: one.start) == sorted(log, key=lambda one: one.start)


@given(starts, st.randoms(use_true_random=False), st.integers(0, 600), st.integers(0, 5), st.integers(1, 12))
def test_a_crash_between_any_two_clips_makes_no_difference(
    log: list[Sent], random: object, lateness: int, limit: int, crash: int
) -> None:
    random.shuffle(log)  # type: ignore[attr-defined]
    assume(crash <= len(log))
    assert fed(log, lateness, limit, crash) == fed(log, lateness, limit)


def test_a_crash_between_clips_that_overlap_makes_no_difference() -> None:
    log = [Sent(30, 60), Sent(60, 90), Sent(40, 70)]
    assert fed(log, 120, 2, 1) == fed(log, 120, 2)


spans = st.lists(st.tuples(st.integers(0, 300), st.integers(1, 90)), min_size=1, max_size=10, unique=True).map(
    lambda pairs: [Sent(start, start + length) for start, length in pairs]
)


@settings(max_examples=300)
@given(spans, st.integers(0, 200), st.integers(0, 5), st.integers(1, 10))
def test_a_crash_makes_no_difference_where_clips_overlap(
    log: list[Sent], lateness: int, limit: int, crash: int
) -> None:
    """What was let go together is let go in the same order again: Position.through."""
    log = list({sent.name: sent for sent in log}.values())
    assert fed(log, lateness, limit, crash) == fed(log, lateness, limit)

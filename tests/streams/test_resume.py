from dataclasses import replace
from itertools import product

import pytest

from biographer.state.errors import FatalError
from biographer.state.position import Position
from biographer.streams.kafka_settings import OnPositionGone
from biographer.streams.resume import Log, decide, unverified

LOG = Log("cluster", "clips", "topic-id", 2, begin=10, end=50)
CLAIM = Position("cluster", "clips", "topic-id", 2, 30, "tail-29")
TAILS = {29: "tail-29"}
EARLIEST, STOP = OnPositionGone.EARLIEST, OnPositionGone.STOP


def refused(claims, tails=TAILS, log=LOG):
    """Return the reason; both settings must agree that the claims do not hold."""
    with pytest.raises(FatalError) as stopped:
        decide(claims, log, tails, STOP)
    start = decide(claims, log, tails, EARLIEST)
    assert start.offset == log.begin
    assert "known clips are skipped" in start.reason
    assert "on_position_gone" in str(stopped.value)
    return start.reason


@pytest.mark.parametrize("gone", OnPositionGone)
def test_without_claims_from_the_beginning(gone):
    start = decide([], LOG, {}, gone)
    assert start.offset == 10
    assert "nothing of clips/2 is stored yet" in start.reason


@pytest.mark.parametrize("gone", OnPositionGone)
@pytest.mark.parametrize("next_offset", [10, 11, 30, 49, 50])
def test_claim_within_the_log_holds(gone, next_offset):
    claim = replace(CLAIM, next_offset=next_offset, tail="")
    assert decide([claim], LOG, {}, gone).offset == next_offset


def test_claim_with_its_tail_holds():
    assert decide([CLAIM], LOG, TAILS, STOP).offset == 30


def test_another_cluster():
    assert "of cluster other, this is cluster" in refused([replace(CLAIM, cluster="other")])


def test_another_topic_id():
    assert "of topic id other, this is topic-id" in refused([replace(CLAIM, topic_id="other")])


def test_beyond_the_end():
    """The embedded broker forgot its topics and keeps no identity across the restart."""
    assert "the log ends at 50" in refused([replace(CLAIM, next_offset=51)])


def test_below_the_beginning():
    assert "the log begins at 10" in refused([replace(CLAIM, next_offset=9)])


def test_another_tail():
    assert "other records were written" in refused([CLAIM], {29: "tail-of-another"})


def test_empty_log_refuses_every_position_but_its_own():
    empty = replace(LOG, begin=0, end=0)
    assert decide([replace(CLAIM, next_offset=0)], empty, {}, STOP).offset == 0
    assert "the log ends at 0" in refused([CLAIM], {}, empty)


@pytest.mark.parametrize(
    ("cluster", "topic_id", "tail"), list(product(["", "cluster"], ["", "topic-id"], ["", "tail-29"]))
)
@pytest.mark.parametrize("known", [True, False])
def test_what_is_unknown_contradicts_nothing(cluster, topic_id, tail, known):
    claim = replace(CLAIM, cluster=cluster, topic_id=topic_id, tail=tail)
    log = LOG if known else replace(LOG, cluster="", topic_id="")
    tails = TAILS if known else {29: ""}
    assert decide([claim], log, tails, STOP).offset == 30
    assert decide([CLAIM], replace(log, cluster=cluster, topic_id=topic_id), tails, STOP).offset == 30


def test_highest_claim_that_holds():
    claims = [
        replace(CLAIM, next_offset=20, tail="tail-19"),
        CLAIM,
        replace(CLAIM, next_offset=48, cluster="other"),
        replace(CLAIM, next_offset=51),
        replace(CLAIM, next_offset=3),
    ]
    for order in (claims, claims[::-1]):
        assert decide(order, LOG, TAILS | {19: "tail-19"}, STOP).offset == 30


def test_lower_claim_holds_where_the_higher_has_another_tail():
    lower = replace(CLAIM, next_offset=20, tail="tail-19")
    assert decide([CLAIM, lower], LOG, {29: "another", 19: "tail-19"}, STOP).offset == 20


@pytest.mark.parametrize("other", [replace(CLAIM, topic="elsewhere"), replace(CLAIM, partition=1)])
def test_claims_of_other_places_say_nothing(other):
    assert decide([other], LOG, TAILS, STOP).offset == 10
    assert unverified([other], LOG, {}) is None


def test_fingerprints_are_asked_for_one_at_a_time_highest_first():
    lower = replace(CLAIM, next_offset=20, tail="tail-19")
    assert unverified([lower, CLAIM], LOG, {}) == 29
    assert unverified([lower, CLAIM], LOG, TAILS) is None
    assert unverified([lower, CLAIM], LOG, {29: ""}) is None
    assert unverified([lower, CLAIM], LOG, {29: "another"}) == 19
    assert unverified([lower, CLAIM], LOG, {29: "another", 19: "another"}) is None


def test_no_fingerprint_is_asked_for_where_it_decides_nothing():
    assert unverified([], LOG, {}) is None
    assert unverified([replace(CLAIM, tail="")], LOG, {}) is None
    assert unverified([replace(CLAIM, next_offset=10)], LOG, {}) is None
    assert unverified([replace(CLAIM, cluster="other")], LOG, {}) is None
    assert unverified([replace(CLAIM, next_offset=51)], LOG, {}) is None

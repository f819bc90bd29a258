"""Where to begin in a partition: a pure decision from what the stores claim and what the log is.

The stores decide, never the group's committed offset: a store's position and its records are one transaction. A
claim says that everything before its `next_offset` in that partition is applied, known or in the dead letters,
whichever stream it belonged to; so of several claims that hold, the highest is right.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from biographer.state.errors import FatalError
from biographer.state.position import Position
from biographer.streams.identity import agree
from biographer.streams.kafka_settings import OnPositionGone


@dataclass(frozen=True, slots=True)
class Log:
    """One partition as the broker has it now: offsets from `begin` up to, not including, `end`."""

    cluster: str
    topic: str
    topic_id: str
    partition: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Start:
    """Begin at `offset`, because of `reason` (one line for the log)."""

    offset: int
    reason: str


Tails = Mapping[int, str]
"""{offset: fingerprint of the record there}; "" where that record is not there (any more)."""


def unverified(claims: Sequence[Position], log: Log, tails: Tails) -> int | None:
    """Return the offset whose fingerprint `decide` needs next, None when it has what it needs."""
    for claim in _highest_first(claims):
        if _objection(claim, log, tails) is None:
            return claim.next_offset - 1 if _needs_tail(claim, log) and claim.next_offset - 1 not in tails else None
    return None


def decide(claims: Sequence[Position], log: Log, tails: Tails, gone: OnPositionGone) -> Start:
    """Return where to begin: the highest claim that holds; the log's beginning where nothing was claimed.

    Where claims exist and none holds, `gone` decides: the beginning (known clips are skipped), or FatalError.
    """
    mine = [claim for claim in claims if (claim.topic, claim.partition) == (log.topic, log.partition)]
    if not mine:
        return Start(log.begin, f"nothing of {_name(log)} is stored yet: from its beginning at {log.begin}")
    objections: list[str] = []
    for claim in _highest_first(mine):
        objection = _objection(claim, log, tails)
        if objection is None:
            return Start(claim.next_offset, f"stored position {claim.next_offset} of {_name(log)} holds")
        objections.append(objection)
    reason = f"stored position {_highest_first(mine)[0].next_offset} of {_name(log)} does not hold: {objections[0]}"
    if gone is OnPositionGone.STOP:
        raise FatalError(
            f"{reason}; bring back that log, or set on_position_gone to 'earliest' to read this one from {log.begin} "
            "(clips that are known are skipped)"
        )
    return Start(log.begin, f"{reason}; from the beginning at {log.begin}, known clips are skipped")


def _objection(claim: Position, log: Log, tails: Tails) -> str | None:
    """Return why a claim does not hold, None where nothing is against it."""
    tail = tails.get(claim.next_offset - 1, "")
    objections = (
        ((claim.topic, claim.partition) != (log.topic, log.partition), f"it is of {claim.topic}/{claim.partition}"),
        (not agree(claim.cluster, log.cluster), f"it is of cluster {claim.cluster}, this is {log.cluster}"),
        (not agree(claim.topic_id, log.topic_id), f"it is of topic id {claim.topic_id}, this is {log.topic_id}"),
        (claim.next_offset > log.end, f"the log ends at {log.end}: the broker lost or forgot records"),
        (claim.next_offset < log.begin, f"the log begins at {log.begin}: records between were removed unread"),
        (not agree(claim.tail, tail), "the record before it is another one: other records were written here"),
    )
    return next((reason for holds, reason in objections if holds), None)


def _needs_tail(claim: Position, log: Log) -> bool:
    return bool(claim.tail) and log.begin < claim.next_offset


def _highest_first(claims: Sequence[Position]) -> list[Position]:
    return sorted(claims, key=lambda claim: claim.next_offset, reverse=True)


def _name(log: Log) -> str:
    return f"{log.topic}/{log.partition}"

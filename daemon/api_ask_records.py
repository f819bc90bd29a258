"""What a question is over the API, what is told on the way, and its answer with its evidence."""

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta

from biographer.daemon.answer import Status
from biographer.daemon.api_fields import TookMs
from biographer.daemon.api_queries import AsOf, StreamName
from biographer.daemon.api_records import Drawn, Record
from biographer.daemon.api_search_records import ItemRecord, UnitId
from biographer.daemon.problems import Problem

Round: TypeAlias = Annotated[int, Meta(description="Which round of searches, from 1.")]


class OfAsk(msgspec.Struct, frozen=True, kw_only=True):
    """A question to one stream."""

    stream: StreamName


class AskQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question in words; with options, one of them is chosen."""

    text: Annotated[str, Meta(min_length=1, max_length=10_000, description="The question.")]
    options: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=2000)], ...],
        Meta(max_length=26, description="For multiple choice: two or more, lettered from A in this order."),
    ] = ()
    as_of: AsOf | None = None


class CallRecord(Record, frozen=True, kw_only=True):
    """One search."""

    tool: Annotated[str, Meta(description="memory, transcript, visual, time, biography or relations.")]
    arguments: Annotated[Mapping[str, Any], Meta(description="What it was asked, by argument; those left out are not.")]


class CitationRecord(Record, frozen=True, kw_only=True):
    """What an answer refers to: by its name as in the answer's brackets, with the evidence that it stands for."""

    name: Annotated[str, Meta(description="o12 an observation, l12 a local episode, w12 a coarser one, c12 a clip.")]
    item: Annotated[ItemRecord, Meta(description="What it stands for.")]


class SearchRecord(Record, frozen=True, kw_only=True):
    """One search of a round and what it brought."""

    call: Annotated[CallRecord, Meta(description="What was searched for.")]
    found: Annotated[int, Meta(description="How many units it brought that were not found before.")]
    further: Annotated[int, Meta(description="How many more units a read-out of a time holds.")]
    reason: Annotated[
        str | None, Meta(description="Why it brought nothing: no_seeds, empty, or the tool's refusal; null if it did.")
    ]


class RoundRecord(Record, frozen=True, kw_only=True):
    """One round of searches."""

    round: Round
    searches: Annotated[tuple[SearchRecord, ...], Meta(description="Its searches, in order.")]
    kept: Annotated[int, Meta(description="How many of the units that they brought were found relevant.")]


class AskResult(Record, frozen=True, kw_only=True):
    """An answer. It cites only what was shown and exists in the snapshot."""

    snapshot: Drawn
    answer: Annotated[str | None, Meta(description="In words; null where no model answered, `reason` says why.")]
    status: Annotated[
        Status,
        Meta(
            description="answered; unknown: the memory does not tell; not_recorded: nothing was recorded at the time "
            "asked for."
        ),
    ]
    choice: Annotated[str | None, Meta(description="The chosen option's letter; null without options or an answer.")]
    reason: Annotated[
        str | None, Meta(description="Why no model answered, and which setting mends it; null where one did.")
    ]
    citations: Annotated[tuple[CitationRecord, ...], Meta(description="What it rests on, by name.")]
    invented: Annotated[
        tuple[str, ...], Meta(description="What the model cited and was dropped, for it is not among the evidence.")
    ]
    evidence: Annotated[tuple[ItemRecord, ...], Meta(description="What was kept as relevant, in order of finding.")]
    rounds: Annotated[tuple[RoundRecord, ...], Meta(description="How the evidence was searched for, in order.")]
    tokens: Annotated[int, Meta(description="Read and written by models, as their endpoint counts.")]
    took_ms: TookMs


class SnapshotEvent(Record, frozen=True, kw_only=True):
    """Event `snapshot`, the first: what the answer will be drawn from."""

    snapshot: Drawn


class PlanEvent(Record, frozen=True, kw_only=True):
    """Event `plan`: what is to be found out."""

    steps: Annotated[tuple[str, ...], Meta(description="Its steps, in a model's words.")]


class RoundEvent(Record, frozen=True, kw_only=True):
    """Event `round`: a round of searches begins."""

    round: Round
    searches: Annotated[tuple[CallRecord, ...], Meta(description="What is searched for, in order.")]
    missing: Annotated[str, Meta(description="What is to be found, in a model's words; empty where nothing is said.")]


class SearchEvent(Record, frozen=True, kw_only=True):
    """Event `search`: one search has ended."""

    round: Round
    search: Annotated[SearchRecord, Meta(description="What it was, and what it brought in numbers.")]
    items: Annotated[tuple[ItemRecord, ...], Meta(description="The evidence as found, best first.")]
    took_ms: TookMs


class JudgedEvent(Record, frozen=True, kw_only=True):
    """Event `judged`: what of a round was kept as relevant."""

    round: Round
    kept: Annotated[tuple[UnitId, ...], Meta(description="Which units were kept.")]


class AnsweringEvent(Record, frozen=True, kw_only=True):
    """Event `answering`: searching is over."""

    reason: Annotated[
        str | None,
        Meta(description="The bound that ended it: rounds, nothing_new, tokens, time; null where enough was found."),
    ]


class RepairEvent(Record, frozen=True, kw_only=True):
    """Event `repair`: the answer was refused and is written again."""

    faults: Annotated[tuple[str, ...], Meta(description="Why it was refused.")]


ASK_EVENTS: Mapping[str, type[msgspec.Struct]] = {
    "snapshot": SnapshotEvent,
    "plan": PlanEvent,
    "round": RoundEvent,
    "search": SearchEvent,
    "judged": JudgedEvent,
    "answering": AnsweringEvent,
    "repair": RepairEvent,
    "answer": AskResult,
    "problem": Problem,
}
"""What is told of a question on the way to its answer, by the event's name."""

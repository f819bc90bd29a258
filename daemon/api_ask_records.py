"""What a question is over the API, what is told on the way, and its answer with its evidence."""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from biographer.daemon.answer import Status
from biographer.daemon.api_queries import StreamName
from biographer.daemon.api_queries import Time as AskedTime
from biographer.daemon.api_records import Record, SnapshotRecord
from biographer.daemon.api_search_records import ItemRecord, UnitId


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
    as_of: AskedTime | None = None


class CallRecord(Record, frozen=True, kw_only=True):
    """One search: the tool, and what it was asked."""

    tool: str
    arguments: Mapping[str, Any]


class CitationRecord(Record, frozen=True, kw_only=True):
    """What an answer refers to: by its name as in the answer's brackets, with the evidence that it stands for."""

    name: Annotated[str, Meta(description="o12 an observation, l12 a local episode, w12 a coarser one, c12 a clip.")]
    item: ItemRecord


class SearchRecord(Record, frozen=True, kw_only=True):
    """One search of a round and what it brought: counts, and why nothing (no_seeds, empty, or the tool's refusal)."""

    call: CallRecord
    found: int
    further: int
    reason: str | None


class RoundRecord(Record, frozen=True, kw_only=True):
    """One round of searches; `kept` is how much of it was found relevant."""

    round: int
    searches: tuple[SearchRecord, ...]
    kept: int


class AskResult(Record, frozen=True, kw_only=True):
    """An answer. It cites only what was shown and exists in the snapshot."""

    snapshot: SnapshotRecord
    answer: Annotated[str | None, Meta(description="In words; null where no model answered, `reason` says why.")]
    status: Annotated[
        Status,
        Meta(
            description="unknown: the memory does not tell; not_recorded: nothing was recorded at the time asked for."
        ),
    ]
    choice: Annotated[str | None, Meta(description="The chosen option's letter.")]
    reason: Annotated[str | None, Meta(description="Why no model answered, and which setting mends it.")]
    citations: tuple[CitationRecord, ...]
    invented: Annotated[
        tuple[str, ...], Meta(description="What the model cited and was dropped, for it is not among the evidence.")
    ]
    evidence: Annotated[tuple[ItemRecord, ...], Meta(description="What was kept as relevant, in order of finding.")]
    rounds: tuple[RoundRecord, ...]
    tokens: Annotated[int, Meta(description="Read and written by models, as their endpoint counts.")]
    took_ms: float


class SnapshotEvent(Record, frozen=True, kw_only=True):
    """Event `snapshot`, the first: what the answer will be drawn from."""

    snapshot: SnapshotRecord


class PlanEvent(Record, frozen=True, kw_only=True):
    """Event `plan`: what is to be found out."""

    steps: tuple[str, ...]


class RoundEvent(Record, frozen=True, kw_only=True):
    """Event `round`: a round of searches begins."""

    round: int
    searches: tuple[CallRecord, ...]
    missing: str


class SearchEvent(Record, frozen=True, kw_only=True):
    """Event `search`: one search has ended; `items` is the evidence as found."""

    round: int
    search: SearchRecord
    items: tuple[ItemRecord, ...]
    took_ms: float


class JudgedEvent(Record, frozen=True, kw_only=True):
    """Event `judged`: what of a round was kept as relevant."""

    round: int
    kept: tuple[UnitId, ...]


class AnsweringEvent(Record, frozen=True, kw_only=True):
    """Event `answering`: searching is over; `reason` is the bound that ended it: rounds, nothing_new, tokens, time."""

    reason: str | None


class RepairEvent(Record, frozen=True, kw_only=True):
    """Event `repair`: the answer was refused and is written again."""

    faults: tuple[str, ...]

"""From what happens to a question to the API's records of it: names, times, and where pictures are.

Where there are pictures to tell of, after a search and in the result, it reads the store and blocks.
"""

import msgspec

from biographer.daemon import api_ask_records as records
from biographer.daemon.question_events import (
    Answered,
    Answering,
    Event,
    Judged,
    Planned,
    Repairing,
    RoundBegun,
    SearchDone,
)
from biographer.daemon.sources import Sources
from biographer.daemon.tools import Arguments, call_name, call_words
from biographer.daemon.unit_names import unit_name
from biographer.daemon.working_memory import Round, Searched


def event_record(event: Event, sources: Sources) -> tuple[str, msgspec.Struct]:
    """Return an event's name and record, for all but the answer."""
    match event:
        case Planned():
            return "plan", records.PlanEvent(steps=event.steps)
        case RoundBegun():
            calls = tuple(map(_call, event.calls))
            return "round", records.RoundEvent(round=event.number, searches=calls, missing=event.missing)
        case SearchDone():
            return "search", _search_event(event, sources)
        case Judged():
            kept = tuple(unit_name(one.item.unit) for one in event.memory.kept if one.round == event.number)
            return "judged", records.JudgedEvent(round=event.number, kept=kept)
        case Answering():
            return "answering", records.AnsweringEvent(reason=event.reason)
        case Repairing():
            return "repair", records.RepairEvent(faults=event.faults)
        case Answered():
            raise AssertionError("the answer is a result")


def result_record(event: Answered, sources: Sources, now_us: int, took_ms: float) -> records.AskResult:
    """Return the answer with its evidence."""
    answer, memory = event.answer, event.progress.memory
    kept = [one.item for one in memory.kept]
    shown = sources.items([*kept, *answer.citations.values()])
    cited = zip(answer.citations, shown[len(kept) :], strict=True)
    return records.AskResult(
        snapshot=sources.snapshot(now_us),
        answer=answer.text,
        status=answer.status,
        choice=answer.choice,
        reason=answer.reason,
        citations=tuple(records.CitationRecord(name=name, item=item) for name, item in cited),
        invented=answer.invented,
        evidence=shown[: len(kept)],
        rounds=tuple(map(_round, memory.rounds)),
        tokens=event.progress.tokens,
        took_ms=took_ms,
    )


def _search_event(event: SearchDone, sources: Sources) -> records.SearchEvent:
    return records.SearchEvent(
        round=event.number,
        search=_searched(event.searched),
        items=sources.items(event.searched.found.items),
        took_ms=round(1000 * event.seconds, 3),
    )


def _round(one: Round) -> records.RoundRecord:
    return records.RoundRecord(round=one.number, searches=tuple(map(_searched, one.searches)), kept=one.kept or 0)


def _searched(one: Searched) -> records.SearchRecord:
    found = one.found
    return records.SearchRecord(
        call=_call(one.call), found=len(found.items), further=found.further, reason=found.reason
    )


def _call(call: Arguments) -> records.CallRecord:
    return records.CallRecord(tool=call_name(call), arguments=call_words(call))

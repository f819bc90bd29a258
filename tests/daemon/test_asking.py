"""The question loop with scripted models: rounds, bounds, working memory, citations, and going without a model."""

import asyncio

import pytest
from questioned import (
    TOOLS,
    Scripted,
    Ticking,
    asked,
    control,
    draft,
    everywhere,
    in_order,
    inline,
    judge,
    kitchen,
    plan,
    reach_of,
    search,
    spoken,
)

from biographer.daemon.asking import Asking
from biographer.daemon.question import Limits, Question
from biographer.daemon.question_events import Answered, Answering, Judged, Planned, Repairing, RoundBegun, SearchDone
from biographer.daemon.unit_names import unit_name
from biographer.models.chat_model import Unusable
from biographer.models.token_counter import QuarterCounter
from biographer.state.authorship import Authorship
from biographer.state.errors import RefusedError, TransientError
from biographer.state.times import SECOND_US, format_time


def of(events, kind):
    return [one for one in events if isinstance(one, kind)]


def answer_of(events):
    assert isinstance(events[-1], Answered)
    return events[-1].answer


async def test_a_question_goes_through_its_stages_and_its_answer_cites():
    speaker = in_order(
        plan=plan(search("red cup")), judge=judge("l0", "l2"), control=control(), answer=draft("It is back [l2].", "c0")
    )
    events = await asked(speaker, reach_of(kitchen()))
    assert [type(one) for one in events] == [Planned, RoundBegun, SearchDone, Judged, Answering, Answered]
    assert speaker.stages == ["plan", "judge", "control", "answer"]
    answer = answer_of(events)
    assert (answer.status, answer.text, answer.invented) == ("answered", "It is back [l2].", ())
    assert sorted(answer.citations) == ["c0", "l2"]
    assert events[-1].progress.tokens == 40


async def test_the_answer_is_made_from_what_was_kept_and_nothing_else():
    speaker = in_order(
        plan=plan(search("cup bowl soup")), judge=judge("l2"), control=control(), answer=draft("x", "l2")
    )
    await asked(speaker, reach_of(kitchen()))
    judged, answered = (one.text for one in (speaker.asked[1], speaker.asked[3]))
    assert "soup" in judged
    assert "soup" not in answered.partition("⟦evidence⟧")[2]
    assert "back again" in answered
    assert "noted: it shows l2" in answered


async def test_at_most_five_rounds_and_nothing_is_returned_twice():
    speaker = Scripted(
        lambda stage, _: {
            "plan": plan(search("cup")),
            "judge": judge(*(f"l{n}" for n in range(90))),
            "control": control(search("cup")),
            "answer": draft("x", "l1"),
        }[stage]
    )
    clips = [spoken(f"n{n}", 30 * n, f"the cup {n}") for n in range(90)]
    events = await asked(speaker, reach_of(clips), limits=Limits(items=7))
    units = [item.unit for one in of(events, SearchDone) for item in one.searched.found.items]
    assert [one.number for one in of(events, RoundBegun)] == [1, 2, 3, 4, 5]
    assert len(units) == len(set(units)) == 5 * 7
    assert of(events, Answering)[0].reason == "rounds"


async def test_a_round_shares_its_items_among_its_searches():
    clips = [spoken(f"n{n}", 30 * n, f"the cup {n}") for n in range(60)]
    speaker = in_order(plan=plan(*[search("cup")] * 3), judge=judge("l1"), control=control(), answer=draft("x", "l1"))
    events = await asked(speaker, reach_of(clips))
    found = [len(one.searched.found.items) for one in of(events, SearchDone)]
    assert len(found) == 3
    assert sum(found) == 16


async def test_it_answers_after_two_rounds_without_anything_new():
    speaker = in_order(
        plan=plan(search("red cup")),
        judge=[judge("l0"), judge()],
        control=control(search("cup")),
        answer=draft("x", "l0"),
    )
    events = await asked(speaker, reach_of(kitchen()))
    assert of(events, Answering)[0].reason == "nothing_new"
    assert len(of(events, RoundBegun)) == 3


async def test_tokens_and_time_end_the_search():
    say = {"plan": plan(search()), "judge": judge("l0"), "control": control(search()), "answer": draft("x", "l0")}
    costly = Scripted(lambda stage, _: say[stage], tokens=40)
    events = await asked(costly, reach_of(kitchen()), limits=Limits(tokens=100))
    assert of(events, Answering)[0].reason == "tokens"
    slow = Scripted(lambda stage, _: say[stage])
    events = await asked(slow, reach_of(kitchen()), limits=Limits(seconds=100), clock=Ticking(20))
    assert of(events, Answering)[0].reason == "time"
    assert answer_of(events).status == "answered"


async def test_no_model_is_waited_for_beyond_the_time():
    class Endless(Scripted):
        async def fill(self, *_):
            await asyncio.Event().wait()

    events = await asked(Endless(None), reach_of(kitchen()), limits=Limits(seconds=0.05))
    answer = answer_of(events)
    assert (answer.text, "time for a question" in answer.reason) == (None, True)
    assert of(events, SearchDone)[0].searched.found.items


async def test_an_invented_citation_is_asked_for_again_once():
    speaker = in_order(
        plan=plan(search()),
        judge=judge("l0", "l2"),
        control=control(),
        answer=[draft("Yes [l999].", "l999", "o77"), draft("Yes [l2].", "l2")],
    )
    events = await asked(speaker, reach_of(kitchen()))
    answer = answer_of(events)
    assert len(of(events, Repairing)) == 1
    assert (answer.text, list(answer.citations), answer.invented) == ("Yes [l2].", ["l2"], ("l999", "o77"))
    assert "cites what was not among the evidence" in speaker.asked[-1].text


async def test_an_invented_citation_is_never_returned():
    speaker = in_order(
        plan=plan(search()),
        judge=judge("l0"),
        control=control(),
        answer=draft("Yes [l0, o5] and [l999].", "l999", "l1"),
    )
    answer = answer_of(await asked(speaker, reach_of(kitchen())))
    # l1 exists, but was not kept: a number that is guessed is invented, whether or not something has it.
    assert (answer.text, list(answer.citations)) == ("Yes [l0] and.", ["l0"])
    assert set(answer.invented) == {"l999", "l1", "o5"}


async def test_an_answer_that_cites_nothing_is_asked_for_again():
    speaker = in_order(
        plan=plan(search()), judge=judge("l0"), control=control(), answer=[draft("Yes."), draft("Yes.", "l0")]
    )
    events = await asked(speaker, reach_of(kitchen()))
    assert list(answer_of(events).citations) == ["l0"]


async def test_an_empty_answer_is_asked_for_again_and_is_none():
    say = {"plan": plan(search()), "judge": judge("l0"), "control": control()}
    events = await asked(in_order(**say, answer=[draft(" \n"), draft("Yes.", "l0")]), reach_of(kitchen()))
    assert answer_of(events).text == "Yes."
    answer = answer_of(await asked(in_order(**say, answer=[draft(""), draft("")]), reach_of(kitchen())))
    assert (answer.text, answer.reason) == (None, "the model's answer was empty")


async def test_options_are_lettered_and_one_is_chosen():
    speaker = in_order(
        plan=plan(search()),
        judge=judge("l0"),
        control=control(),
        answer=[draft("x", "l0", choice="F"), draft("x", "l0", choice="b")],
    )
    events = await asked(speaker, reach_of(kitchen()), options=("never", "twice"))
    assert answer_of(events).choice == "B"
    assert "A. never\nB. twice" in speaker.asked[0].text
    assert "one letter of AB" in speaker.asked[-1].text


async def test_unknown_and_not_recorded_are_answers():
    then = {"tool": "time", "begin": format_time(200 * SECOND_US), "until": format_time(3000 * SECOND_US)}
    speaker = in_order(plan=plan(then), control=control(), answer=draft("Nothing then.", status="not_recorded"))
    events = await asked(speaker, reach_of(kitchen()))
    assert answer_of(events).status == "not_recorded"
    assert "Nothing was recorded from 1970-01-01T00:03:20Z to 1970-01-01T00:50:00Z." in speaker.asked[-1].text
    speaker = in_order(plan=plan(search()), judge=judge(), control=control(), answer=draft("?", status="not_recorded"))
    # Nothing that was searched shows a gap, so it is not for the model to claim one.
    assert answer_of(await asked(speaker, reach_of(kitchen()))).status == "unknown"


async def test_without_a_model_one_search_is_shown_and_why():
    events = await asked(None, reach_of(kitchen()))
    answer = answer_of(events)
    assert (answer.text, answer.status) == (None, "unknown")
    assert "language.url" in answer.reason
    assert [type(one) for one in events] == [RoundBegun, SearchDone, Answered]
    assert {unit_name(one.item.unit) for one in events[-1].progress.memory.kept} >= {"l0", "l2", "l3"}


@pytest.mark.parametrize("stage", ["plan", "judge", "control", "answer"])
async def test_a_model_that_fails_leaves_the_evidence(stage):
    say = {"plan": plan(search()), "judge": judge("l0"), "control": control(), "answer": draft("x", "l0")}
    for error in (TransientError("endpoint is away"), RefusedError("the key is wrong")):
        events = await asked(in_order(**{**say, stage: error}), reach_of(kitchen()))
        answer = answer_of(events)
        assert (answer.text, answer.reason) == (None, str(error)), stage
        assert events[-1].progress.memory.kept, stage


@pytest.mark.parametrize("stage", ["plan", "judge", "control"])
async def test_a_step_that_is_not_understood_is_left_out(stage):
    say = {"plan": plan(search()), "judge": judge("l0"), "control": control(), "answer": draft("x", "l0")}
    for said in ("no JSON at all", '{"extra": 1}', Unusable("refused", Authorship("m", "p"))):
        events = await asked(in_order(**{**say, stage: said}), reach_of(kitchen()))
        assert answer_of(events).text == "x", (stage, said)


async def test_calls_of_tools_that_are_none_or_with_arguments_that_are_none_never_run():
    bad = (
        {"tool": "shell", "text": "rm"},
        {"tool": "memory", "text": "x", "stream": "other"},
        {"tool": "time", "begin": 5},
    )
    for call in bad:
        speaker = in_order(plan=plan(call), judge=judge("l0"), control=control(), answer=draft("x", "l0"))
        events = await asked(speaker, reach_of(kitchen()))
        assert [one.searched.call.text for one in of(events, SearchDone)] == ["Did the red cup come back?"], call
    # In form but not in sense: the tool refuses, the model is told, nothing ends.
    odd = {"tool": "time", "begin": "yesterday", "until": "now"}
    speaker = in_order(plan=plan(odd), control=control(), answer=draft("x", status="unknown"))
    events = await asked(speaker, reach_of(kitchen()))
    assert "not RFC 3339" in of(events, SearchDone)[0].searched.found.reason
    assert "not RFC 3339" in speaker.asked[-1].text


async def test_as_of_binds_every_step():
    ever = {"tool": "time", "begin": "1970-01-01T00:00:00Z", "until": "1971-01-01T00:00:00Z"}
    say = {
        "plan": plan(search(), {"tool": "transcript", "text": "cup"}, {"tool": "visual", "text": "cup"}),
        "judge": judge(*(f"{letter}{n}" for letter in "lo" for n in range(9))),
        "control": [control({"tool": "biography", "entity": "e0"}), control(ever), control()],
        "answer": draft("x", "l0"),
    }
    whole = in_order(**say)
    until = in_order(**{**say, "control": list(say["control"])})
    then = 95 * SECOND_US
    full = await asked(whole, reach_of(kitchen(), then))
    cut = await asked(until, reach_of([one for one in kitchen() if one.clip.end_us <= then], then))
    assert [one.text for one in whole.asked] == [one.text for one in until.asked]
    assert [item.unit for one in of(full, SearchDone) for item in one.searched.found.items] == [
        item.unit for one in of(cut, SearchDone) for item in one.searched.found.items
    ]
    assert "washing" not in "".join(one.text for one in whole.asked)


async def test_evidence_is_cut_to_its_budget():
    clips = [spoken(f"n{n}", 30 * n, "the cup " + "and more words " * 60) for n in range(40)]
    speaker = in_order(
        plan=plan(search("cup")), judge=judge(*(f"l{n}" for n in range(40))), control=control(), answer=draft("x", "l1")
    )
    await asked(speaker, reach_of(clips), limits=Limits(context_tokens=1000))
    text = speaker.asked[-1].text
    assert "do not fit here" in text
    assert len(text.partition("⟦evidence⟧")[2]) // 4 < 1300


def test_what_is_no_question_is_refused():
    for text, options in (("", ()), ("  ", ()), ("x" * 10_001, ()), ("x", ("one",)), ("x", ("o",) * 27)):
        with pytest.raises(RefusedError):
            Question(text, options)


@pytest.mark.parametrize(("missing", "rest"), [("plan", 3), ("judge", 3), ("control", 3)])
async def test_a_stage_that_nobody_plays_is_left_out(missing, rest):
    speaker = in_order(
        plan=plan(search()), judge=judge("l0"), control=[control(search("bowl")), control()], answer=draft("x", "l0")
    )
    players = {stage: one for stage, one in everywhere(speaker).items() if stage != missing}
    asking = Asking(players, TOOLS, QuarterCounter(), inline, Ticking())
    events = [one async for one in asking.events(Question("red cup?"), Limits(), reach_of(kitchen()))]
    assert answer_of(events).text == "x"
    assert missing not in speaker.stages
    assert len(set(speaker.stages)) == rest
    assert len(of(events, RoundBegun)) == (1 if missing == "control" else 2)


async def test_a_draft_that_is_not_repaired_is_given_without_what_it_invented():
    for failed in (TransientError("away"), "no JSON"):
        speaker = in_order(
            plan=plan(search()), judge=judge("l0"), control=control(), answer=[draft("Yes [l0, l999].", "l0"), failed]
        )
        answer = answer_of(await asked(speaker, reach_of(kitchen())))
        assert (answer.text, list(answer.citations), answer.invented) == ("Yes [l0].", ["l0"], ("l999",))

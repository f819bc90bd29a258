"""`biographer ask` against a served daemon, as a user types it."""

import asyncio
import json
import re

import pytest
from api_rig import SPOKEN, Rig, fill
from click.testing import CliRunner
from questioned import control, draft, everywhere, in_order, judge, plan, search

from biographer.daemon.answerer import Answerer
from biographer.ops.cli import main
from biographer.state.ruling import Act, Word


@pytest.fixture
def rig(tmp_path):
    made = Rig(tmp_path)
    fill(made, "a")
    yield made
    made.close()


async def typed(rig, *arguments):
    """Run the command beside the served API; return its result."""
    async with rig.served_once() as url:
        runner = CliRunner()
        command = ["ask", *arguments, "--url", url]
        return await asyncio.to_thread(lambda: runner.invoke(main, command, env={"COLUMNS": "200"}))


def answering(**draft_of):
    say = {"plan": plan(search(SPOKEN)), "judge": judge("l12"), "control": control(), "answer": draft_of["answer"]}
    return Answerer(everywhere(in_order(**say)))


async def test_an_answer_comes_with_what_it_cites(rig):
    rig.api.ask.answer_by(answering(answer=draft("Ann said it [l12].", "l12", "o999", choice="B")))
    done = await typed(rig, "who said it?", "--options", "Bob", "--options", "Ann")
    assert done.exit_code == 0, done.output
    assert "B. Ann" in done.output
    assert "Ann said it [l12]." in done.output
    assert f"Ann: {SPOKEN} of a" in done.output
    assert "Dropped, for it is not among the evidence: o999" in done.output


async def test_an_answer_that_cites_nothing_says_so(rig):
    """A very small model answered a demo's question with one letter and made-up sources."""
    rig.api.ask.answer_by(answering(answer=draft("Yes.", "o999")))
    assert "do not rely on it" in (await typed(rig, "who said it?")).output
    rig.api.ask.answer_by(answering(answer=draft("Ann said it [l12].", "l12")))
    assert "do not rely on it" not in (await typed(rig, "who said it?")).output


async def test_without_a_model_it_says_what_is_missing_and_shows_the_evidence(rig):
    done = await typed(rig, SPOKEN)
    assert "language.url" in done.output
    assert f"Ann: {SPOKEN} of a" in done.output
    shown = len(re.findall(r"^\[[low][0-9]+\]", done.output, re.MULTILINE))
    assert f"found (the first {shown} of " in done.output


async def test_evidence_of_whom_a_user_named_bears_the_name(rig):
    await rig.obey("a", Word(Act.NAME, "me", 0, name="Aunt Ida"))
    done = await typed(rig, "When did I see Aunt Ida?")
    assert 'e0 "Aunt Ida"' in done.output
    told = json.loads((await typed(rig, "When did I see Aunt Ida?", "--json")).output)
    assert {one["name"] for one in told["evidence"] if one["entity"] == "e0"} == {"Aunt Ida"}


async def test_it_may_not_know(rig):
    rig.api.ask.answer_by(answering(answer=draft("No trace of it.", status="unknown")))
    done = await typed(rig, "what is the code?")
    assert "The memory does not tell." in done.output


async def test_as_json_it_is_the_apis_answer(rig):
    done = await typed(rig, SPOKEN, "--json", "--as-of", "1970-01-01T00:25:00Z")
    found = json.loads(done.stdout)
    assert found["snapshot"]["as_of"] == "1970-01-01T00:25:00Z"
    assert found["answer"] is None


async def test_times_are_those_of_the_streams_zone(tmp_path):
    made = Rig(tmp_path, timezone="Asia/Kathmandu")
    try:
        fill(made, "a")
        done = await typed(made, SPOKEN, "--as-of", "1970-01-01T06:30:00")
        told = json.loads((await typed(made, SPOKEN, "--as-of", "1970-01-01T06:30:00", "--json")).stdout)
    finally:
        made.close()
    assert "as of 1970-01-01T06:30:00+05:30" in done.output
    assert re.search(r"^\[[low][0-9]+\] 1970-01-01T0[56]:[0-9:]{5}\+05:30 to 1970", done.output, re.MULTILINE)
    assert told["snapshot"]["as_of"] == "1970-01-01T01:00:00Z"


async def test_what_is_no_question_is_refused_with_the_reason(rig):
    for arguments, told in ((["x", "--as-of", "noon"], "RFC 3339"), (["x", "--options", "one"], "no choice"),
                            (["x", "--stream", "none"], "unknown"), ([" "], "empty")):  # fmt: skip
        done = await typed(rig, *arguments)
        assert done.exit_code == 2, arguments
        assert told in done.output
    fill(rig, "b", seed=2)
    assert "a, b" in (await typed(rig, "x")).output

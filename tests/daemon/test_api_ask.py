"""Questions over HTTP: one record or events as they happen, citations with their sources, and who may ask."""

import asyncio
import json
import time
from urllib.parse import quote

import httpx
import pytest
from api_rig import ODD, SPOKEN, Rig, fill, filmed, whole_and_cut
from questioned import Scripted, control, draft, everywhere, in_order, judge, plan, search

from biographer.bench.language_server import FOR_EVER, LanguageServer, Play
from biographer.bench.scripted_answers import ScriptedAnswers
from biographer.daemon.answerer import Answerer, answerer_of
from biographer.daemon.ask_section import Ask
from biographer.daemon.language import LanguageModels
from biographer.daemon.language_section import Language
from biographer.daemon.question import Limits
from biographer.models.chat_model import Unusable
from biographer.state.authorship import Authorship
from biographer.state.errors import TransientError
from biographer.state.times import SECOND_US, format_time

PATH = f"/v1/streams/{quote(ODD, safe='')}/ask"
EVENTS = {"accept": "text/event-stream"}


@pytest.fixture
def rig(tmp_path):
    made = Rig(tmp_path)
    fill(made, ODD)
    yield made
    made.close()


def scripted(**changed):
    stages = {
        "plan": plan(search(SPOKEN)),
        "judge": judge("l12", "o9"),
        "control": control(),
        "answer": draft(f"A {SPOKEN} was said [l12].", "c12"),
    }
    return in_order(**{**stages, **changed})


def events_of(text):
    found = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "event" in lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


async def ask(client, status=200, path=PATH, **body):
    answer = await client.post(path, json={"text": f"who said {SPOKEN}?", **body})
    assert answer.status_code == status, answer.text
    return answer.json()


async def test_an_answer_cites_what_exists_and_where_it_is_seen(rig):
    rig.api.ask.answer_by(Answerer(everywhere(scripted())))
    async with rig.client() as client:
        found = await ask(client)
        cited = {one["name"]: one["item"] for one in found["citations"]}
        frame = await client.get(cited["l12"]["frame"])
        snapshot = (await client.get(PATH.removesuffix("/ask"))).json()["snapshot"]
    assert (found["answer"], found["status"], found["invented"]) == (f"A {SPOKEN} was said [l12].", "answered", [])
    assert sorted(cited) == ["c12", "l12"]
    assert frame.headers["content-type"] == "image/jpeg"
    assert found["snapshot"] == snapshot
    assert found["rounds"][0]["searches"][0]["call"] == {"tool": "memory", "arguments": {"text": SPOKEN}}
    assert "l12" in [one["unit"] for one in found["evidence"]]


async def test_events_tell_what_happens_and_end_with_the_same_answer(rig):
    async with rig.client() as client:
        rig.api.ask.answer_by(Answerer(everywhere(scripted())))
        whole = await ask(client)
        rig.api.ask.answer_by(Answerer(everywhere(scripted())))
        told = await client.post(PATH, json={"text": f"who said {SPOKEN}?"}, headers=EVENTS)
    assert told.headers["content-type"].startswith("text/event-stream")
    events = events_of(told.text)
    assert [name for name, _ in events] == ["snapshot", "plan", "round", "search", "judged", "answering", "answer"]
    found = dict(events)
    assert found["search"]["items"][0]["unit"] == "l12"
    assert found["judged"]["kept"][0] == "l12"
    for one in (whole, found["answer"]):
        del one["took_ms"]
    assert found["answer"] == whole


async def test_without_a_model_the_evidence_comes_with_what_is_missing(rig):
    async with rig.client() as client:
        found = await ask(client)
    assert (found["answer"], found["status"]) == (None, "unknown")
    assert "language.url" in found["reason"]
    assert found["evidence"][0]["unit"] == "l12"


async def test_a_model_that_is_away_leaves_the_evidence(rig):
    rig.api.ask.answer_by(Answerer(everywhere(scripted(judge=TransientError("the endpoint is away")))))
    async with rig.client() as client:
        found = await ask(client)
    assert (found["answer"], found["reason"]) == (None, "the endpoint is away")
    assert found["evidence"]


async def test_what_is_no_question_is_refused(rig):
    async with rig.client() as client:
        for body in ({"text": ""}, {"text": "  "}, {"text": "x" * 10_001}, {"options": ["one"]}, {"stream": "x"},
                     {"options": ["x"] * 27}, {"as_of": "2026-01-01T00:00:00"}, {"text": 5}):  # fmt: skip
            await ask(client, 400, **body)
        for path in ("/v1/streams/none/ask",):
            problem = await ask(client, 404, path=path)
            assert problem["title"] == "Not Found"
            told = await client.post(path, json={"text": "x"}, headers=EVENTS)
            assert (told.status_code, told.headers["content-type"]) == (404, "application/problem+json")


async def test_a_stream_that_one_may_not_see_is_never_asked(rig):
    fill(rig, "b", seed=2)
    speaker = scripted()
    rig.api.ask.answer_by(Answerer(everywhere(speaker)))
    async with rig.client(rig.token(streams=("b",))) as client:
        for headers in ({}, EVENTS):
            hidden = await client.post(PATH, json={"text": SPOKEN}, headers=headers)
            unknown = await client.post("/v1/streams/none/ask", json={"text": SPOKEN}, headers=headers)
            assert (hidden.status_code, unknown.status_code) == (404, 404)
            assert hidden.json()["detail"].replace(repr(ODD), "") == unknown.json()["detail"].replace("'none'", "")
        seen = await ask(client, path="/v1/streams/b/ask")
    assert seen["answer"]
    texts = "".join(one.text for one in speaker.asked)
    assert f"{SPOKEN} of b" in texts
    assert ODD not in texts
    assert ODD not in json.dumps(seen)
    async with rig.client() as client:
        assert (await client.post(PATH, json={"text": "x"})).status_code == 401
    async with rig.client(rig.token("write", name="w")) as client:
        assert (await client.post(PATH, json={"text": "x"})).status_code == 403


@pytest.mark.parametrize("cut", [4, 9, 12])
async def test_as_of_answers_as_the_log_cut_at_that_time_would(tmp_path, cut):
    as_of, whole, until = whole_and_cut(tmp_path, cut)
    say = {
        "plan": plan(search("word"), {"tool": "visual", "text": "bowl"}),
        "judge": judge(*(f"{kind}{n}" for kind in "lo" for n in range(40))),
        "answer": draft("x [l1]", *(f"{kind}{n}" for kind in "lo" for n in range(0, 40, 3))),
    }
    answers, texts = [], []
    for one in (whole, until):
        more = [control({"tool": "biography", "entity": "e0"}), control(search("cup")), control()]
        speaker = in_order(**say, control=more)
        one.api.ask.answer_by(Answerer(everywhere(speaker)))
        async with one.client() as client:
            answers.append(await ask(client, as_of=format_time(as_of)))
        texts.append([asked.text for asked in speaker.asked])
    for answer in answers:
        del answer["took_ms"]
        for item in (*answer["evidence"], *(one["item"] for one in answer["citations"])):
            item["score"] = round(item["score"], 6)
    assert texts[0] == texts[1]
    assert answers[0] == answers[1]
    assert answers[0]["citations"]
    whole.close()
    until.close()


async def test_rounds_keep_to_one_snapshot_while_the_memory_grows(rig):
    versions = []

    def says(stage, _):
        rig.apply(ODD, filmed(ODD, len(versions) + 1, 3000.0 + 10 * len(versions)))
        versions.append(stage)
        return {"plan": plan(search(SPOKEN)), "judge": judge("l12"), "control": control(search(SPOKEN)),
                "answer": draft("x", "l12", "l13")}[stage]  # fmt: skip

    rig.api.ask.answer_by(Answerer(everywhere(Scripted(says))))
    async with rig.client() as client:
        found = await ask(client)
    assert found["snapshot"]["version"] == 13
    assert not {f"l{n}" for n in range(13, 40)} & {one["unit"] for one in found["evidence"]}
    assert found["invented"] == ["l13"]


class Endless:
    """A model that never answers, and notes when it is no longer waited for."""

    def __init__(self):
        self.begun, self.left = asyncio.Event(), asyncio.Event()

    async def fill(self, *_):
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.left.set()


@pytest.mark.parametrize("headers", [{}, EVENTS])
async def test_a_client_that_goes_away_cancels_what_is_asked_for_it(rig, headers):
    """Cancellation within a second, over a real socket, whatever form of answer was asked for."""
    for _ in range(3):
        endless = Endless()
        rig.api.ask.answer_by(Answerer(everywhere(endless), at_once=1))
        async with rig.served_once() as url, httpx.AsyncClient(base_url=url) as client:
            asking = asyncio.create_task(client.post(PATH, json={"text": SPOKEN}, headers=headers))
            await endless.begun.wait()
            busy = await client.post(PATH, json={"text": SPOKEN}, headers=headers)
            assert busy.status_code == 503
            asking.cancel()
            async with asyncio.timeout(1):
                await endless.left.wait()


@pytest.mark.parametrize("headers", [{}, EVENTS])
async def test_of_many_that_come_in_one_moment_only_so_many_are_answered(rig, headers):
    """A breaker's find: all of 50 were let in before the first was counted."""
    endless = Endless()
    rig.api.ask.answer_by(Answerer(everywhere(endless), at_once=2))
    async with rig.served_once() as url, httpx.AsyncClient(base_url=url, timeout=30) as client:
        asking = [asyncio.create_task(client.post(PATH, json={"text": SPOKEN}, headers=headers)) for _ in range(30)]
        async with asyncio.timeout(20):
            while sum(one.done() for one in asking) < 28:
                await asyncio.wait([one for one in asking if not one.done()], return_when=asyncio.FIRST_COMPLETED)
        assert all("most at once" in one.result().text for one in asking if one.done())
        for one in asking:
            one.cancel()


async def test_the_first_event_comes_before_any_model_answers(rig):
    endless = Endless()
    rig.api.ask.answer_by(Answerer(everywhere(endless)))
    async with (
        rig.served_once() as url,
        httpx.AsyncClient(base_url=url) as client,
        client.stream("POST", PATH, json={"text": SPOKEN}, headers=EVENTS) as told,
    ):
        async for line in told.aiter_lines():
            assert line == "event: snapshot"
            break


async def test_a_stream_that_waits_says_that_it_is_there(rig, monkeypatch):
    endless = Endless()
    monkeypatch.setattr(rig.api.ask, "_quiet_s", 0.01)
    rig.api.ask.answer_by(Answerer(everywhere(endless)))
    async with (
        rig.served_once() as url,
        httpx.AsyncClient(base_url=url) as client,
        client.stream("POST", PATH, json={"text": SPOKEN}, headers=EVENTS) as told,
    ):
        async for line in told.aiter_lines():
            if line == ": still here":
                break
    async with asyncio.timeout(1):
        await endless.left.wait()


async def test_the_answering_model_is_shown_frames_of_the_evidence(rig):
    speaker = scripted()
    rig.api.ask.answer_by(Answerer(everywhere(speaker), Limits(frames=3)))
    async with rig.client() as client:
        await ask(client)
    pictures = [part for one in speaker.asked for turn in one.turns for part in turn.parts if not isinstance(part, str)]
    # Of the evidence only the film's clip is kept; it fills what it may.
    assert 1 <= len(pictures) <= 3
    assert all(one.file.startswith(b"\xff\xd8\xff") for one in pictures)
    assert "Frames, in this order: [l12] 1970-01-01T00:33:20" in speaker.asked[-1].text


async def test_a_model_that_does_not_see_is_asked_again_without_frames(rig):
    def says(stage, request):
        if any(not isinstance(part, str) for turn in request.turns for part in turn.parts):
            return Unusable("400: this model takes no images", Authorship("m", "p"))
        return {"plan": plan(search(SPOKEN)), "judge": judge("l12"), "control": control(), "answer": draft("x", "l12")}[
            stage
        ]

    speaker = Scripted(says)
    rig.api.ask.answer_by(Answerer(everywhere(speaker)))
    async with rig.client() as client:
        assert (await ask(client))["answer"] == "x"
        assert (await ask(client))["answer"] == "x"
    assert speaker.stages.count("answer") == 3


async def test_as_of_then_is_named(rig):
    async with rig.client() as client:
        found = await ask(client, as_of=format_time(1500 * SECOND_US))
    assert found["snapshot"]["as_of"] == "1970-01-01T00:25:00Z"
    assert all(one["unit"] != "l12" for one in found["evidence"])


def models_at(url):
    return LanguageModels(
        Language(url=url, model="small"), clock=time.monotonic, random=lambda: 0.5, wall=lambda: 1_000_000.0
    )


@pytest.mark.parametrize("headers", [{}, EVENTS])
@pytest.mark.parametrize("stage", range(4))
async def test_a_client_that_goes_away_ends_the_request_to_the_endpoint(rig, headers, stage):
    """Over two real sockets, at whatever stage the question is: the endpoint sees its asker go within a second."""
    answers = ScriptedAnswers(1, 5)

    def until(asked):
        return Play(delay_s=FOR_EVER) if len(language.asked) > stage else answers(asked)

    async with LanguageServer(until) as language:
        models = models_at(language.url)
        rig.api.ask.answer_by(answerer_of(Ask(), models))
        async with rig.served_once() as url, httpx.AsyncClient(base_url=url) as client:
            asking = asyncio.create_task(client.post(PATH, json={"text": SPOKEN}, headers=headers))
            async with asyncio.timeout(20):
                while len(language.asked) <= stage:
                    language.arrived.clear()
                    await language.arrived.wait()
            asking.cancel()
            async with asyncio.timeout(1):
                await language.left.wait()
        await models.close()


async def test_an_endpoint_answers_over_its_own_protocol(rig):
    async with LanguageServer(ScriptedAnswers(2, 5)) as language:
        models = models_at(language.url)
        rig.api.ask.answer_by(answerer_of(Ask(), models))
        async with rig.client() as client:
            found = await ask(client)
        await models.close()
    assert (found["answer"], len(found["rounds"])) == ("So it was.", 2)
    assert len(found["citations"]) == 3
    assert found["tokens"] > 500
    # Plan, a judge for each of two rounds, a controller after each, and the answer.
    assert len(language.asked) == 6

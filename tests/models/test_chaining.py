"""Chains: what a window adds, and what it cannot."""

import json
from datetime import UTC

import msgspec
from language_rig import language
from sightings import us

from biographer.bench.language_server import Play
from biographer.models.chaining import MOST_TOPICS, ChainsForm, Chapter, Chronicler, Extended, chaining, extended
from biographer.models.chat_model import ChatModel, Filled
from biographer.models.prompt import load_prompt
from biographer.models.told_texts import TimedText
from biographer.state.authorship import Authorship
from biographer.state.stretch import Stretch
from biographer.state.unwritten import Unwritten

WINDOW = Stretch("3min", us(0), us(180), us(185), ("c0", "c1"))
TEXTS = tuple(TimedText(us(30 * at), us(30 * at + 30), f"text {at}", (f"c{at}",)) for at in range(2))
CHAPTER = Chapter(WINDOW, TEXTS, ("the blue cup", "Anna"), {7: "Baking bread: the dough is set aside."})


def answered(facts=(), steps=()):
    form = msgspec.json.decode(json.dumps({"facts": facts, "steps": steps}), type=ChainsForm)
    return extended(CHAPTER, Filled(form, Authorship("small", "chain@x"), None))


def test_facts_and_steps_have_chains_clips_and_times():
    found = answered(
        [{"topic": 1, "text": "The blue cup is washed.", "rows": [2]}],
        [
            {"event": 7, "title": "Baking bread", "text": "The bread goes into the oven.", "rows": [1, 2]},
            {"event": None, "title": "Planning a trip", "text": "Anna asks about trains.", "rows": [2]},
        ],
    )
    assert isinstance(found, Extended)
    (fact,) = found.facts
    assert (fact.key, fact.clips, fact.start_us, fact.known_us) == ("blue cup", ("c1",), us(30), us(185))
    assert [(one.event, one.clips) for one in found.steps] == [(7, ("c0", "c1")), (None, ("c1",))]
    assert {one.end_us for one in found.steps} == {us(60)}


def test_nothing_without_a_time_a_topic_or_an_event_that_was_shown():
    found = answered(
        [
            {"topic": 1, "text": "Timeless.", "rows": []},
            {"topic": 3, "text": "Of nobody.", "rows": [1]},
            {"topic": 0, "text": "Of nobody.", "rows": [1]},
        ],
        [
            {"event": 8, "title": "x", "text": "Of an unknown event.", "rows": [1]},
            {"event": None, "title": " ", "text": "Without a title.", "rows": [1]},
            {"event": 7, "title": "", "text": "Nowhere.", "rows": [5]},
        ],
    )
    assert (found.facts, found.steps) == ((), ())


def test_the_request_is_bounded_however_long_the_recording():
    chapter = Chapter(WINDOW, TEXTS, tuple(f"topic {n}" for n in range(500)), {n: f"event {n}" for n in range(500)})
    request = chaining(chapter, load_prompt("chain"), "Jake", UTC)
    assert f"{MOST_TOPICS}. topic" in request.text
    assert f"{MOST_TOPICS + 1}. topic" not in request.text
    assert len(request.text) < 10_000


async def test_the_whole_way_through_an_endpoint():
    async with language() as (server, client, _):
        chronicler = Chronicler(ChatModel(client, "small"), load_prompt("chain"), "Jake", UTC)
        assert await chronicler.extend(CHAPTER) == Extended(WINDOW, (), ())
        server.play(Play(refusal="no"))
        assert isinstance(await chronicler.extend(CHAPTER), Unwritten)

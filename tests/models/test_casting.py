"""Casting: a name only where the model is sure, says why, and nothing seen contradicts it."""

import json

import msgspec
import pytest
from language_rig import language
from sightings import us

from biographer.bench.language_server import Play
from biographer.models.casting import (
    CastForm,
    CastingDirector,
    Ensemble,
    ProfilesForm,
    cast,
    casting,
    profiled,
    profiling,
)
from biographer.models.chat_model import ChatModel, Filled, Unusable
from biographer.models.prompt import load_prompt
from biographer.state.authorship import Authorship
from biographer.state.episode import LOCAL
from biographer.state.line import Line, LineKind
from biographer.state.stretch import Stretch
from biographer.state.unwritten import Unwritten

CLIP = Stretch(LOCAL, us(60), us(90), us(90), ("c2",))
LINES = (Line(us(61), us(63), LineKind.SPEECH, "hello Anna", "Bo"), Line(us(89), us(95), LineKind.SPEECH, "later"))
PEOPLE = {1: (b"one", b"two"), 2: (b"three",), 5: (b"five",)}
ENSEMBLE = Ensemble(CLIP, PEOPLE, {"Anna": "grey coat", "Bo": ""}, LINES, frozenset({(1, 2)}))
AUTHOR = Authorship("small", "cast@x")


def person(number, name, *, sure=True, evidence="line 1"):
    return {"number": number, "name": name, "clothing": "grey coat", "evidence": evidence, "sure": sure}


def names(*people):
    form = msgspec.json.decode(json.dumps({"people": people}), type=CastForm)
    return {one.track: one.name for one in cast(ENSEMBLE, Filled(form, AUTHOR, None), "Jake")}


def test_the_request_shows_all_together_and_nothing_that_follows():
    request = casting(ENSEMBLE, load_prompt("cast"), "Jake")
    assert request.pictures == 4
    for words in ("Number 5:", "| Anna: grey coat", "| Bo: not noted", "| 1 and 2", "hello Anna"):
        assert words in request.text
    assert "later" not in request.text


def test_sure_names_are_kept():
    assert names(person(1, "Anna"), person(2, "Bo"), person(5, None)) == {1: "Anna", 2: "Bo", 5: None}


@pytest.mark.parametrize(
    "one",
    [
        person(5, "Anna", sure=False), person(5, "Anna", evidence="None."), person(5, "me"), person(5, "Jake"),
        person(5, "Somebody"), person(5, "unknown"),
    ],
)  # fmt: skip
def test_a_name_without_certainty_or_reason_or_the_wearers_is_left_open(one):
    assert names(one) == {5: None}


def test_one_name_for_two_seen_apart_is_nobodys():
    """mem0ai/mem0#5438, ByteDance-Seed/m3-agent#18: a name merges nobody who was seen at two places at once."""
    assert names(person(1, "Anna"), person(2, "anna"), person(5, "Bo")) == {1: None, 2: None, 5: "Bo"}
    assert names(person(1, "Anna"), person(5, "Anna")) == {1: "Anna", 5: "Anna"}


def test_people_that_were_not_shown_or_come_twice_are_left_out():
    assert names(person(9, "Anna"), person(5, "Bo"), person(5, "Anna")) == {5: "Bo"}


def test_profiles_are_of_those_that_notes_were_given_of():
    notes = {"Anna": ["grey coat", "grey coat, red scarf"], "Bo": ["blue shirt"]}
    assert "| Anna: grey coat, red scarf" in profiling(notes, load_prompt("profile")).text
    given = [
        {"name": "anna", "clothing": "grey coat", "shared": ""},
        {"name": "Anna", "clothing": "again", "shared": ""},
        {"name": "Cleo", "clothing": "x", "shared": ""},
        {"name": "Bo", "clothing": " ", "shared": ""},
    ]
    form = msgspec.json.decode(json.dumps({"profiles": given}), type=ProfilesForm)
    (profile,) = profiled(notes, us(0), us(500), Filled(form, AUTHOR, None))
    assert (profile.name, profile.clothing, profile.day_us, profile.known_us) == ("Anna", "grey coat", us(0), us(500))


async def test_the_whole_way_through_an_endpoint():
    async with language() as (server, client, _):
        prompts = (load_prompt("cast"), load_prompt("profile"))
        director = CastingDirector(ChatModel(client, "small"), *prompts, "Jake")
        assert await director.cast(ENSEMBLE) == ()
        assert await director.profile({"Anna": ["coat"]}, 0, us(90)) == ()
        server.play(Play(refusal="no"), Play(refusal="no"))
        assert isinstance(await director.cast(ENSEMBLE), Unwritten)
        assert isinstance(await director.profile({"Anna": ["coat"]}, 0, us(90)), Unusable)

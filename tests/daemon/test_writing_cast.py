"""Casting beside a real pipeline: who is asked about, what is shown of them, and whom it names for readers."""

import json
from dataclasses import replace
from itertools import count

import numpy as np
from daemon_doubles import ListSource, until
from writing_rig import hashes, pieces, remarks, section, sent, writing

from biographer.bench.language_server import LanguageServer, Play
from biographer.state.cut import cut_of
from biographer.state.unwritten import Unwritten

CLIPS = 24
"""Of 10 s: a window of 10 minutes closes with the 20th."""

CASTER = {"model": "", "models": {"caster": "small"}}


def peopled(count=CLIPS, first=0):
    """Clips in which both subjects are people, the same two each time."""
    return [replace(one, tracks=tuple(person(two) for two in one.tracks)) for one in sent(count, first=first)]


def person(track):
    looks = np.zeros(16, np.float32)
    looks[track.track] = 1.0
    return replace(track, label="person", embedding=looks)


def director(asked):
    """Takes everybody whose number is even for Jake, in a red coat; profiles are of whom there are notes."""
    form = json.dumps(asked.body["response_format"])
    if "profiles" in form:
        return Play(text=json.dumps({"profiles": [{"name": "Jake", "clothing": "a red coat", "shared": ""}]}))
    people = [
        {"number": number, "name": "Jake", "clothing": "red coat", "evidence": "line 1", "sure": number % 2 == 0}
        for number in (0, 1)
    ]
    return Play(text=json.dumps({"people": people}))


def asked_about(server, what):
    return [one.text for one in server.asked if what in json.dumps(one.body["response_format"])]


async def test_people_are_cast_and_named_and_what_they_wear_is_shown_later(tmp_path):
    source = ListSource()
    async with LanguageServer(director) as server:
        source.send(peopled())
        async with writing(tmp_path, source, section(server.url, **CASTER)) as (rig, _):
            await until(lambda: (pieces(rig).count("cast"), pieces(rig).count("profiles")) == (CLIPS, 1), 0.01)
            path = rig.folder.stream("anna").store.database.path
            with cut_of(path, "anna") as cut:
                assert set(cut.standing.names.values()) == {"Jake"}
            with cut_of(path, "anna", 1_005_000_000) as cut:
                assert cut.standing.names == {}
        casts = asked_about(server, "evidence")
        assert len(casts) == CLIPS
        assert len(asked_about(server, "shared")) == 1
        assert all("0 and 1" in one for one in casts)
        # Known from the close of their window on, and not before.
        assert sum("Jake: a red coat" in one for one in casts) == 4
    (profile,) = remarks(tmp_path, "profile")
    assert (profile.name, profile.day_us, profile.known_us) == ("Jake", 0, 1_200_000_000)
    assert len([one for one in remarks(tmp_path, "casting") if one.name == "Jake"]) == CLIPS


async def test_where_nobody_is_seen_nobody_is_asked(tmp_path):
    source = ListSource()
    async with LanguageServer(director) as server:
        source.send(
            [
                *sent(3),
                *(replace(one, tracks=tuple(replace(two, crop=None) for two in one.tracks)) for one in peopled(3, 3)),
            ]
        )
        async with writing(tmp_path, source, section(server.url, **CASTER)) as (rig, _):
            await until(lambda: pieces(rig).count("cast") == 3, 0.01)
        assert server.asked == []


async def test_what_no_model_can_say_is_kept_and_holds_nothing_up(tmp_path):
    source = ListSource()
    async with LanguageServer(lambda _: Play(text="no form")) as server:
        source.send(peopled())
        async with writing(tmp_path, source, section(server.url, **CASTER)) as (rig, _):
            await until(lambda: (pieces(rig).count("cast"), pieces(rig).count("profiles")) == (CLIPS, 1), 0.01)
    found = remarks(tmp_path, "unwritten")
    assert {one.writing for one in found} == {"cast"}
    assert all(isinstance(one, Unwritten) for one in found)


async def test_who_is_cast_does_not_depend_on_how_fast_a_model_is(tmp_path):
    """Nor on a restart: profiles are read that a clip waited for, whatever else is there by then."""
    found = []
    for path, delays in ((tmp_path / "even", (0.0,)), (tmp_path / "uneven", (0.03, 0.0, 0.01))):
        turns, source = count(), ListSource()

        def script(asked, turns=turns, delays=delays):
            return replace(director(asked), delay_s=delays[next(turns) % len(delays)])

        async with LanguageServer(script) as server:
            source.send(peopled(18))
            async with writing(path, source, section(server.url, concurrency=3, **CASTER)) as (rig, _):
                await source.committed()
                await until(lambda rig=rig: pieces(rig).count("cast") >= 9, 0.001)
            source.send(peopled(6, first=18))
            async with writing(path, source, section(server.url, concurrency=3, **CASTER)) as (rig, _):
                await until(lambda rig=rig: pieces(rig).count("cast") == CLIPS, 0.01)
        found.append(hashes(path))
    assert found[0] == found[1]

"""Searches end to end over small recordings, and over what users and recordings may throw at them."""

import threading

import numpy as np
import pytest
from recordings import WORDS, meaning, remembered, told
from sightings import us

from biographer.state.errors import RefusedError
from biographer.state.folder import StateFolder
from biographer.state.graph import NodeKind
from biographer.state.query import Query, Unit
from biographer.state.search import search
from biographer.state.search_settings import SearchSettings
from biographer.state.view import View
from biographer.state.views import Views

ODD = [
    "",
    "   ",
    "???",
    '"cup',
    "cup AND NOT (",
    "* OR 1=1 --",
    "☕🧑‍🍳",
    "أين الكوب",
    "杯子在哪里",
    "\x00\ud7ff",
    "x" * 10_000,
]

HOUSE = [
    told("c0", 0, ("Anna", "Where is the red cup?"), "milk on the table", things=[(0, 0, "cup"), (4, 1, "person")]),
    told("c1", 30, "the garden door opens", things=[(0, 1, "person")]),
    told("c2", 60, ("Ben", "my phone rings"), things=[(0, 2, "phone")]),
    told("c3", 4000, "the red cup is back", things=[(0, 0, "cup")]),
]


def ask(text, recording=HOUSE, settings=None, as_of=None, **filters):
    memory = remembered(recording)
    vector = meaning(text) if text.strip() else None
    return search(View(memory.index, as_of), Query(text, vector, **filters), settings or SearchSettings())


def names(found):
    return [item.clip for item in found.items]


def test_the_best_episode_comes_first_with_its_source():
    found = ask("garden door")
    assert (found.items[0].clip, found.items[0].scale, found.items[0].start_us) == ("c1", "local", us(30))
    assert {"text", "lexical"} & set(found.items[0].channels)
    assert found.watermark_us == us(4030)


def test_a_biography_is_entered_by_one_sighting_and_left_by_another():
    """GEB section 3.4: a clip that says nothing of a cup is found through the cup that was seen in it."""
    alone = told("c9", 9000, "rain outside", things=[(0, 0, "cup")])
    found = ask("Where is the red cup?", [*HOUSE, alone], limit=40)
    assert {item.clip for item in found.items if item.entity == 0} == {"c0", "c3", "c9"}


@pytest.mark.parametrize("question", ODD)
def test_odd_questions_get_an_answer_or_a_reason(question):
    found = ask(question)
    assert found.items or found.reason == "no_seeds"


@pytest.mark.parametrize("words", [one for one in ODD if one.strip()])
def test_odd_recordings_are_searched_like_others(words):
    found = ask("red cup", [told("c0", 0, words, things=[(0, 0, words[:50])]), *[HOUSE[1], HOUSE[3]]])
    assert "c3" in names(found)


def test_nothing_that_fits_is_an_empty_result_with_its_reason():
    """(rustworkx) empty or zero seeds raise "failed to converge"."""
    for recording in ([], [told("c0", 0)], [told("c0", 0, "milk", vectors=False)]):
        found = search(View(remembered(recording).index), Query("zebra"), SearchSettings())
        assert (found.items, found.reason) == ((), "no_seeds")


def test_filters_keep_to_labels_entities_speakers_and_times():
    assert set(names(ask("red cup", label="PHONE"))) == {"c2"}
    assert set(names(ask("red cup", entity=0))) == {"c0", "c3"}
    assert set(names(ask("red cup", speaker="anna"))) == {"c0"}
    assert set(names(ask("red cup", between_us=(us(3000), us(5000))))) == {"c3"}
    assert ask("red cup", speaker="nobody").reason == "no_seeds"


def test_a_time_alone_reads_out_what_was_recorded_then_in_order():
    found = ask("", between_us=(us(20), us(70)), limit=2)
    assert (names(found), found.further, found.reason) == (["c0", "c1"], 1, None)
    assert ask("", between_us=(us(5000), us(5001))).reason == "empty"


def test_what_the_caller_has_is_not_returned_again_and_entities_have_a_limit():
    first = ask("red cup", limit=2)
    again = ask("red cup", limit=10, exclude=frozenset(one.unit for one in first.items))
    assert not {one.unit for one in first.items} & {one.unit for one in again.items}
    many = [told(f"c{n}", 30 * n, "cup", things=[(0, 0, "cup")]) for n in range(12)]
    seen = [one for one in ask("cup", many, limit=24).items if one.unit.kind == NodeKind.OBSERVATION]
    assert len(seen) == 3


def test_places_that_no_kind_wants_are_filled_by_the_others():
    """Of eight places three are observations'; four episodes are all there are."""
    items = ask("red cup", limit=8).items
    assert [one.unit.kind for one in items].count(NodeKind.EPISODE) == 4
    assert len(items) == 8
    assert [one.score for one in items] == sorted((one.score for one in items), reverse=True)
    kinds = {one.unit.kind for one in ask("red cup", limit=20).items}
    assert NodeKind.WINDOW not in kinds


def test_coarse_episodes_come_where_they_are_asked_for_and_once_they_are_closed():
    wide = SearchSettings(windows={"3min": 0.5, "10min": 0.5, "1h": 0.5})
    scales = {one.scale for one in ask("red cup", settings=wide, limit=20).items}
    assert {"3min", "10min", "1h"} <= scales
    assert "1h" not in {one.scale for one in ask("red cup", settings=wide, limit=20, as_of=us(90)).items}


def test_a_picture_finds_what_looks_alike():
    view = View(remembered(HOUSE).index)
    looks = np.array([1.0 if view.label(n) == "phone" else 0.0 for n in range(view.observations.count)])
    found = search(view, Query(image=meaning("picture")), SearchSettings(), looks)
    best = found.items[0]
    assert (best.label or best.clip) in ("phone", "c2")
    assert any("visual" in one.channels for one in found.items)


@pytest.mark.parametrize("wrong", [{"text": "x" * 10_001}, {"limit": 0}, {"limit": 1001}, {"between_us": (2, 1)}])
def test_what_no_memory_could_answer_is_refused_with_the_remedy(wrong):
    with pytest.raises(RefusedError):
        Query(**wrong)


def test_unknown_units_to_leave_out_do_no_harm():
    """facebookresearch/faiss#4656: a number stands for one thing, or for none."""
    units = frozenset(Unit(kind, number) for kind in NodeKind for number in (-1, 10**9))
    assert names(ask("red cup", exclude=units)) == names(ask("red cup"))


def test_a_restart_with_nothing_new_searches_at_once(tmp_path, rule):
    """OSU-NLP-Group/HippoRAG#94."""
    query = Query("red cup", meaning("red cup"))
    folder = StateFolder(tmp_path, rule)
    for perceived in HOUSE:
        folder.stream("wearer").apply(perceived)
    before = search(View(folder.stream("wearer").memory.index), query, SearchSettings())
    folder.close()
    again = StateFolder(tmp_path, rule)
    after = search(View(again.stream("wearer").memory.index), query, SearchSettings())
    again.close()
    assert after == before
    assert before.items


def test_readers_beside_the_writer_see_one_snapshot_each():
    """langchain-ai/langgraph#2119: eight readers under full ingest."""
    recording = [
        told(f"c{n}", 30.0 * n, f"{WORDS[n % 10]} {WORDS[n % 7]} cup", things=[(0, n % 4, "cup")]) for n in range(120)
    ]
    memory = remembered(recording[:1])
    views, query = Views(memory.index), Query("cup door", meaning("cup door"), limit=8)
    answers, faults, done = {}, [], threading.Event()

    def read():
        while not done.is_set():
            found = search(views.at(), query, SearchSettings())
            if answers.setdefault(found.version, found) != found:
                faults.append(found.version)

    readers = [threading.Thread(target=read) for _ in range(8)]
    for reader in readers:
        reader.start()
    for perceived in recording[1:]:
        memory.adopt(memory.plan(perceived))
    done.set()
    for reader in readers:
        reader.join()
    assert not faults
    for version, found in list(answers.items())[:: max(1, len(answers) // 10)]:
        assert search(View(remembered(recording[:version]).index), query, SearchSettings()) == found


def test_a_stretch_that_ends_before_it_starts_is_refused_in_times_that_people_read():
    with pytest.raises(RefusedError, match="between 1970-01-01T00:01:00Z and 1970-01-01T00:00:30Z: the end lies"):
        Query("cup", between_us=(us(60), us(30)))

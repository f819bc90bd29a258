"""The suite that every tool must pass, on one memory, and what each finds. A new tool joins CALLS."""

import msgspec
import pytest
from questioned import kitchen, memory_of, reach_of, spoken
from sightings import seen

from biographer.daemon.controller import decision_type
from biographer.daemon.planner import plan_type
from biographer.daemon.search_tools import MemoryTool, search_tools
from biographer.daemon.tools import Bounds, Reach, Toolbox, call_name, call_words
from biographer.daemon.unit_names import shown, unit_name
from biographer.models.form import read_form, schema_of
from biographer.state.errors import RefusedError
from biographer.state.looks import looks_of
from biographer.state.times import SECOND_US
from biographer.state.view import View

BOX = Toolbox(search_tools())
EVER = {"begin": "1970-01-01T00:00:00Z", "until": "1970-01-02T00:00:00Z"}

CALLS = [
    {"tool": "memory", "text": "the cup"},
    {"tool": "memory", "text": "cup", "label": "cup", "entity": "e0", **EVER},
    {"tool": "transcript", "text": "cup"},
    {"tool": "transcript", "text": "cup", "speaker": "ann", **EVER},
    {"tool": "visual", "text": "a cup"},
    {"tool": "visual", "text": "a cup", "label": "cup", **EVER},
    {"tool": "time", **EVER},
    {"tool": "biography", "entity": "e0"},
    {"tool": "biography", "entity": "e0", **EVER},
    {"tool": "relations", "source": "ann"},
    {"tool": "relations", "target": "cup", "kind": "uses", "target_kind": "object", "entity": "e0", **EVER},
]


def call_of(values):
    return msgspec.convert(values, BOX.call_type)


@pytest.fixture(scope="module")
def clips():
    more = [
        spoken(f"n{n}", 120 + 30 * n, f"the cup {n}", observations=[seen(0, (1, 0.1, 0, 0), 121 + 30 * n)])
        for n in range(30)
    ]
    return kitchen(*more)


@pytest.fixture(scope="module")
def reach(clips):
    return reach_of(clips, related=True)


@pytest.mark.parametrize("values", CALLS, ids=lambda values: values["tool"])
class TestEveryTool:
    def test_finds_within_its_bounds_what_is_there(self, reach, values):
        found = BOX.search(reach, call_of(values), Bounds(5))
        assert 0 < len(found.items) <= 5
        assert len({one.unit for one in found.items}) == len(found.items)
        assert all(shown(reach.view, unit_name(one.unit)) and one.text for one in found.items)
        assert found.reason is None

    def test_says_the_same_again(self, reach, values):
        assert BOX.search(reach, call_of(values), Bounds(7)) == BOX.search(reach, call_of(values), Bounds(7))

    def test_never_returns_what_was_returned(self, reach, values):
        had = frozenset()
        for _ in range(40):
            found = BOX.search(reach, call_of(values), Bounds(9, had))
            units = {one.unit for one in found.items}
            assert not units & had
            had |= units
            if not units:
                break
        assert found.items == ()

    def test_sees_nothing_later_than_its_view(self, clips, values):
        then = 95 * SECOND_US
        full = BOX.search(reach_of(clips, then, related=True), call_of(values), Bounds(99))
        short = [one for one in clips if one.clip.end_us <= then]
        cut = BOX.search(reach_of(short, then, related=True), call_of(values), Bounds(99))
        assert [one.unit for one in full.items] == [one.unit for one in cut.items]
        assert all(one.known_us <= then for one in full.items)

    def test_finds_nothing_in_an_empty_memory(self, values):
        found = BOX.search(reach_of([]), call_of(values), Bounds(5))
        assert found.items == ()
        assert found.reason

    def test_is_told_of_by_name_and_arguments(self, values):
        call = call_of(values)
        assert {"tool": call_name(call), **call_words(call)} == values

    def test_takes_no_argument_that_it_does_not_know(self, values):
        for more in ({"limit": 9999}, {"stream": "other"}, {"as_of": "2030-01-01T00:00:00Z"}):
            with pytest.raises(msgspec.ValidationError):
                call_of({**values, **more})


def units(reach, **values):
    return [unit_name(one.unit) for one in BOX.search(reach, call_of(values), Bounds(50)).items]


def test_the_transcript_is_searched_by_who_speaks():
    reach = reach_of([spoken("a", 0, "the key is here"), spoken("b", 30, "the key is gone", speaker="Bob")])
    assert units(reach, tool="transcript", text="key", speaker="Bob") == ["l1"]
    assert units(reach, tool="transcript", text="key", speaker="Eve") == []


def test_the_visual_tool_returns_sightings_alone(reach):
    assert {name[0] for name in units(reach, tool="visual", text="a cup")} == {"o"}


def test_sightings_are_found_by_looking_like_one():
    clips = kitchen()
    memory = memory_of(clips)
    view = View(memory.index)
    reach = Reach(view, lambda _: None, looks=lambda number: looks_of(view, memory.galleries, number))
    names = units(reach, tool="visual", like="o0")
    assert set(names[:3]) == {"o0", "o2", "o3"}
    refused = BOX.search(reach, call_of({"tool": "visual", "like": "o99"}), Bounds(5))
    assert "describe it in words" in refused.reason
    then = View(memory.index, 95 * SECOND_US)
    early = Reach(then, lambda _: None, looks=lambda number: looks_of(then, memory.galleries, number))
    assert "refused" in BOX.search(early, call_of({"tool": "visual", "like": "o3"}), Bounds(5)).reason
    assert set(units(early, tool="visual", like="o0")[:2]) == {"o0", "o2"}


def test_relations_are_told_before_the_episode_that_they_were_read_from(reach):
    found = BOX.search(reach, call_of({"tool": "relations", "source": "Ann", "text": "washing"}), Bounds(3))
    assert all(one.text.splitlines()[0].endswith("Ann uses red cup (e0)") for one in found.items[:1])
    assert {one.channels for one in found.items} == {("relations",)}
    assert BOX.search(reach, call_of({"tool": "relations", "source": "Bob"}), Bounds(3)).reason == "empty"


def test_a_biography_is_read_in_order_of_time(reach):
    names = units(reach, tool="biography", entity="e0")
    assert names == sorted(names, key=lambda name: int(name[1:]))
    assert len(names) > 10


def test_a_time_without_recording_is_a_gap(reach):
    empty = {"tool": "time", "begin": "1970-01-01T00:30:00Z", "until": "1970-01-01T00:40:00Z"}
    found = BOX.search(reach, call_of(empty), Bounds(5))
    assert (found.reason, found.gap) == ("empty", (1800 * SECOND_US, 2400 * SECOND_US))
    assert BOX.search(reach, call_of({"tool": "time", **EVER}), Bounds(5)).gap is None


@pytest.mark.parametrize(
    "values",
    [
        {"tool": "time", "begin": "noon", "until": "then"},
        {"tool": "time", "begin": "1970-01-02T00:00:00Z", "until": "1970-01-01T00:00:00Z"},
        {"tool": "time", "begin": "1970-01-01T00:00:00", "until": "1970-01-01T01:00:00"},
        {"tool": "memory", "text": "x", "begin": "1970-01-02T00:00:00Z", "until": "1970-01-01T00:00:00Z"},
        {"tool": "biography", "entity": "e999"},
        {"tool": "relations", "entity": "e999"},
    ],
)
def test_what_has_no_sense_is_refused_with_the_reason(reach, values):
    found = BOX.search(reach, call_of(values), Bounds(5))
    assert found.items == ()
    assert found.reason.startswith("refused: ")


def test_two_tools_of_one_name_are_refused():
    with pytest.raises(RefusedError):
        Toolbox([MemoryTool(), MemoryTool()])


def test_forms_take_calls_of_the_tools_there_are_and_no_others():
    few = Toolbox([MemoryTool()])
    for made in (plan_type(few, 2), decision_type(few, 2)):
        rest = {"steps": []} if made.__name__ == "Plan" else {"missing": "", "action": "search"}
        form = read_form(msgspec.json.encode({**rest, "searches": [{"tool": "memory", "text": "x"}]}).decode(), made)
        assert form.searches[0].text == "x"
        for bad in ([{"tool": "time", **EVER}], [{"tool": "memory", "text": "x"}] * 3):
            with pytest.raises(msgspec.ValidationError):
                read_form(msgspec.json.encode({**rest, "searches": bad}).decode(), made)
        assert "memory" in msgspec.json.encode(schema_of(made)).decode()

"""Whom castings name: as every reader sees it, as of then, after a restart, and under all that was seen and said."""

from contextlib import closing

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from remarks import amendment, cast_as
from sightings import LEFT, RIGHT, STREAM, clip, seen, us

from biographer.state.clip import Clip
from biographer.state.cut import cut_of
from biographer.state.errors import RefusedError
from biographer.state.folder import StateFolder
from biographer.state.query import Query
from biographer.state.reader import Reader
from biographer.state.recalled_entities import apart_from, entities
from biographer.state.recalled_numbers import numbers, numbers_of_view
from biographer.state.recalled_observations import FIRST, biography
from biographer.state.rule import Rule, Thresholds
from biographer.state.ruling import Act, Word
from biographer.state.search import search
from biographer.state.search_settings import SearchSettings
from biographer.state.state_hash import state_hash
from biographer.state.stream import Stream
from biographer.state.verify import verdict
from biographer.state.view import View

RULE = Rule(references=3, thresholds={"": Thresholds(0.5, 0.75)})
JAKE, TASHA, OTHER = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def shown(stream, looks, at, box=LEFT):
    """One person in a clip of its own; the clip's number."""
    stream.apply(clip(f"at {at}", at, seen(0, looks, at, label="person", box=box)))
    return len(stream.memory.clips) - 1


def cast(stream, number, *names):
    """What a model might say of a clip's people, by track."""
    record = Clip(STREAM, list(stream.memory.clips)[number], *stream.memory.clip_spans[number])
    stream.amend(amendment(cast_as(number, record, *names)))


def read(stream, find, as_of=None):
    with cut_of(stream.folder / "memory.db", STREAM, as_of) as cut:
        return find(cut)


def named(stream, as_of=None):
    return dict(read(stream, lambda cut: cut.standing.names, as_of))


def members(stream, as_of=None):
    """By entity, its observations, as the records show them and as the index does, which agree."""

    def listed(cut):
        return {one.entity: [row.number for row in biography(cut, one.entity, FIRST, 99)] for one in entities(cut)}

    recalled, view = read(stream, listed, as_of), View(stream.memory.index, as_of)
    seen_there = {}
    for number in view.observations.numbers().tolist():
        if view.entity_of[number] >= 0:
            seen_there.setdefault(int(view.entity_of[number]), []).append(number)
    assert {entity: sorted(found) for entity, found in recalled.items()} == seen_there
    for entity, found in seen_there.items():
        assert sorted(view.members(np.array([entity]))[0].tolist()) == found
    assert read(stream, numbers, as_of) == numbers_of_view(view)
    assert dict(view.standing.names) == named(stream, as_of)
    return seen_there


@pytest.fixture
def jake(stream: Stream) -> Stream:
    """Jake with and without his coat, two entities by looks, each cast as him twice."""
    for at, looks in enumerate([JAKE, TASHA, JAKE, TASHA]):
        cast(stream, shown(stream, looks, 30 * at), "Jake")
    return stream


def test_the_command_line_lists_a_person_under_the_name_that_castings_gave(jake: Stream):
    with closing(Reader(jake.folder.parents[1], STREAM)) as reader:
        assert [(one.entity, one.name, one.observations) for one in reader.entities()] == [(0, "Jake", 4)]
        assert [one.entity for one in reader.biography(0)] == [0] * 4


def test_to_look_up_one_whose_fragments_are_joined_reads_no_others(jake: Stream):
    """At a week's scale a biography took 1.6 s, and whom an entity was seen apart from 15: all members, each time."""
    sought = """
      EXPLAIN QUERY PLAN SELECT m.entity, m.cause FROM observation o LEFT JOIN membership m ON m.observation = o.number
        AND m.version = (SELECT max(version) FROM membership WHERE observation = o.number) WHERE o.number = 3
    """
    steps = [row[3] for row in read(jake, lambda cut: cut.rows(sought))]
    assert "SEARCH temp.fragment USING INTEGER PRIMARY KEY (rowid=?)" in steps
    assert not [step for step in steps if "MATERIALIZE" in step or "SCAN" in step]


def test_fragments_of_one_person_are_one_wherever_they_are_read(jake: Stream):
    before = state_hash(jake.store)
    assert members(jake) == {0: [0, 1, 2, 3]}
    assert named(jake) == {0: "Jake"}
    assert read(jake, lambda cut: cut.standing.owner(1)) == 0
    assert shown(jake, TASHA, 120) == 4
    assert members(jake) == {0: [0, 1, 2, 3, 4]}
    found = search(View(jake.memory.index), Query("where was Jake"), SearchSettings())
    assert {one.entity for one in found.items if one.entity is not None} == {0}
    assert before != state_hash(jake.store)
    assert verdict(jake.store, jake.memory).faults == ()


def test_what_castings_say_is_no_part_of_what_the_clips_made(stream: Stream, folder: StateFolder):
    other = folder.stream("plain")
    for at, looks in enumerate([JAKE, TASHA, JAKE, TASHA]):
        cast(stream, shown(stream, looks, 30 * at), "Jake")
        other.apply(clip(f"at {30 * at}", 30 * at, seen(0, looks, 30 * at, label="person"), stream="plain"))
    assert state_hash(stream.store) == state_hash(other.store)
    assert stream.memory.entity_of[:].tolist() == [0, 1, 0, 1]


def test_as_of_a_time_only_castings_of_then_name(jake: Stream):
    assert members(jake, us(120)) == {0: [0, 1, 2, 3]}
    assert members(jake, us(119)) == {0: [0, 2], 1: [1]}
    assert named(jake, us(119)) == {0: "Jake"}
    assert named(jake, us(89)) == {}


def test_a_later_sight_of_both_at_once_parts_them_and_takes_the_name_from_both(jake: Stream):
    people = (
        seen(n, looks, 120, label="person", box=box) for n, (looks, box) in enumerate([(JAKE, LEFT), (TASHA, RIGHT)])
    )
    jake.apply(clip("both", 120, *people))
    assert members(jake) == {0: [0, 2, 4], 1: [1, 3, 5]}
    assert named(jake) == {}
    assert members(jake, us(120)) == {0: [0, 1, 2, 3]}


def test_a_user_who_says_that_they_are_two_is_heeded(jake: Stream):
    """mem0ai/mem0#5438: one name makes no one of two that a user says are two, however often they are called so."""
    jake.obey(Word(Act.APART, "me", 0, 1))
    assert members(jake) == {0: [0, 2], 1: [1, 3]}
    cast(jake, shown(jake, TASHA, 120), "Jake")
    assert set(members(jake)) == {0, 1}
    jake.obey(Word(Act.UNDO, "me", undoes=0))
    assert members(jake) == {0: [0, 1, 2, 3, 4]}


def test_splitting_off_a_fragment_holds_it_apart(jake: Stream):
    """Whoever looks at Jake sees one entity, and splits off what is not he."""
    made = jake.obey(Word(Act.SPLIT, "me", 0, observations=(1, 3)))
    assert (made.ruling.act, made.ruling.entity, made.ruling.other) == (Act.APART, 0, 1)
    assert set(members(jake)) == {0, 1}


def test_splitting_off_a_part_of_a_fragment_begins_another(jake: Stream):
    made = jake.obey(Word(Act.SPLIT, "me", 0, observations=(3,)))
    assert (made.ruling.entity, made.ruling.other) == (1, 2)
    found = members(jake)
    assert [3] in found.values()
    with pytest.raises(RefusedError, match="o0 is not of entity e1"):
        jake.obey(Word(Act.SPLIT, "me", 1, observations=(0,)))


def test_a_users_name_stands_over_the_cast_and_undone_gives_way_to_it(jake: Stream):
    jake.obey(Word(Act.NAME, "me", 1, name="Tasha"))
    assert named(jake) == {0: "Jake", 1: "Tasha"}
    assert set(members(jake)) == {0, 1}
    jake.obey(Word(Act.UNDO, "me", undoes=0))
    assert named(jake) == {0: "Jake"}
    jake.obey(Word(Act.NAME, "me", 1, name="jake"))
    assert members(jake) == {1: [0, 1, 2, 3]}


def test_a_person_is_apart_from_whom_a_fragment_of_theirs_is(jake: Stream):
    people = (
        seen(n, looks, 120, label="person", box=box) for n, (looks, box) in enumerate([(TASHA, LEFT), (OTHER, RIGHT)])
    )
    jake.apply(clip("both", 120, *people))
    assert read(jake, lambda cut: apart_from(cut, 0)) == (2,)
    with closing(Reader(jake.folder.parents[1], STREAM)) as reader:
        assert {one.entity: one.apart for one in reader.entities()} == {0: (2,), 2: (0,)}


names = st.sampled_from(["Jake", "Tasha", None])


@st.composite
def histories(draw):
    """Clips of one or two people each, who are cast anyhow and in any order, with users' words between."""
    count = draw(st.integers(2, 8))
    clips = [draw(st.lists(st.sampled_from([JAKE, TASHA, OTHER]), min_size=1, max_size=2)) for _ in range(count)]
    castings = draw(st.permutations([(n, draw(st.tuples(names, names))) for n in range(count)]))
    waits = [draw(st.integers(0, 3)) for _ in range(count)]
    number = st.integers(0, 4)
    act = st.sampled_from([Act.MERGE, Act.APART, Act.NAME, Act.UNDO])
    words = draw(st.lists(st.tuples(st.integers(0, count - 1), act, number, number), max_size=3))
    return clips, castings, waits, words


def made(folder, history, upto=None):
    """A stream after as many clips; castings come once their clip is there, some of them much later."""
    clips, castings, waits, words = history
    stream = folder.stream(STREAM)
    upto = len(clips) if upto is None else upto
    for number, people in enumerate(clips[:upto]):
        boxes = (LEFT, RIGHT) if number % 2 else (LEFT, LEFT)
        subjects = [seen(n, looks, 30 * number, label="person", box=boxes[n]) for n, looks in enumerate(people)]
        stream.apply(clip(f"c{number}", 30 * number, *subjects))
        for told in (told for told in castings if told[0] + waits[told[0]] == number):
            cast(stream, told[0], *told[1][: len(clips[told[0]])])
        for _, act, one, other in (word for word in words if word[0] == number):
            try:
                stream.obey(Word(act, "me", one, other, name="Jake", undoes=one))
            except RefusedError:
                continue
    for number, told in castings:
        if number < upto <= number + waits[number]:
            cast(stream, number, *told[: len(clips[number])])
    return stream


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(history=histories(), data=st.data())
def test_whatever_is_cast_in_which_order(tmp_path_factory, history, data):
    """Never one of two who were seen apart or said to be; as of then as cut then; and alike after a restart."""
    root = tmp_path_factory.mktemp("cast")
    full = StateFolder(root / "full", RULE)
    stream = made(full, history)
    found = members(stream)
    entity_of = {number: entity for entity, own in found.items() for number in own}
    for low, high in stream.store.select("SELECT low_observation, high_observation FROM apart"):
        assert entity_of[low] != entity_of[high]
    for low, high in stream.memory.standing.apart:
        assert not read(stream, lambda cut: cut.standing.owner(low) == cut.standing.owner(high))  # noqa: B023
    assert verdict(stream.store, stream.memory).faults == ()
    upto = data.draw(st.integers(1, len(history[0])))
    short = StateFolder(root / "short", RULE)
    cut, moment = made(short, history, upto), us(30 * upto)
    assert (members(stream, moment), named(stream, moment)) == (members(cut), named(cut))
    short.close()
    full.close()
    again = StateFolder(root / "full", RULE)
    assert members(again.stream(STREAM)) == found
    again.close()

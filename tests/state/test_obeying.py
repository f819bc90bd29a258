"""A user's word: what it changes, that it holds for what comes after, and that nothing was decided by it before."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sightings import LEFT, RIGHT, STREAM, clip, recording, seen

from biographer.state.cut import cut_of
from biographer.state.errors import RefusedError, TransientError
from biographer.state.folder import StateFolder
from biographer.state.memory import NO_ENTITY
from biographer.state.reader import Reader
from biographer.state.recalled_clips import changes_after
from biographer.state.recalled_entities import apart_from, entities, entities_of_text
from biographer.state.recalled_numbers import numbers, numbers_of_view
from biographer.state.rule import Rule, Thresholds
from biographer.state.ruling import Act, Word
from biographer.state.state_hash import state_hash
from biographer.state.stream import Stream
from biographer.state.verify import verdict
from biographer.state.view import View

RULE = Rule(references=3, thresholds={"": Thresholds(0.5, 0.75)})
CUP, BOWL, JAR = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def merge(entity, other):
    return Word(Act.MERGE, "me", entity, other)


def split(entity, *observations):
    return Word(Act.SPLIT, "me", entity, observations=observations)


def apart(entity, other):
    return Word(Act.APART, "me", entity, other)


def undo(number):
    return Word(Act.UNDO, "me", undoes=number)


def name(entity, told):
    return Word(Act.NAME, "me", entity, name=told)


def entity_of(stream, observation=-1):
    return int(stream.memory.entity_of[:][observation])


def shown(stream, looks, at, **how):
    stream.apply(clip(f"at {at}", at, seen(0, looks, at, **how)))
    return entity_of(stream)


def references(memory):
    return {
        int(entity): gallery.references_of(int(entity)).observations
        for gallery in memory.galleries.values()
        for entity in gallery.entities
        if gallery.references_of(int(entity)).observations
    }


def test_after_a_merge_what_looks_like_either_is_the_one(stream: Stream):
    assert [shown(stream, CUP, 0), shown(stream, BOWL, 30), shown(stream, JAR, 60)] == [0, 1, 2]
    stream.obey(merge(0, 1))
    assert stream.memory.entity_of[:].tolist() == [0, 0, 2]
    assert [shown(stream, BOWL, 90), shown(stream, CUP, 120), shown(stream, JAR, 150)] == [0, 0, 2]
    stream.obey(undo(0))
    assert stream.memory.entity_of[:].tolist() == [0, 1, 2, 1, 0, 2]
    assert shown(stream, BOWL, 180) == 1


def test_what_is_apart_from_one_face_of_an_entity_is_not_taken_for_its_other(stream: Stream):
    """The separation veto goes for the whole entity: both of its looks in one view are two things."""
    shown(stream, CUP, 0)
    shown(stream, BOWL, 30)
    stream.obey(merge(0, 1))
    stream.apply(clip("both", 60, seen(0, CUP, 60, box=LEFT), seen(1, BOWL, 60, box=RIGHT)))
    assert stream.memory.entity_of[:].tolist()[2:] == [0, 2]


def test_a_split_holds_for_what_comes_after(stream: Stream):
    near, far = (1.0, 0.3, 0.0), (1.0, -0.3, 0.0)
    assert {shown(stream, looks, 30 * n) for n, looks in enumerate([near, far, near, far])} == {0}
    ruled = stream.obey(split(0, 1, 3))
    assert ruled.ruling.other == 1
    assert stream.memory.entity_of[:].tolist() == [0, 1, 0, 1]
    assert [shown(stream, far, 200), shown(stream, near, 230)] == [1, 0]
    with pytest.raises(RefusedError, match="e0 and e1: ruling 0 says that they are two; undo that ruling first"):
        stream.obey(merge(0, 1))
    stream.obey(undo(0))
    assert set(stream.memory.entity_of[:].tolist()) == {0}


def test_not_the_same_said_by_a_user_holds(stream: Stream):
    """mem0ai/mem0#5438: no likeness and no later word makes one of two that a user said are two."""
    shown(stream, CUP, 0)
    shown(stream, BOWL, 30)
    shown(stream, JAR, 60)
    stream.obey(apart(0, 1))
    stream.obey(merge(2, 1))
    with pytest.raises(RefusedError, match="ruling 0 says that they are two"):
        stream.obey(merge(0, 2))
    assert apart_of(stream, 0) == (2,)
    assert shown(stream, BOWL, 90) == 2


def test_what_was_seen_apart_is_never_merged(stream: Stream):
    stream.apply(clip("both", 0, seen(0, CUP, 0, box=LEFT), seen(1, BOWL, 0, box=RIGHT)))
    shown(stream, JAR, 30)
    with pytest.raises(RefusedError, match=r"e0 and e1 were seen apart in the same frames \(o0, o1\)"):
        stream.obey(merge(0, 1))
    stream.obey(merge(2, 0))
    with pytest.raises(RefusedError, match="were seen apart"):
        stream.obey(merge(1, 2))
    assert apart_of(stream, 2) == (1,)


def apart_of(stream, entity, as_of=None):
    with cut_of(stream.folder / "memory.db", STREAM, as_of) as cut:
        return apart_from(cut, entity)


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        (merge(0, 0), "given twice"),
        (merge(0, 9), "e9 is not known"),
        (split(0, 0), "nothing would be left"),
        (split(0), "name at least one"),
        (split(0, 1), "o1 is not of entity e0"),
        (name(0, "  "), "give 1 to 200 printable"),
        (name(0, "a\x1b[0m"), "printable"),
        (undo(0), "ruling 0 is not known"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(stream: Stream, word, reason):
    shown(stream, CUP, 0)
    shown(stream, BOWL, 30)
    before = state_hash(stream.store)
    with pytest.raises(RefusedError, match=reason):
        stream.obey(word)
    assert (state_hash(stream.store), stream.version) == (before, 2)


def test_who_is_one_with_another_is_named_in_the_refusal(stream: Stream):
    shown(stream, CUP, 0)
    shown(stream, BOWL, 30)
    stream.obey(merge(0, 1))
    with pytest.raises(RefusedError, match="e1 is one with e0 by a ruling; name e0"):
        stream.obey(name(1, "Jake"))
    stream.obey(undo(0))
    with pytest.raises(RefusedError, match="ruling 0 was undone already"):
        stream.obey(undo(0))


@st.composite
def histories(draw):
    """A recording, and after some of its clips words that may or may not be refused."""
    clips = recording(draw(st.integers(0, 2**16)), draw(st.integers(2, 9)), spread=0.4)
    number = st.integers(0, 9)
    word = st.one_of(
        st.builds(merge, number, number),
        st.builds(apart, number, number),
        st.builds(split, number, number, number),
        st.builds(split, number, number),
        st.builds(name, number, st.sampled_from(["Jake", "Tasha"])),
        st.builds(undo, st.integers(0, 5)),
    )
    return [(one, draw(st.lists(word, max_size=3))) for one in clips]


def lived(stream: Stream, history):
    """Apply a history; a split of what is not the entity's own is one of what is."""
    for perceived, words in history:
        stream.apply(perceived)
        for word in words:
            try:
                stream.obey(fitting(stream, word))
            except RefusedError:
                continue


def fitting(stream, word):
    if word.act is not Act.SPLIT:
        return word
    members = np.flatnonzero(stream.memory.entity_of[:] == word.entity).tolist()
    return split(word.entity, *(members[one % len(members)] for one in word.observations if members))


slow_to_make = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@slow_to_make
@given(histories())
def test_rulings_survive_a_restart_and_agree_with_all_that_is_derived(tmp_path_factory, history):
    folder = StateFolder(tmp_path_factory.mktemp("state"), RULE)
    stream = folder.stream(STREAM)
    lived(stream, history)
    live = stream.memory
    assert verdict(stream.store, live).faults == ()
    hashed, shown_live = state_hash(stream.store), table(View(live.index))
    kept = (live.entity_of[:].tolist(), live.look_of[:].tolist(), references(live), live.standing, live.version)
    folder.close()
    folder = StateFolder(folder.path, RULE)
    again = folder.stream(STREAM)
    memory = again.memory
    assert verdict(again.store, memory).faults == ()
    assert state_hash(again.store) == hashed
    assert table(View(memory.index)) == shown_live
    assert (
        memory.entity_of[:].tolist(),
        memory.look_of[:].tolist(),
        references(memory),
        memory.standing,
        memory.version,
    ) == kept
    folder.close()


def table(view: View):
    """Members of every entity, by the view's own way to them; checked against its column."""
    asked = np.arange(view.extent.entities)
    found, places = view.members(asked)
    members = {int(one): sorted(found[places == one].tolist()) for one in asked}
    assert members == {int(one): np.flatnonzero(view.entity_of == one).tolist() for one in asked}
    return members, dict(view.standing.names), view.version


@slow_to_make
@given(histories())
def test_as_of_a_time_only_rulings_given_by_then_hold(tmp_path_factory, history):
    folder = StateFolder(tmp_path_factory.mktemp("state"), RULE)
    stream = folder.stream(STREAM)
    then = {}
    for perceived, words in sorted(history, key=lambda one: one[0].clip.end_us):
        lived(stream, [(perceived, words)])
        view = View(stream.memory.index)
        then[stream.memory.known_us] = (view.entity_of.tolist(), listed(view), seen_by_store(stream))
    for known_us, told in then.items():
        view = View(stream.memory.index, known_us)
        assert (view.entity_of.tolist(), listed(view), seen_by_store(stream, known_us)) == told
    folder.close()


def listed(view):
    members, names, _ = table(view)
    return {one: found for one, found in members.items() if found}, names


def seen_by_store(stream, as_of=None):
    with cut_of(stream.folder / "memory.db", STREAM, as_of) as cut:
        return [(one, apart_from(cut, one.entity)) for one in entities(cut)]


@slow_to_make
@given(histories(), st.data())
def test_what_is_undone_at_once_leaves_the_memory_as_it_was(tmp_path_factory, history, data):
    folder = StateFolder(tmp_path_factory.mktemp("state"), RULE)
    stream = folder.stream(STREAM)
    lived(stream, history)
    memory = stream.memory
    before = (memory.entity_of[:].tolist(), memory.look_of[:].tolist(), references(memory), memory.standing.names)
    known = sorted(set(memory.entity_of[:].tolist()) - {NO_ENTITY}) or [0]
    one, other = data.draw(st.sampled_from(known)), data.draw(st.sampled_from(known))
    members = np.flatnonzero(memory.entity_of[:] == one).tolist()
    for word in (merge(one, other), apart(one, other), name(one, "Anna"), split(one, *members[:1])):
        try:
            ruled = stream.obey(word)
        except RefusedError:
            continue
        stream.obey(undo(ruled.ruling.number))
        after = (memory.entity_of[:].tolist(), memory.look_of[:].tolist(), references(memory), memory.standing.names)
        assert after == before
    folder.close()


def test_every_reader_tells_the_same(stream: Stream):
    """The store's readers, beside the daemon and for its API, and the view: by observations, not by their looks."""
    stream.apply(clip("both", 0, seen(0, CUP, 0, box=LEFT), seen(1, BOWL, 0, box=RIGHT)))
    shown(stream, JAR, 30)
    stream.obey(merge(2, 0))
    stream.obey(name(2, "Jar"))
    reader = Reader(stream.folder.parent.parent, STREAM)
    told = {one.entity: (one.observations, one.apart, one.name) for one in reader.entities()}
    reader.close()
    assert told == {2: (2, (1,), "Jar"), 1: (1, (2,), None)}
    with cut_of(stream.folder / "memory.db", STREAM) as cut:
        assert {one.entity: (one.observations, apart_from(cut, one.entity)) for one in entities(cut)} == {
            2: (2, (1,)),
            1: (1, (2,)),
        }
        assert numbers(cut) == numbers_of_view(View(stream.memory.index))
        assert numbers(cut).entities == 2
        assert entities_of_text(cut, "a cup") == {1, 2}
    shown(stream, CUP, 60)
    with cut_of(stream.folder / "memory.db", STREAM) as cut:
        assert [one.entities for one in changes_after(cut, 0, 9)] == [(0, 1), (2,), (2,)]


def test_a_disk_that_refuses_leaves_all_as_it_was(stream: Stream, monkeypatch):
    shown(stream, CUP, 0)
    shown(stream, BOWL, 30)

    def full(_):
        raise TransientError("disk full")

    with monkeypatch.context() as patched:
        patched.setattr(stream.store, "obey", full)
        with pytest.raises(TransientError):
            stream.obey(merge(0, 1))
    assert (stream.memory.entity_of[:].tolist(), stream.version) == ([0, 1], 2)
    assert stream.obey(merge(0, 1)).version == 3
    assert verdict(stream.store, stream.memory).faults == ()


def test_the_veto_goes_for_looks_of_another_embedder_too(stream: Stream):
    shown(stream, CUP, 0)
    shown(stream, BOWL, 30, embedder="other")
    stream.obey(merge(0, 1))
    late = clip("late", 30, seen(1, CUP, 30, box=RIGHT))
    stream.apply(late)
    assert stream.memory.entity_of[:].tolist() == [0, 0, 2]

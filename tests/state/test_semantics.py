"""Names and facts as nodes: in the memory's graph, in the walk, and for each reader as of his time."""

from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from dense import matrix, solved
from hypothesis import given, settings
from hypothesis import strategies as st
from recordings import WORDS, meaning, remembered, told
from remarks import AUTHOR, amend, amendment, cast_as, described, named, related, written
from sightings import STREAM, us

from biographer.state.ablation import Ablation
from biographer.state.cut import cut_of
from biographer.state.eligible import Eligible
from biographer.state.errors import RefusedError
from biographer.state.graph import EdgeKind, Node, NodeKind
from biographer.state.ground import ground
from biographer.state.name import Mention, NameKind
from biographer.state.nodes import Nodes
from biographer.state.piece import Piece
from biographer.state.push import walk
from biographer.state.query import Query, Unit
from biographer.state.recalled_semantics import semantics_of
from biographer.state.relevance import Relevance
from biographer.state.restore import restore
from biographer.state.rule import Rule, Thresholds
from biographer.state.ruling import Act, Ruled, Ruling, Word
from biographer.state.search import search
from biographer.state.search_settings import SearchSettings
from biographer.state.seeds import Seed, seeds
from biographer.state.semantic_graph import SemanticGraph
from biographer.state.stream import Stream
from biographer.state.stretch import Stretch
from biographer.state.triple import Triple
from biographer.state.verify import verdict, verify
from biographer.state.view import View
from biographer.state.views import Views

RULE = Rule(thresholds={"": Thresholds(0.5, 0.75)})
KINDS = (NodeKind.NAME, NodeKind.FACT)


def few(clips=8):
    """Clips of half a minute, each with the same cup and a word of its own."""
    return [told(f"c{n}", 30.0 * n, WORDS[n % 10], things=[(0, 0, "cup")]) for n in range(clips)]


def stretch(clips, known=240.0):
    return Stretch("3min", 0, us(180), us(known), tuple(clips))


def mentioned(name, *clips, known=240.0, place=0):
    one = stretch(clips, known)
    remark = Mention(one, AUTHOR, name, NameKind.PERSON, clips, 0, us(30))
    return written(replace(Piece.of_stretch("names", one, -1), place=place), clips, remark)


def stated(subject, relation, thing, *clips, known=240.0, place=0):
    one = stretch(clips, known)
    remark = Triple(one, AUTHOR, subject, relation, thing, clips, us(30), us(60))
    return written(replace(Piece.of_stretch("facts", one, -1), place=place), clips, remark)


def beside(memory, node):
    return {(other, edge.kind, edge.known_us) for other, edge in memory.graph.neighbours(node)}


def name(number):
    return Node(NodeKind.NAME, number)


# What the graph holds.


def test_a_name_is_one_node_however_it_is_written():
    memory = remembered(few())
    amend(memory, mentioned("Anna", "c0", "c1"), mentioned(" the  ANNA ", "c1", "c2", known=250.0, place=1))
    assert memory.graph.counts()["name"] == 1
    assert beside(memory, name(0)) == {
        (Node(NodeKind.EPISODE, 0), EdgeKind.MENTIONED_IN, us(240)),
        (Node(NodeKind.EPISODE, 1), EdgeKind.MENTIONED_IN, us(240)),
        (Node(NodeKind.EPISODE, 2), EdgeKind.MENTIONED_IN, us(250)),
    }


def test_a_fact_is_one_node_known_since_it_was_first_told_and_tied_to_its_subject_and_object():
    memory = remembered(few())
    amend(memory, stated("Anna", "repairs", "the bicycle", "c1", known=250.0))
    amend(memory, stated("anna", "Repairs", "bicycle", "c1", "c3", known=240.0, place=1))
    assert memory.graph.counts()["fact"] == 1
    assert beside(memory, Node(NodeKind.FACT, 0)) == {
        (Node(NodeKind.EPISODE, 1), EdgeKind.MENTIONED_IN, us(240)),
        (Node(NodeKind.EPISODE, 3), EdgeKind.MENTIONED_IN, us(240)),
        (name(0), EdgeKind.HAS_PROPERTY, us(240)),
        (name(1), EdgeKind.HAS_PROPERTY, us(240)),
    }


def test_who_was_pointed_at_appeared_in_the_clip():
    memory, recording = remembered(few()), few()
    amend(memory, related(2, recording[2].clip, "Anna", "cup", track=0), cast_as(3, recording[3].clip, "Ben"))
    clips = {
        (Node(NodeKind.CLIP, 2), EdgeKind.APPEARED_IN, us(90)),
        (Node(NodeKind.CLIP, 3), EdgeKind.APPEARED_IN, us(120)),
    }
    assert {
        one for number in range(3) for one in beside(memory, name(number)) if one[1] == EdgeKind.APPEARED_IN
    } == clips
    assert (Node(NodeKind.EPISODE, 2), EdgeKind.MENTIONED_IN, us(90)) in beside(memory, name(1))


def test_an_episode_and_its_clip_are_of_one_time():
    memory = remembered(few(2))
    assert (Node(NodeKind.CLIP, 1), EdgeKind.CO_CLIP, None) in beside(memory, Node(NodeKind.EPISODE, 1))
    assert memory.graph.counts()["co_clip"] == 2


@pytest.fixture
def stream(tmp_path):
    with closing(Stream(STREAM, tmp_path, RULE)) as opened:
        for one in few():
            opened.apply(one)
        yield opened


def bearers(stream):
    return {other.number for other, kind, _ in beside(stream.memory, name(0)) if other.kind == NodeKind.ENTITY}


def test_entities_bear_the_names_that_users_gave_them_last(stream):
    stream.apply(told("other", 240.0, "milk", things=[(0, 3, "jar")]))
    stream.obey(Word(Act.NAME, "me", 1, name="Anna"))
    assert stream.memory.graph.counts()["name"] == 0, "a name that nothing else ties is no node"
    stream.amend(amendment(mentioned("Anna", "c0")))
    assert bearers(stream) == {1}
    stream.obey(Word(Act.MERGE, "me", 0, 1))
    assert bearers(stream) == {0}
    assert verdict(stream.store, stream.memory).faults == ()
    stream.obey(Word(Act.UNDO, "me", undoes=1))
    stream.obey(Word(Act.NAME, "me", 1, name="Zoe"))
    assert bearers(stream) == set()
    assert verdict(stream.store, stream.memory).faults == ()


def test_a_graph_that_lacks_what_a_remark_ties_is_found_out(stream):
    stream.amend(amendment(mentioned("Anna", "c0", "c1")))
    stream.memory.graph.untie(name(0), Node(NodeKind.EPISODE, 1))
    faults = verdict(stream.store, stream.memory).faults
    assert faults == (
        "graph: 1 x mentioned_in, the remarks say 2",
        "graph: name 0 is not tied to episode 1",
    )


# Grown is as made anew.

pieces = st.tuples(
    st.sampled_from(["mention", "fact", "relation", "cast"]),
    st.integers(0, 7),
    st.sampled_from(WORDS),
    st.sampled_from(WORDS),
    st.sampled_from([240.0, 250.0, 260.0]),
)


def made(number, piece):
    kind, clip, one, other, known = piece
    record = few()[clip].clip
    if kind == "mention":
        return mentioned(one, f"c{clip}", f"c{(clip + 3) % 8}", known=known, place=number)
    if kind == "fact":
        return stated(one, "meets", other, f"c{clip}", known=known, place=number)
    if kind == "relation":
        return related(clip, record, one, other, track=clip % 2 or None)
    return cast_as(clip, record, one)


def graph_of(graph):
    nodes = graph.rx.nodes()
    return {frozenset((nodes[left], nodes[right])): edge for left, right, edge in graph.rx.weighted_edge_list()}


@settings(max_examples=40, deadline=None)
@given(st.lists(pieces, min_size=1, max_size=12), st.data())
def test_grown_by_amendments_the_graph_is_that_made_of_all_remarks_at_once(drawn, data):
    memory = remembered(few())
    whole = [made(number, one) for number, one in enumerate(drawn)]
    at = 0
    while at < len(whole):
        count = data.draw(st.integers(1, len(whole) - at))
        amend(memory, *whole[at : at + count])
        at += count
    plain = remembered(few())
    anew = SemanticGraph(plain.graph)
    anew.grow([(remark, one.known_us) for one in whole for remark in one.remarks], memory.clips)
    assert graph_of(memory.graph) == graph_of(plain.graph)
    told, numbers = memory.index.told.semantics, memory.semantics.numbers
    assert (numbers.names, numbers.facts) == (told.numbers.names, told.numbers.facts)
    view = View(memory.index)
    for kind in KINDS:
        for number in range(memory.graph.count(kind)):
            node = Node(kind, number)
            # Whom castings name is each reader's to find.
            assert beside(memory, node) == {one for one in view.semantics.beside(node) if one[2] is not None}


def test_restored_it_is_what_had_grown(stream, tmp_path):
    whole = [named(stream.memory.index.windows.versions[0], {f"c{n}": [WORDS[n], "Anna"] for n in range(6)})]
    whole += [related(2, few()[2].clip, "Anna", "cup", track=0), mentioned("Ben", "c7", place=9)]
    for one in whole:
        stream.amend(amendment(one))
    stream.obey(Word(Act.NAME, "me", 0, name="Ben"))
    before, counts = graph_of(stream.memory.graph), stream.memory.graph.counts()
    assert counts["name"] > 6
    assert verify(stream.store, STREAM, RULE).faults == ()
    stream.close()
    with closing(Stream(STREAM, tmp_path, RULE)) as again:
        assert graph_of(again.memory.graph) == before
        assert again.memory.graph.counts() == counts
        assert again.memory.index.told.semantics.extent().names == counts["name"]


words = st.one_of(
    st.builds(lambda entity, told: Word(Act.NAME, "me", entity, name=told), st.integers(0, 2), st.sampled_from(WORDS)),
    st.builds(lambda pair: Word(Act.MERGE, "me", *pair), st.permutations(range(3)).map(lambda three: three[:2])),
    st.builds(lambda number: Word(Act.UNDO, "me", undoes=number), st.integers(0, 3)),
)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.one_of(pieces, words), min_size=2, max_size=12))
def test_whatever_was_written_and_ruled_the_live_graph_is_that_of_the_store(history):
    with TemporaryDirectory() as folder, closing(Stream(STREAM, Path(folder), RULE)) as stream:
        for one in [*few(), told("other", 240.0, "milk", things=[(0, 3, "jar"), (1, 4, "hat")])]:
            stream.apply(one)
        for number, one in enumerate(history):
            # A user's word that makes no sense changes nothing; a piece that is written is not written again.
            with suppress(RefusedError):
                _ = stream.obey(one) if isinstance(one, Word) else stream.amend(amendment(made(number, one)))
        assert verdict(stream.store, stream.memory).faults == ()
        again = restore(stream.store, STREAM, RULE)
        assert graph_of(again.graph) == graph_of(stream.memory.graph)
        assert again.semantics.numbers.names == stream.memory.semantics.numbers.names


# The walk.


@st.composite
def remembrances(draw):
    """A memory with words, a view of it, and the remarks, each with since when it is known."""
    clips, at = [], 50_000.0
    for number in range(draw(st.integers(2, 8))):
        seen = [(track, draw(st.integers(0, 2)), "cup") for track in range(draw(st.integers(0, 2)))]
        clips.append(told(f"c{number}", at, " ".join(draw(st.permutations(WORDS))[:3]), things=seen))
        at += draw(st.sampled_from([30.0, 30.0, 300.0]))
    memory, remarks = remembered(clips), []
    whole = [
        named(one, {memory.index.names[clip]: clips[clip].clip.lines[0].text.split() for clip in one.clips})
        for one in memory.index.windows.versions
        if one.scale == "3min"
    ]
    for number, one in enumerate(clips):
        words = one.clip.lines[0].text.split()
        whole.append(related(number, one.clip, words[0], words[2], 0 if one.observations else None))
        if one.observations:
            whole.append(cast_as(number, one.clip, words[1]))
    for one in draw(st.permutations(whole)):
        amend(memory, one)
        remarks += [(remark, one.known_us) for remark in one.remarks]
    return View(memory.index, draw(st.sampled_from([None, clips[len(clips) // 2].clip.end_us]))), remarks


@settings(max_examples=40, deadline=None)
@given(remembrances(), st.sets(st.sampled_from(list(Ablation)), max_size=2).map(frozenset), st.data())
def test_the_walk_over_names_and_facts_is_exact_within_its_error(told_of, parts, data):
    view, remarks = told_of
    weights = ground(view, parts)
    dense = matrix(view, parts, remarks)
    np.testing.assert_allclose(np.concatenate(weights.degrees.arrays), dense.sum(axis=0), atol=1e-9)
    reset = weights.degrees.zeros()
    reset.episodes[data.draw(st.sampled_from(view.clips.numbers().tolist()))] = 1.0
    for array in (reset.observations, reset.names, reset.facts):
        if len(array):
            array[data.draw(st.integers(0, len(array) - 1))] = data.draw(st.sampled_from([0.0, 1.0]))
    total = reset.total()
    reset = Nodes(*(array / total for array in reset.arrays))
    residual = data.draw(st.sampled_from([1e-9, 1e-4]))
    walked = walk(view, reset, 0.85, residual, weights)
    exact = solved(view, reset, 0.85, parts, remarks)
    scores = np.concatenate(walked.scores.arrays)
    # What is left counts for as much as was not walked, once as a score and once as what it would have led to.
    assert float(np.abs(scores - exact).sum()) <= walked.error * 1.01 + 1e-9


# Readers.


def seeded(view, text, how=SearchSettings()):  # noqa: B008 - immutable
    query = Query(text, meaning(text))
    return seeds(view, Relevance.of(view, query), Eligible.of(view, query), how)


def test_a_name_that_the_question_holds_whole_leads_to_where_it_is_mentioned():
    memory = remembered(few(6))
    amend(memory, mentioned("Zoe Zimmer", "c4", known=180.0), mentioned("Zoe", "c2", known=170.0, place=1))
    view = View(memory.index)
    both = [Seed(Unit(NodeKind.NAME, 0), "names", 2 / 2), Seed(Unit(NodeKind.NAME, 1), "names", 1 / 2)]
    assert [one for one in seeded(view, "Where was Zoe Zimmer?") if one.channel == "names"] == both
    alone = [one for one in seeded(view, "Where was Zoe?") if one.channel == "names"]
    assert alone == [Seed(Unit(NodeKind.NAME, 1), "names", 1.0)]
    # Nothing but the name meets the memory.
    best = search(view, Query("Zoe"), SearchSettings(recency=0.0)).items[0]
    assert (best.unit, best.channels) == (Unit(NodeKind.EPISODE, 2), ("graph",))
    assert search(View(memory.index, us(169)), Query("Zoe"), SearchSettings()).reason == "no_seeds"
    # Where it leads to nothing that is asked for, nothing met the memory.
    assert search(view, Query("Zoe", label="hat"), SearchSettings()).reason == "no_seeds"
    plain = SearchSettings(without=frozenset({Ablation.GRAPH}))
    assert (search(view, Query("Zoe"), plain).items, search(view, Query("Zoe"), plain).reason) == ((), "no_seeds")


def test_a_fact_leads_by_its_names_to_where_they_are_mentioned():
    # Half a day apart: nothing else leads from one to another.
    memory = remembered([told(f"c{n}", 43_200.0 * n, WORDS[n]) for n in range(6)])
    amend(memory, stated("Zoe", "plays", "the violin", "c1", known=180.0), mentioned("Zoe", "c4", known=180.0, place=1))
    view = View(memory.index)
    facts = [one for one in seeded(view, "Who plays violin?") if one.unit.kind == NodeKind.FACT]
    assert {one.channel for one in facts} == {"text", "lexical"}
    how = SearchSettings(recency=0.0, neighbour=0.0, hour=0.0)
    scores = {one.unit: one.score for one in search(view, Query("Who plays violin?", limit=40), how).items}
    others = [scores.get(Unit(NodeKind.EPISODE, number), 0.0) for number in (2, 3, 5)]
    assert scores[Unit(NodeKind.EPISODE, 1)] > scores[Unit(NodeKind.EPISODE, 4)] > max(others)
    assert not any(one.kind in KINDS for one in scores), "facts and names are ways, not evidence"


def test_what_was_seen_leads_to_facts_over_who_bears_a_name():
    """MAGIC-Video's visual seeds: an observation, its entity, the name that it bears, and where that is mentioned."""
    memory = remembered([*few(6), told("other", 180.0, "milk", things=[(0, 3, "jar")])])
    ruling = Ruling(0, Act.NAME, "someone", us(210), entity=1, name="Zoe")
    looks = np.zeros(7)
    looks[6] = 1.0
    amend(memory, mentioned("Zoe", "c1", known=210.0))
    before = search(View(memory.index), Query(image=meaning("x")), SearchSettings(score="geb"), looks)
    memory.adopt(memory.plan(told("again", 210.0, "milk", things=[(0, 3, "jar")])))
    memory.obey(Ruled(memory.version + 1, ruling))
    view = View(memory.index)
    assert [tie[1:] for tie in view.semantics.borne] == [(0, 1)]
    reset = ground(view).degrees.zeros()
    reset.observations[6] = 1.0
    walked = walk(view, reset, 0.85, 1e-9).scores
    assert before.reason is None
    assert walked.names[0] > 0
    assert walked.episodes[1] > walked.episodes[2]


def test_numbers_decide_nothing():
    """They follow the order in which models answered, which is not the memory's to tell."""
    ways = [
        [mentioned(name, "c1", known=180.0, place=n) for n, name in enumerate(names)]
        for names in ("BCDEFGH", "HGFEDCB")
    ]
    found = []
    for pieces in ways:
        memory = remembered(few(6))
        amend(memory, *pieces)
        view = View(memory.index)
        chosen = [one for one in seeded(view, "B C D E F G H") if one.channel == "names"]
        found.append([view.semantics.key(Node(NodeKind.NAME, one.unit.number)) for one in chosen])
    assert found == [list("bcdef")] * 2


def test_a_view_keeps_its_graph_until_something_is_named_or_stated():
    memory = remembered(few())
    views = Views(memory.index)
    before = ground(views.at())
    amend(memory, described(1, "c1", 0, us(60), "A garden gnome."))
    assert ground(views.at()) is before
    amend(memory, mentioned("Zoe", "c1"))
    named_now = ground(views.at())
    assert named_now.ties is not None
    assert named_now.entity_of is before.entity_of, "what records imply is not counted again"
    amend(memory, described(2, "c2", 0, us(90), "A garden gnome."))
    assert ground(views.at()) is named_now


def test_a_view_keeps_who_is_who_until_somebody_is_cast():
    memory = remembered(few())
    views = Views(memory.index)
    before = views.at().membership
    amend(memory, mentioned("Zoe", "c1"))
    assert views.at().membership is before
    amend(memory, *(cast_as(number, few()[number].clip, "Zoe") for number in (1, 2)))
    assert views.at().membership is not before
    assert views.at().standing.names == {0: "Zoe"}


def test_what_is_known_later_is_not_there_before():
    memory = remembered(few())
    views = Views(memory.index)
    then = views.at(us(100))
    amend(memory, mentioned("Zoe", "c1", known=240.0))
    assert views.at(us(100)) is then
    assert not views.at(us(239)).semantics.holds(name(0))
    assert views.at(us(240)).semantics.worded(name(0)).text == "Zoe"
    assert ground(views.at(us(239))).ties is None


def test_an_entity_bears_no_name_before_somebody_speaks_of_it():
    """A user gave the name earlier than any remark told of it: until then there is no such node to walk to."""
    memory = remembered(few())
    memory.obey(Ruled(memory.version + 1, Ruling(0, Act.NAME, "me", us(240), entity=0, name="Zoe")))
    before = View(memory.index)
    memory.adopt(memory.plan(told("later", 240.0, "milk", things=[(0, 0, "cup")])))
    amend(memory, mentioned("Zoe", "c1", known=270.0))
    then, entity = View(memory.index, us(240)), Node(NodeKind.ENTITY, 0)
    assert then.semantics.beside(entity) == before.semantics.beside(entity) == []
    np.testing.assert_array_equal(ground(then).degrees.entities, ground(before).degrees.entities)
    assert View(memory.index, us(270)).semantics.beside(entity) == [(name(0), EdgeKind.APPEARED_IN, None)]


def test_through_a_cut_it_is_what_a_view_shows(stream):
    whole = [named(stream.memory.index.windows.versions[0], {f"c{n}": [WORDS[n], "Anna"] for n in range(6)})]
    whole += [related(2, few()[2].clip, "Anna", "cup", track=0), mentioned("Ben", "c7", place=9)]
    for one in whole:
        stream.amend(amendment(one))
    stream.obey(Word(Act.NAME, "me", 0, name="Ben"))
    nodes = [Node(kind, number) for kind in KINDS for number in range(stream.memory.graph.count(kind))]
    nodes += [Node(NodeKind.EPISODE, number) for number in range(8)] + [Node(NodeKind.ENTITY, 0)]
    for as_of in (None, us(100), us(200), us(240)):
        view = View(stream.memory.index, as_of)
        with cut_of(stream.store.database.path, STREAM, as_of) as cut:
            recalled = semantics_of(cut)
            assert [recalled.beside(one) for one in nodes] == [view.semantics.beside(one) for one in nodes]
            assert [recalled.worded(one) for one in nodes if one.kind in KINDS] == [
                view.semantics.worded(one) for one in nodes if one.kind in KINDS
            ]

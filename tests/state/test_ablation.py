"""What an experiment leaves out: each switch changes what it should and nothing else."""

from dataclasses import replace

import numpy as np
import pytest
from dense import matrix, solved
from hypothesis import given, settings
from hypothesis import strategies as st
from recordings import WORDS, meaning, remembered, told
from remarks import amend, written
from sightings import us

from biographer.state.ablation import Ablation
from biographer.state.authorship import Authorship
from biographer.state.chain import TopicFact
from biographer.state.chain_reading import chains_for
from biographer.state.excerpt import read
from biographer.state.graph import NodeKind
from biographer.state.ground import ground
from biographer.state.nodes import Nodes
from biographer.state.piece import Piece
from biographer.state.push import walk
from biographer.state.query import Query
from biographer.state.ruling import Act, Ruled, Ruling
from biographer.state.search import search
from biographer.state.search_settings import SearchSettings
from biographer.state.stretch import Stretch
from biographer.state.view import View

GENEROUS = SearchSettings(observations=1.0, per_entity=2, recency=0.0)
QUERY = Query("red cup", meaning("red cup"), limit=24)
LOG = [
    told(f"c{n}", 60.0 * n, f"{WORDS[n % 10]} {WORDS[n % 3]}", things=[(0, 0, "cup"), (1, 1 + n % 4, "person")])
    for n in range(12)
]


def without(*parts: Ablation, **more):
    return replace(GENEROUS, without=frozenset(parts), **more)


def found(view, how):
    return search(view, QUERY, how)


things = st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["cup", "person"])), max_size=3)


@st.composite
def views(draw):
    clips, at = [], 50_000.0
    for number in range(draw(st.integers(2, 10))):
        seen = [(track, *thing) for track, thing in enumerate(draw(things))]
        clips.append(told(f"c{number}", at, draw(st.sampled_from(WORDS)), things=seen))
        at += draw(st.sampled_from([30.0, 300.0, 25_000.0]))
    as_of = draw(st.sampled_from([None, clips[len(clips) // 2].clip.end_us]))
    return View(remembered(clips).index, as_of)


@settings(max_examples=40, deadline=None)
@given(views(), st.sets(st.sampled_from(list(Ablation))).map(frozenset), st.data())
def test_the_walk_is_that_of_the_graph_without_these_edges(view, parts, data):
    weights = ground(view, parts)
    np.testing.assert_allclose(np.concatenate(weights.degrees.arrays), matrix(view, parts).sum(axis=0), atol=1e-9)
    reset = view.weights.degrees.zeros()
    kinds = [(reset.episodes, view.clips.numbers()), (reset.observations, view.observations.numbers())]
    for array, numbers in kinds:
        if len(numbers):
            array[data.draw(st.sampled_from(numbers.tolist()))] = 1.0
    total = reset.total()
    reset = Nodes(*(array / total for array in reset.arrays))
    walked = walk(view, reset, 0.85, 1e-9, weights)
    exact = solved(view, reset, 0.85, parts)
    assert float(np.abs(np.concatenate(walked.scores.arrays) - exact).sum()) <= walked.error + 1e-9


def test_nothing_is_left_out_by_an_empty_set():
    view = View(remembered(LOG).index)
    assert ground(view) is view.weights
    assert ground(view, frozenset({Ablation.CHAINS, Ablation.GRAPH})) is view.weights


def test_without_association_each_observation_stands_for_itself():
    view = View(remembered(LOG).index)
    whole, apart = found(view, GENEROUS), found(view, without(Ablation.ASSOCIATION))
    assert all(one.entity is not None for one in whole.items if one.unit.kind == NodeKind.OBSERVATION)
    assert all(one.entity is None for one in apart.items)
    # Two of an entity at most, and no entity there: all of the cups come.
    cups = [[one for one in each.items if one.label == "cup"] for each in (whole, apart)]
    assert [len(each) for each in cups] == [2, 12]
    assert all(one.entity is None for one in read(view, apart.items, frozenset()).excerpts)


def test_without_association_a_name_finds_no_observations():
    memory = remembered(LOG)
    ruling = Ruling(0, Act.NAME, "someone", us(720), entity=0, name="Zoe")
    memory.obey(Ruled(memory.version + 1, ruling))
    view, query = View(memory.index), Query("Zoe", meaning("zzz"))
    assert any("lexical" in one.channels for one in search(view, query, GENEROUS).items)
    assert not any("lexical" in one.channels for one in search(view, query, without(Ablation.ASSOCIATION)).items)


def test_without_same_instance_edges_only_the_walk_differs():
    view = View(remembered(LOG).index)
    whole, cut = found(view, replace(GENEROUS, walk=0.0)), found(view, without(Ablation.SAME_INSTANCE, walk=0.0))
    assert replace(cut, error=whole.error) == whole
    assert found(view, without(Ablation.SAME_INSTANCE)).items != found(view, GENEROUS).items
    assert read(view, cut.items, frozenset()) == read(view, whole.items, frozenset())


def test_without_a_timeline_only_the_walk_differs():
    view = View(remembered(LOG).index)
    whole, cut = found(view, replace(GENEROUS, walk=0.0)), found(view, without(Ablation.TIMELINE, walk=0.0))
    assert replace(cut, error=whole.error) == whole
    assert found(view, without(Ablation.TIMELINE)).items != found(view, GENEROUS).items


def test_without_biographies_nothing_is_told_of_other_encounters():
    view = View(remembered(LOG).index)
    evidence = found(view, GENEROUS)
    assert found(view, without(Ablation.BIOGRAPHIES)) == evidence
    whole = read(view, evidence.items, frozenset({(0, 1)}))
    bare = read(view, evidence.items, frozenset({(0, 1)}), frozenset({Ablation.BIOGRAPHIES}))
    assert any(one.unseen for one in whole.excerpts)
    assert not any(one.unseen or one.spells for one in bare.excerpts)
    assert [one.selected for one in bare.excerpts] == [one.selected for one in whole.excerpts]
    assert (bare.notes, bare.episodes) == (whole.notes, whole.episodes)
    for one in bare.excerpts:
        assert (one.start_us, one.end_us) == (
            min(item.start_us for item in one.selected),
            max(item.end_us for item in one.selected),
        )


def test_without_chains_none_are_read():
    memory = remembered(LOG)
    stretch = Stretch("3min", 0, us(180), us(180), ("c0", "c1", "c2"))
    fact = TopicFact(stretch, Authorship("m", "p"), "cup", "The cup is red.", ("c0",), 0, us(60))
    one = written(Piece.of_stretch("chains", stretch, -1), ("c0",), fact)
    amend(memory, one)
    view = View(memory.index)
    assert chains_for(view, QUERY, [])
    assert chains_for(view, QUERY, [], without=frozenset({Ablation.CHAINS})) == ()
    assert found(view, without(Ablation.CHAINS)) == found(view, GENEROUS)


@pytest.mark.parametrize("score", ["sum", "geb", "magic"])
def test_without_a_graph_relevance_alone_ranks(score):
    view = View(remembered(LOG).index)
    plain = found(view, without(Ablation.GRAPH, score=score))
    bare = replace(GENEROUS, walk=0.0, neighbour=0.0, hour=0.0)
    assert plain.error == 0.0
    assert {one.unit: one.score for one in plain.items}.items() <= {
        one.unit: one.score for one in search(view, replace(QUERY, limit=100), bare).items
    }.items()
    assert not any(one.channels == ("graph",) and one.score <= 0 for one in plain.items)
    assert found(view, without(Ablation.GRAPH, score=score)).items != found(view, replace(GENEROUS, score=score)).items

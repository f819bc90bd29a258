"""Chains: grown window by window as they would be made at once, shown by name and likeness, and as of any time."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recordings import meaning, told
from remarks import AUTHOR, amendment, written
from sightings import STREAM, us

from biographer.state.chain import EventStep, TopicFact
from biographer.state.chain_reading import ChainSettings, chains_for
from biographer.state.folder import StateFolder
from biographer.state.graph import NodeKind
from biographer.state.piece import Piece
from biographer.state.query import Item, Query, Unit
from biographer.state.rule import Rule, Thresholds
from biographer.state.ruling import Act, Word
from biographer.state.stretch import Stretch
from biographer.state.view import View

RULE = Rule(references=3, thresholds={"": Thresholds(0.5, 0.75)})
SPAN = 180


def window(number):
    """The window that starts with clip `number`; clips are ten minutes apart, so that each has its own."""
    start = us(600 * number)
    return Stretch("3min", start, start + us(SPAN), start + us(SPAN), (f"c{number}",))


def fact(number, topic, text):
    stretch = window(number)
    return TopicFact(stretch, AUTHOR, topic, text, stretch.clips, stretch.start_us, stretch.start_us + us(30))


def step(number, title, text, event=None):
    stretch = window(number)
    return EventStep(stretch, AUTHOR, event, title, text, stretch.clips, stretch.start_us, stretch.start_us + us(30))


def chronicle(stream, number, *links):
    piece = Piece.of_stretch("chains", window(number), -1)
    stream.amend(amendment(written(piece, (f"c{number}",), *links)))


@pytest.fixture
def stream(folder: StateFolder):
    made = folder.stream(STREAM)
    for number in range(8):
        made.apply(told(f"c{number}", 600 * number, "word", things=[(0, 0, "person")]))
    return made


def read(stream, text, as_of=None, items=(), **how):
    view = View(stream.memory.index, as_of)
    return chains_for(view, Query(text, meaning(text)), items, ChainSettings(**how))


def test_a_chain_that_the_question_names_comes_before_those_about_the_like(stream):
    chronicle(stream, 0, fact(0, "red cup", "milk in the red cup"), fact(0, "Anna", "where the red cup is"))
    chronicle(stream, 1, fact(1, "the Red Cup", "red cup on the table"))
    chains = read(stream, "where is the red cup?", similar=0.3)
    assert [(one.title, one.admitted) for one in chains] == [("red cup", "name"), ("Anna", "likeness")]
    assert [one.text for one in chains[0].links] == ["milk in the red cup", "red cup on the table"]
    assert read(stream, "garden phone", similar=0.99) == ()


def test_a_title_with_a_word_that_only_asks_or_joins_is_named_with_it_and_without_it(stream):
    chronicle(stream, 0, fact(0, "My arms", "milk"), fact(0, "The Who", "walks"))
    for question, title in (("where are my arms?", "My arms"), ("arms", "My arms"), ("the who", "The Who")):
        assert [(one.title, one.admitted) for one in read(stream, question, similar=0.99)] == [(title, "name")]


def test_steps_of_an_event_run_over_days(stream):
    chronicle(stream, 0, step(0, "planting", "digs the garden"), step(0, "Planting", "buys seeds"))
    chronicle(stream, 5, step(5, "", "waters it", event=0), step(5, "baking", "an oven"))
    (chain,) = read(stream, "how did the planting go?", similar=2.0)
    assert (chain.kind, [one.text for one in chain.links]) == ("event", ["digs the garden", "buys seeds", "waters it"])


def test_facts_close_to_what_was_returned_are_left_out(stream):
    for number in (0, 3, 6):
        chronicle(stream, number, fact(number, "cup", f"fact {number}"))
    near = Item(Unit(NodeKind.EPISODE, 3), "local", "c3", us(1800), us(1830), us(1830), 1.0, "", ())
    (chain,) = read(stream, "cup", items=[near])
    assert [one.text for one in chain.links] == ["fact 0", "fact 6"]
    (short,) = read(stream, "cup", items=[near], links=1)
    assert (len(short.links), short.further) == (1, 1)


def test_a_topic_that_a_user_named_an_entity_by_is_that_entitys(stream):
    chronicle(stream, 0, fact(0, "Anna", "Anna opens the door"))
    assert [one.entity for one in read(stream, "Anna")] == [None]
    stream.obey(Word(Act.NAME, "me", 0, name="anna"))
    assert [one.entity for one in read(stream, "Anna")] == [0]
    assert [one.entity for one in read(stream, "Anna", as_of=us(600 * 7 + 29))] == [None]


def test_no_fact_is_without_a_time(stream):
    timeless = TopicFact(window(0), AUTHOR, "cup", "always there", (), 0, 0)
    chronicle(stream, 0, timeless, fact(0, "cup", "on the table"))
    (chain,) = read(stream, "cup")
    assert [one.text for one in chain.links] == ["on the table"]


def test_where_nothing_was_written_nothing_is_read(stream):
    assert read(stream, "cup") == ()


links = st.one_of(
    st.tuples(
        st.just("fact"),
        st.sampled_from(["cup", "the Cup", "Anna"]),
        st.sampled_from(["red cup", "opens door", "milk"]),
    ),
    st.tuples(
        st.just("step"),
        st.sampled_from(["walk", "Walk", "tea"]),
        st.sampled_from(["walks", "milk"]),
        st.sampled_from([None, None, 0, 1, 7]),
    ),
)


def made_of(number, link):
    kind, title, text, *event = link
    return fact(number, title, text) if kind == "fact" else step(number, title, text, *event)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(links, max_size=4), min_size=1, max_size=6), st.sampled_from(["red cup", "Anna walk", "milk"]))
def test_grown_window_by_window_they_are_what_a_rebuilt_memory_has_and_as_of_then(tmp_path_factory, windows, question):
    folder = StateFolder(tmp_path_factory.mktemp("state"), RULE)
    stream, then = folder.stream(STREAM), {}
    for number, chapter in enumerate(windows):
        stream.apply(told(f"c{number}", 600 * number, "word"))
        stream.apply(told(f"after {number}", 600 * number + SPAN, "word"))
        if chapter:
            chronicle(stream, number, *(made_of(number, link) for link in chapter))
        then[stream.memory.known_us] = read(stream, question)
    grown = read(stream, question)
    for moment, chains in then.items():
        assert read(stream, question, moment) == chains
        assert all(link.known_us <= moment for chain in chains for link in chain.links)
    folder.close()
    folder = StateFolder(folder.path, RULE)
    again = folder.stream(STREAM)
    assert read(again, question) == grown
    kept, made = (one.memory.index.told.chains for one in (again, stream))
    assert (kept.topics, kept.events) == (made.topics, made.events)
    folder.close()

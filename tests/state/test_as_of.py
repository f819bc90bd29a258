"""A question asked as of then: what the full log answers is what the log cut then answers (DESIGN section 5)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recordings import WORDS, meaning, remembered, told
from sightings import unit, us

from biographer.state.looks import looks
from biographer.state.observation import Embedding
from biographer.state.query import Query
from biographer.state.search import search
from biographer.state.search_settings import SearchSettings
from biographer.state.view import View

EVERYTHING = SearchSettings(windows={"3min": 0.25, "10min": 0.25, "1h": 0.25}, recency=0.05)
KINDS = [
    EVERYTHING,
    SearchSettings(score="geb"),
    SearchSettings(score="magic", windows={"3min": 1.0, "10min": 1.0, "1h": 1.0}),
]

PICTURE = Embedding.of("e", unit(0.2, 1, 0.1, 0, 0, 0))

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)
lines = st.one_of(texts, st.tuples(st.sampled_from(["Anna", "Ben"]), texts))
things = st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["cup", "person"])), max_size=3)


@st.composite
def recordings(draw):
    """Clips in order, each from where the one before ended, or later."""
    clips, at = [], 50_000.0
    for number in range(draw(st.integers(2, 14))):
        at += draw(st.sampled_from([0.0, 0.0, 7.0, 200.0, 1900.0]))
        seconds = draw(st.sampled_from([30.0, 30.0, 12.0, 95.0]))
        seen = [(track, axis, label) for track, (axis, label) in enumerate(draw(things))]
        vectors = draw(st.integers(0, 5)) > 0
        said = draw(st.lists(lines, max_size=3))
        outlasts = draw(st.sampled_from([0.0, 0.0, 4.0]))
        clips.append(told(f"c{number}", at, *said, seconds=seconds, things=seen, vectors=vectors, outlasts=outlasts))
        at += seconds
    return clips


def ask(memory, query, how, as_of=None):
    view = View(memory.index, as_of)
    alike = looks(view, memory.galleries, query.image) if query.image and memory.galleries else None
    return search(view, query, how, alike)


def same(left, right):
    assert [(one.unit, one.scale, one.text, one.channels, one.entity) for one in left.items] == [
        (one.unit, one.scale, one.text, one.channels, one.entity) for one in right.items
    ]
    assert [one.score for one in left.items] == pytest.approx([one.score for one in right.items], abs=1e-6)
    assert (left.watermark_us, left.reason, left.further) == (right.watermark_us, right.reason, right.further)


@settings(max_examples=60)
@given(recordings(), texts, st.data())
def test_the_full_log_as_of_then_answers_like_the_log_cut_then(recording, question, data):
    cut = data.draw(st.integers(1, len(recording)))
    moment = recording[cut - 1].clip.known_us + data.draw(st.sampled_from([0, 1, us(6.9)]))
    moment = min(moment, *(one.clip.known_us - 1 for one in recording[cut:]), moment)
    rests = data.draw(st.sets(st.integers(0, len(recording) - 1), max_size=4))
    full, short = remembered(recording, rests), remembered(recording[:cut], rests)
    query = Query(
        question,
        meaning(question),
        limit=data.draw(st.sampled_from([3, 16])),
        label=data.draw(st.sampled_from([None, None, "cup"])),
        entity=data.draw(st.sampled_from([None, None, 0])),
        image=data.draw(st.sampled_from([None, PICTURE])),
        speaker=data.draw(st.sampled_from([None, None, "anna"])),
        between_us=data.draw(st.sampled_from([None, None, (us(50_020), us(50_900))])),
    )
    how = data.draw(st.sampled_from(KINDS))
    then = ask(full, query, how, moment)
    same(then, ask(short, query, how))
    same(then, ask(short, query, how, moment))


@settings(max_examples=20)
@given(recordings(), st.data())
def test_what_a_late_clip_brings_is_not_seen_before_it_was_known(recording, data):
    """bytewax/bytewax#413: a late clip is in the memory, its windows re-open, and earlier views stay what they were."""
    late = data.draw(st.integers(0, len(recording) - 2))
    shuffled = [*recording[:late], *recording[late + 1 :], recording[late]]
    memory = remembered(shuffled, data.draw(st.sets(st.integers(0, len(recording) - 1), max_size=3)))
    query = Query("cup red", meaning("cup red"), limit=40)
    for moment in {one.clip.end_us for one in recording}:
        for one in search(View(memory.index, moment), query, EVERYTHING).items:
            assert one.known_us <= moment
    everything = {
        one.unit.number for one in search(View(memory.index), query, EVERYTHING).items if one.scale == "local"
    }
    assert everything <= set(range(len(recording)))


def test_words_that_go_on_after_their_clip_are_not_seen_before_they_were_said():
    """DESIGN section 3: `known_us` is the end of the latest input, of a line that outlasts its clip too."""
    recording = [
        told("c0", 0.0, "milk", things=[(0, 0, "cup")]),
        told("c1", 30.0, "a red door", things=[(0, 0, "cup")], outlasts=5.0),
        told("c2", 150.0, "table", outlasts=7.0),
    ]
    memory = remembered(recording)
    query = Query("red door", meaning("red door"), limit=10)
    for moment, clips in (
        (us(60.0), {0}),
        (us(64.9), {0}),
        (us(65.0), {0, 1}),
        (us(186.9), {0, 1}),
        (us(187), {0, 1, 2}),
    ):
        view = View(memory.index, moment)
        assert set(view.clips.numbers().tolist()) == clips
        assert all(one.known_us <= moment for one in search(view, query, EVERYTHING).items)
    assert list(View(memory.index, us(187)).windows) == [0]
    assert list(View(memory.index, us(186.9)).windows) == []


def test_a_view_stays_as_it_was_while_the_writer_goes_on():
    """langchain-ai/langgraph#2119: nothing that a reader holds changes under it."""
    recording = [told(f"c{n}", 30.0 * n, f"{WORDS[n % 10]} cup", things=[(0, n % 3, "cup")]) for n in range(30)]
    memory = remembered(recording[:12])
    view = View(memory.index)
    query = Query("cup", meaning("cup"), limit=30)
    before = search(view, query, EVERYTHING)
    for perceived in recording[12:]:
        memory.adopt(memory.plan(perceived))
    assert search(view, query, EVERYTHING) == before
    same(search(View(memory.index, recording[11].clip.end_us), query, EVERYTHING), before)

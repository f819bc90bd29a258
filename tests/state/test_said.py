"""What was written about units, in search: found by it, shown with its author, never before it was known."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recordings import WORDS, meaning, remembered, rest, told
from remarks import AUTHOR, amend, captioned, described, named, related, summarised
from remarks import written as written_piece
from sightings import us

from biographer.state.authorship import Authorship
from biographer.state.graph import NodeKind
from biographer.state.piece import Piece
from biographer.state.query import Query, Unit
from biographer.state.search import search
from biographer.state.search_settings import SearchSettings
from biographer.state.stretch import Stretch
from biographer.state.triple import Triple
from biographer.state.view import View
from biographer.state.views import Views

EVERYTHING = SearchSettings(windows={"3min": 0.25, "10min": 0.25, "1h": 0.25}, recency=0.05)
KINDS = [EVERYTHING, SearchSettings(score="geb"), SearchSettings(score="magic", windows={"3min": 1.0})]


def few_clips():
    """Three clips of a minute, with one cup each that nothing tells apart."""
    return [told(f"c{n}", 60.0 * n, WORDS[n], seconds=60.0, things=[(0, 0, "cup")]) for n in range(3)]


def found(memory, text, settings=EVERYTHING, as_of_us=None, **more):
    return search(View(memory.index, as_of_us), Query(text, meaning(text), **more), settings)


def test_an_observation_is_found_by_its_description_and_told_in_its_words():
    memory = remembered(few_clips())
    assert all(one.author is None for one in found(memory, "garden gnome").items)
    amend(memory, described(1, "c1", 0, us(120), "A garden gnome with a red hat."))
    best = next(one for one in found(memory, "garden gnome").items if one.unit.kind == NodeKind.OBSERVATION)
    assert best.unit == Unit(NodeKind.OBSERVATION, 1)
    assert best.text == "cup. A garden gnome with a red hat."
    assert (best.author, best.known_us) == (AUTHOR, us(120))
    assert {"text", "lexical"} <= set(best.channels)


def test_an_episode_is_told_by_its_caption_with_what_was_said_behind_it():
    memory = remembered(few_clips())
    amend(memory, captioned(2, few_clips()[2].clip, "Someone repairs a bicycle."))
    best = found(memory, "bicycle").items[0]
    assert (best.unit, best.author) == (Unit(NodeKind.EPISODE, 2), AUTHOR)
    assert best.text.splitlines()[0] == "Someone repairs a bicycle."
    assert "door" in best.text


def test_a_window_is_told_by_its_summary():
    memory = remembered([told(f"c{n}", 30.0 * n, WORDS[n]) for n in range(8)])
    window = memory.index.windows.versions[0]
    amend(memory, summarised(window, tuple(f"c{n}" for n in window.clips), "A trip to the harbour."))
    best = next(one for one in found(memory, "harbour").items if one.scale == "3min")
    assert (best.text, best.author) == ("A trip to the harbour.", AUTHOR)


def test_of_several_texts_the_newest_is_shown_and_all_are_searched():
    memory = remembered(few_clips())
    later = Authorship("large", "describe@111111111111")
    amend(memory, described(0, "c0", 0, us(100), "A blue mug.", author=later))
    first = described(0, "c0", 0, us(60), "A green kettle.")
    amend(memory, replace(first, piece=replace(first.piece, version=1)))
    for words in ("mug", "kettle"):
        item = next(one for one in found(memory, words).items if one.unit == Unit(NodeKind.OBSERVATION, 0))
        assert (item.text, item.author) == ("cup. A blue mug.", later)
        assert "lexical" in item.channels
    before = next(one for one in found(memory, "kettle", as_of_us=us(60)).items if one.unit.number == 0)
    assert before.author != later


def test_ranking_is_what_it_is_without_remarks_bit_for_bit_where_they_say_nothing_yet():
    """An amendment of what is known later leaves an earlier view as it was, and one without documents all of them."""
    recording = [told(f"c{n}", 30.0 * n, f"{WORDS[n % 10]} cup", things=[(0, n % 3, "cup")]) for n in range(20)]
    memory = remembered(recording)
    before = [found(memory, "red cup", kind, limit=40) for kind in KINDS]
    then = [found(memory, "red cup", kind, as_of_us=us(300), limit=40) for kind in KINDS]
    amend(memory)
    assert [replace(found(memory, "red cup", kind, limit=40), version=20) for kind in KINDS] == before
    amend(memory, *(described(n, f"c{n}", 0, us(30 * n + 330), "a red cup, or two") for n in range(9)))
    again = [found(memory, "red cup", kind, as_of_us=us(300), limit=40) for kind in KINDS]
    assert [replace(one, version=20) for one in again] == then
    assert found(memory, "red cup", limit=40).items != before[0].items


def test_views_that_are_kept_are_left_when_something_is_written_about_their_time():
    memory = remembered(few_clips())
    views = Views(memory.index)
    now, then = views.at(), views.at(us(120))
    amend(memory, described(2, "c2", 0, us(180), "known later"))
    assert views.at(us(120)) is then
    assert views.at() is not now
    amend(memory, described(1, "c1", 0, us(120), "known by then"))
    assert views.at(us(120)) is not then
    assert views.at(us(120)).told[NodeKind.OBSERVATION].total == 1


texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
things = st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["cup", "person"])), max_size=2)


@st.composite
def recordings(draw):
    clips, at = [], 50_000.0
    for number in range(draw(st.integers(2, 12))):
        seen = [(track, *thing) for track, thing in enumerate(draw(things))]
        clips.append(told(f"c{number}", at, draw(texts), things=seen, seconds=draw(st.sampled_from([20.0, 45.0]))))
        at += draw(st.sampled_from([45.0, 60.0, 300.0]))
    return clips


class Writer:
    """A model whose answer follows from the question: what it writes depends on nothing else."""

    def __init__(self, memory, recording):
        self.memory, self.recording, self.done = memory, recording, set()

    def due(self):
        """Return what can be written by now and is not, in some order."""
        pieces = [*self.captions(), *self.descriptions(), *self.summaries(), *self.names(), *self.relations()]
        return [one for one in pieces if one.piece not in self.done]

    def write(self, pieces):
        self.done |= {one.piece for one in pieces}
        if pieces:
            amend(self.memory, *pieces)

    def captions(self):
        for number in range(len(self.memory.clips)):
            clip = self.recording[number].clip
            yield captioned(number, clip, f"{clip.lines[0].text} {WORDS[number % 10]}")

    def descriptions(self):
        number = 0
        for perceived in self.recording[: len(self.memory.clips)]:
            for one in perceived.observations:
                # Known once the watermark has passed the lines around it.
                marks = [other.clip.end_us for other in self.recording[: len(self.memory.clips)]]
                known = [mark for mark in marks if mark >= one.end_us + us(40)]
                if known:
                    text = f"{WORDS[(number * 3) % 10]} {perceived.clip.lines[0].text}"
                    yield described(number, perceived.clip.name, one.track, min(known), text)
                number += 1

    def summaries(self):
        for window in self.memory.index.windows.versions:
            names = tuple(self.recording[clip].clip.name for clip in window.clips)
            text = " ".join(self.recording[clip].clip.lines[0].text for clip in window.clips)
            yield summarised(window, names, text)

    def names(self):
        for window in self.memory.index.windows.versions:
            if window.scale == "3min":
                clips = [self.recording[clip].clip for clip in window.clips]
                yield named(window, {clip.name: clip.lines[0].text.split() for clip in clips})

    def relations(self):
        for number in range(len(self.memory.clips)):
            perceived = self.recording[number]
            words = perceived.clip.lines[0].text.split()
            yield related(number, perceived.clip, words[0], words[-1], 0 if perceived.observations else None)


def written(recording, patience=lambda due: due, rests=()):
    """The memory after a recording and all that can be written about it; what `patience` leaves is written later.

    The stream rests after clips of these numbers.
    """
    memory = remembered([])
    writer = Writer(memory, recording)
    for number, perceived in enumerate(recording):
        memory.adopt(memory.plan(perceived))
        if number in rests:
            rest(memory)
        writer.write(patience(writer.due()))
    writer.write(writer.due())
    return memory


@settings(max_examples=60, deadline=None)
@given(recordings(), texts, st.data())
def test_as_of_then_what_is_written_is_what_the_log_cut_then_would_have(recording, text, data):
    """DESIGN section 5, as-of, with all that models write, however late and in which order they do it."""
    rests = data.draw(st.sets(st.integers(0, len(recording) - 1), max_size=3))
    some = lambda due: data.draw(st.permutations(due))[: data.draw(st.integers(0, len(due)))]  # noqa: E731
    memory = written(recording, some, rests)
    last = data.draw(st.integers(0, len(recording) - 1))
    moment = recording[last].clip.end_us
    cut = written(recording[: last + 1], rests=rests)
    assert [one.total for one in View(memory.index, moment).told.values()] == [
        one.total for one in View(cut.index).told.values()
    ]
    for kind in KINDS:
        query = Query(text, meaning(text), limit=40)
        full, short = search(View(memory.index, moment), query, kind), search(View(cut.index), query, kind)
        assert [replace(one, score=0.0) for one in full.items] == [replace(one, score=0.0) for one in short.items]
        assert [one.score for one in full.items] == pytest.approx([one.score for one in short.items], abs=1e-6)
        assert all(one.known_us <= moment for one in full.items)


def test_a_fact_leads_to_the_episodes_that_state_it_once_it_is_known():
    memory = remembered([told(f"c{n}", 30.0 * n, WORDS[n]) for n in range(8)])
    window = memory.index.windows.versions[0]
    stretch = Stretch(window.scale, window.start_us, window.end_us, window.known_us, ("c0", "c1", "c2"))
    fact = Triple(stretch, AUTHOR, "Anna", "repairs", "the bicycle", ("c1", "c2"), us(30), us(90))
    amend(memory, written_piece(Piece.of_stretch("names", stretch, -1), stretch.clips, fact))
    units = [one.unit for one in found(memory, "repairs bicycle").items[:2]]
    assert set(units) == {Unit(NodeKind.EPISODE, 1), Unit(NodeKind.EPISODE, 2)}
    assert all("bicycle" not in one.text for one in found(memory, "repairs bicycle").items)
    before = found(memory, "repairs bicycle", as_of_us=window.known_us - 1).items
    assert not any("lexical" in one.channels for one in before)


def test_a_view_keeps_what_remarks_do_not_change():
    """Each amendment is a version: while much is written, no search is to work out a week's graph again."""
    memory = remembered([told(f"c{n}", 30.0 * n, f"{WORDS[n % 10]} cup", things=[(0, 0, "cup")]) for n in range(9)])
    views = Views(memory.index)
    before = views.at()
    search(before, Query("cup", meaning("cup")), EVERYTHING)
    amend(memory, described(1, "c1", 0, us(60), "A garden gnome."))
    after = views.at()
    assert (after.version, after.told[NodeKind.OBSERVATION].total) == (10, 1)
    assert after.weights is before.weights
    query = Query("garden gnome", meaning("garden gnome"), limit=40)
    assert search(after, query, EVERYTHING) == search(View(memory.index), query, EVERYTHING)
    memory.adopt(memory.plan(told("c9", 300.0, "milk")))
    assert views.at().weights is not before.weights

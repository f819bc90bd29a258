"""A stream that comes to rest: its windows are closed for writing, and nobody sees more than the log told by then."""

from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recordings import remembered, rest, told
from sightings import STREAM, us

from biographer.state.agenda import Agenda
from biographer.state.amendment import Amendment, Written
from biographer.state.coarse import Coarse
from biographer.state.cut import cut_of
from biographer.state.rule import Rule, Thresholds
from biographer.state.stream import Stream
from biographer.state.view import View
from biographer.state.views import Views

RULE = Rule(references=3, thresholds={"": Thresholds(0.5, 0.75)})
WANTED = ("description", "caption", "summary", "names", "chains", "cast", "profiles")

steps = st.lists(
    st.tuples(st.sampled_from([0.0, 0.0, 20.0, 170.0, 640.0, -200.0]), st.booleans()), min_size=2, max_size=12
)
"""The gap before each clip, seconds (a negative one is late), and whether the stream rests after it."""


def opened(folder) -> Stream:
    return Stream(STREAM, folder, RULE)


def applied(stream: Stream, log, each=lambda: None) -> None:
    at = 40_000.0
    for number, (gap, rests) in enumerate(log):
        at += gap
        stream.apply(told(f"c{number}", at, "a red cup", things=[(0, number % 3, "person")]))
        each()
        at += 30.0
        if rests:
            stream.end()
            each()


def due(agenda: Agenda, stream: Stream, writings=WANTED) -> list:
    """Take and settle all that is due, until nothing more becomes due by it."""
    found = []
    while (one := agenda.take(writings)) is not None:
        found.append(one)
        names = tuple(agenda.names[number] for number in one.clips)
        stream.amend(Amendment((Written(one.piece, one.known_us, names, ()),)))
        agenda.look()
    return found


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps)
def test_a_restart_and_every_reader_find_the_windows_that_there_were(tmp_path_factory, log):
    folder = tmp_path_factory.mktemp("rest")
    seen = []
    with closing(opened(folder)) as stream:

        def look():
            view = View(stream.memory.index)
            seen.append((view.version, view.watermark_us, Coarse.of_view(view).closed))

        applied(stream, log, look)
        live = stream.memory.index.windows.versions
        joined = stream.memory.index.windows.joined[:].tolist()
        views = {at: Coarse.of_view(View(stream.memory.index, at)).closed for _, at, _ in seen}
    with closing(opened(folder)) as stream:
        index = stream.memory.index
        assert (index.windows.versions, index.windows.joined[:].tolist()) == (live, joined)
        path = stream.store.database.path
        for version, _, shown in seen:
            with cut_of(path, STREAM, None, version) as cut:
                assert Coarse.of_cut(cut).closed == shown
        for at, shown in views.items():
            with cut_of(path, STREAM, at) as cut:
                assert Coarse.of_cut(cut).closed == shown == Coarse.of_view(View(index, at)).closed


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps)
def test_what_is_due_does_not_depend_on_when_one_looks(tmp_path_factory, log):
    """Whoever writes at once, and whoever comes to it afterwards, are asked for the same pieces, known as early."""
    with closing(opened(tmp_path_factory.mktemp("live"))) as stream:
        agenda, found = Agenda(stream.store.database.path, STREAM, WANTED), []

        def look():
            agenda.look()
            found.extend(due(agenda, stream))

        applied(stream, log, look)
    with closing(opened(tmp_path_factory.mktemp("later"))) as stream:
        applied(stream, log)
        later = Agenda(stream.store.database.path, STREAM, WANTED)
        later.look()
        again = due(later, stream)
    # What a piece was made of, and when that was known; in which order they come is the agenda's.
    assert sorted(found, key=lambda one: one.piece) == sorted(again, key=lambda one: one.piece)


def test_a_short_recording_has_all_written_about_it_once_it_rests(tmp_path):
    with closing(opened(tmp_path)) as stream:
        applied(stream, [(0.0, False), (0.0, False)])
        agenda = Agenda(stream.store.database.path, STREAM, WANTED)
        agenda.look()
        assert {one.piece.writing for one in due(agenda, stream)} == {"caption", "cast", "description"}
        assert agenda.is_waiting
        stream.end()
        agenda.look()
        assert not agenda.is_waiting
        found = due(agenda, stream)
        assert sorted((one.piece.writing, one.piece.scale) for one in found) == [
            ("chains", "3min"), ("description", "observation"), ("names", "3min"), ("profiles", "10min"),
            ("summary", "10min"), ("summary", "1h"), ("summary", "3min"),
        ]  # fmt: skip
        assert {one.known_us for one in found} == {us(40_060)}


def test_chains_are_written_of_what_came_since_the_window_was_closed_before(tmp_path):
    """A window that is told twice would have every fact twice."""
    with closing(opened(tmp_path)) as stream:
        applied(stream, [(0.0, False), (0.0, True), (0.0, False), (200.0, False)])
        agenda = Agenda(stream.store.database.path, STREAM, ("summary", "names", "chains"))
        agenda.look()
        found = [one for one in due(agenda, stream) if (one.piece.scale, one.piece.place) == ("3min", us(39_960))]
        told_of = {(one.piece.writing, one.piece.version): one.clips for one in found}
        assert told_of == {
            ("summary", 0): (0, 1), ("names", 0): (0, 1), ("chains", 0): (0, 1),
            ("summary", 1): (0, 1, 2), ("names", 1): (0, 1, 2), ("chains", 1): (2,),
        }  # fmt: skip


@pytest.mark.parametrize("wanted", [("caption",), ("hearing", "relations")])
def test_who_writes_of_clips_alone_waits_for_no_rest(tmp_path, wanted):
    with closing(opened(tmp_path)) as stream:
        applied(stream, [(0.0, False)])
        agenda = Agenda(stream.store.database.path, STREAM, wanted)
        agenda.look()
        assert not agenda.is_waiting


def test_a_view_that_was_kept_is_made_anew_where_windows_closed_by_then():
    memory = remembered([told("c0", 0.0, "a red cup")])
    views = Views(memory.index)
    assert (len(views.at(us(30)).windows), len(views.at(us(60)).windows)) == (0, 0)
    rest(memory)
    latest = views.at()
    assert (len(latest.windows), len(views.at(us(30)).windows), len(views.at(us(29)).windows)) == (3, 3, 0)
    memory.adopt(memory.plan(told("c1", 30.0, "a door")))
    assert [latest.index.windows.versions[n].clips for n in views.at(us(60)).windows.tolist()] == [(0,)] * 3


def test_another_store_is_not_believed_to_have_rested_when_this_one_did(tmp_path):
    """The shelf is beside a store of the same clips that never rested, as after another was put back."""
    folders = [tmp_path / name for name in ("rested", "never")]
    for folder, rests in zip(folders, (True, False), strict=True):
        folder.mkdir()
        with closing(opened(folder)) as stream:
            applied(stream, [(0.0, rests), (0.0, False)])
            assert len(stream.memory.index.windows) == 3 * rests
    (folders[0] / "index.db").replace(folders[1] / "index.db")
    with closing(opened(folders[1])) as stream:
        assert len(stream.memory.index.windows) == 0

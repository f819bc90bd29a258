"""The agenda: what is due once all that it is made from is there, the newest first, each once, also after a restart."""

from dataclasses import replace

import pytest
from recordings import told
from remarks import amendment, captioned, described
from sightings import STREAM, clip, seen, us

from biographer.state.agenda import Agenda
from biographer.state.amendment import Amendment, Written
from biographer.state.perceived import Perceived
from biographer.state.piece import Piece
from biographer.state.stream import Stream

EVERYTHING = ("description", "caption", "relations", "summary", "names")


def agenda(stream: Stream, *wanted: str) -> Agenda:
    made = Agenda(stream.store.database.path, STREAM, wanted or EVERYTHING)
    made.look()
    return made


def taken(one: Agenda, *allowed: str) -> list:
    found = []
    while (due := one.take(allowed or EVERYTHING)) is not None:
        found.append(due)
    return found


def test_an_observation_is_due_once_the_lines_around_it_are_there(stream: Stream) -> None:
    """Known from the first watermark on at which they were: 29.9 s and 40 more lie within the third clip."""
    for number in range(2):
        stream.apply(clip(f"c{number}", 30 * number, seen(0, (1, 0), 30 * number + 20)))
    found = agenda(stream, "description")
    assert taken(found) == []
    stream.apply(clip("c2", 60))
    found.look()
    (due,) = taken(found)
    assert (due.piece, due.known_us, due.clips, due.reads) == (
        Piece.of_observation("description", 0), us(90), (0,), 2
    )  # fmt: skip
    stream.apply(clip("c3", 200))
    found.look()
    assert [(one.piece.place, one.known_us) for one in taken(found)] == [(1, us(230))]


def test_the_newest_comes_first_and_each_once(stream: Stream) -> None:
    for number in range(5):
        stream.apply(clip(f"c{number}", 30 * number))
    found = agenda(stream, "caption")
    assert found.waiting == {"caption": 5}
    first = found.take(["caption"])
    assert first is not None
    assert first.piece.place == 4
    stream.apply(clip("c5", 150))
    found.look()
    assert [one.piece.place for one in taken(found)] == [5, 3, 2, 1, 0]
    found.put_back(first)
    assert taken(found) == [first]
    assert found.waiting == {}


def test_what_nobody_can_write_now_waits_without_holding_back_the_rest(stream: Stream) -> None:
    stream.apply(clip("c0", 0, seen(0, (1, 0), 0)))
    stream.apply(clip("c1", 60))
    found = agenda(stream)
    assert {one.piece.writing for one in taken(found, "caption")} == {"caption"}
    assert {one.piece.writing for one in taken(found, "description")} == {"description"}


def test_what_is_written_is_not_due_again_after_a_restart(stream: Stream) -> None:
    for number in range(3):
        stream.apply(clip(f"c{number}", 30 * number, seen(0, (1, 0), 30 * number + 20)))
    stream.amend(amendment(described(0, "c0", 0, us(90), "A cup."), captioned(1, clip("c1", 30).clip, "A walk.")))
    places = {(one.piece.writing, one.piece.place) for one in taken(agenda(stream, "description", "caption"))}
    assert places == {("caption", 0), ("caption", 2)}


def test_a_restart_finds_the_same_known_at_the_same_times(stream: Stream) -> None:
    live = agenda(stream)
    found = []
    for number in range(24):
        stream.apply(told(f"c{number}", 30.0 * number, "hello", things=[(0, number % 3, "cup")]))
        live.look()
        found += taken(live, "description", "caption")
    again = taken(agenda(stream), "description", "caption")
    assert sorted(found, key=lambda one: one.piece) == sorted(again, key=lambda one: one.piece)


def test_texts_of_texts_wait_for_all_of_them(stream: Stream) -> None:
    """A summary waits for its captions, relations for the caption; what cannot be written counts as well."""
    for number in range(8):
        stream.apply(clip(f"c{number}", 30 * number))
    found = agenda(stream, "caption", "relations", "summary", "names")
    first = taken(found)
    assert {one.piece.writing for one in first} == {"caption"}
    by_place = {one.piece.place: one for one in first}
    for place in (5, 4, 3, 2, 1):
        settle(stream, found, by_place[place])
    assert {(one.piece.writing, one.piece.place) for one in taken(found)} == {("relations", n) for n in range(1, 6)}
    settle(stream, found, by_place[0])
    last = taken(found)
    assert {(one.piece.writing, one.piece.scale) for one in last} == {
        ("relations", "local"), ("summary", "3min"), ("names", "3min")
    }  # fmt: skip
    (window,) = [one for one in last if one.piece.writing == "summary"]
    assert (window.clips, window.known_us, window.stretch.end_us) == (tuple(range(6)), us(180), us(180))


def settle(stream: Stream, found: Agenda, due) -> None:
    names = tuple(found.names[number] for number in due.clips)
    stream.amend(Amendment((Written(due.piece, due.known_us, names, ()),)))
    found.look()


def test_the_hour_is_made_from_its_ten_minute_texts(stream: Stream) -> None:
    for number in range(13):
        stream.apply(clip(f"c{number}", 300 * number))
    found = agenda(stream, "summary")
    for _ in range(40):
        due = found.take(["summary"])
        if due is None or due.piece.scale == "1h":
            break
        settle(stream, found, due)
    assert due is not None
    assert due.needs == tuple(Piece("summary", "10min", us(600 * n)) for n in range(6))


def test_a_late_clip_makes_a_further_version_due(stream: Stream) -> None:
    for number in (0, 1, 2, 3, 5, 6, 7):
        stream.apply(clip(f"c{number}", 30 * number))
    found = agenda(stream, "summary")
    assert [(one.piece.scale, one.piece.version) for one in taken(found)] == [("3min", 0)]
    stream.apply(clip("c4", 120))
    found.look()
    (due,) = taken(found)
    assert (due.piece, due.clips) == (Piece("summary", "3min", 0, 1), (0, 1, 2, 3, 7, 4))


@pytest.mark.parametrize("wanted", EVERYTHING)
def test_what_is_not_wanted_is_never_due(stream: Stream, wanted: str) -> None:
    for number in range(8):
        stream.apply(clip(f"c{number}", 30 * number, seen(0, (1, 0), 30 * number)))
    assert set(agenda(stream, wanted).waiting) == {wanted}


def test_chains_are_written_in_the_order_in_which_windows_closed(stream: Stream) -> None:
    """Their links are numbered so: a later window is shown the events of all before it, whatever else waits."""
    for number in range(20):
        stream.apply(clip(f"c{number}", 30 * number))
    found = agenda(stream, "names", "chains")
    for due in taken(found, "names"):
        settle(stream, found, due)
    order = []
    while (due := found.take(["chains"])) is not None:
        order.append(due.piece.place)
        assert found.take(["chains"]) is None
        settle(stream, found, due)
    assert order == [0, us(180), us(360)]


def test_what_is_described_is_forgotten_once_nothing_asks_for_it(stream: Stream) -> None:
    """Flat over days: a week has some 300,000 observations."""
    for number in range(30):
        stream.apply(clip(f"c{number}", 30 * number, seen(0, (1, 0), 30 * number)))
    stream.amend(amendment(*(described(n, f"c{n}", 0, us(30 * n + 90), "A cup.") for n in range(20))))
    found = agenda(stream, "description")
    assert len(found._done) == 0
    due = taken(found)
    assert {one.piece.place for one in due} == set(range(20, 29))
    # One that is described before it is due, as inline ones are, is not due then.
    stream.amend(amendment(described(29, "c29", 0, us(900), "A cup.")))
    found.look()
    stream.apply(clip("c30", 960))
    found.look()
    assert taken(found) == []
    found.settle(one.piece for one in due)
    assert len(found._done) <= 1


def test_a_kind_that_nobody_writes_now_costs_the_others_nothing(stream: Stream) -> None:
    """However much of it waits: it is taken on the event loop."""
    for number in range(6):
        stream.apply(clip(f"c{number}", 30 * number, seen(0, (1, 0), 30 * number)))
    found = agenda(stream, "description", "caption")
    before = dict(found._ready)["description"][:]
    assert len(taken(found, "caption")) == 6
    assert found._ready["description"] == before
    assert len(taken(found, "description")) == len(before) > 0


def test_what_waits_for_lines_goes_on_without_once_the_stream_rests(stream: Stream) -> None:
    """Known from when it rested; what comes after it is due as ever, and a restart finds the same."""
    for number in range(3):
        stream.apply(clip(f"c{number}", 30 * number, seen(0, (1, 0), 30 * number + 20)))
    live = agenda(stream, "description")
    found = taken(live)
    assert live.is_waiting
    assert stream.end() is not None
    assert stream.end() is None
    live.look()
    found += sorted(taken(live), key=lambda one: one.piece)
    assert not live.is_waiting
    for number in range(3, 6):
        stream.apply(clip(f"c{number}", 30 * number, seen(0, (1, 0), 30 * number + 20)))
    live.look()
    found += taken(live)
    assert [(one.piece.place, one.known_us, one.reads) for one in found] == [
        (0, us(90), 2), (1, us(90), 2), (2, us(90), 2), (3, us(180), 5)
    ]  # fmt: skip
    assert sorted(taken(agenda(stream, "description")), key=lambda one: one.piece) == found


def filmed(name: str, start: float, *observations, words: str | None = None) -> Perceived:
    """A clip whose file is kept, so that there is something to hear."""
    made = clip(name, start, *observations, words=words, media=[name.encode()])
    return replace(made, clip=replace(made.clip, media=next(iter(made.media))))


def test_what_is_written_of_a_clip_waits_until_it_is_heard(stream: Stream) -> None:
    """A description for all clips around it; a clip that brings speech of its own is not listened to."""
    for number in range(3):
        stream.apply(filmed(f"c{number}", 30 * number, seen(0, (1, 0), 30 * number + 20)))
    stream.apply(filmed("said", 90, words="here"))
    stream.apply(clip("c4", 120))
    found = agenda(stream, "hearing", "caption", "description")
    hearings = {one.piece.place: one for one in taken(found, "hearing")}
    assert set(hearings) == {0, 1, 2}
    assert {one.piece.place for one in taken(found, "caption", "description")} == {3, 4}
    settle(stream, found, hearings[0])
    assert [(one.piece.writing, one.piece.place) for one in taken(found, "caption", "description")] == [("caption", 0)]
    settle(stream, found, hearings[1])
    settle(stream, found, hearings[2])
    last = {(one.piece.writing, one.piece.place) for one in taken(found, "caption", "description")}
    assert last == {("caption", 1), ("caption", 2), *(("description", number) for number in range(3))}


def test_what_waits_to_be_heard_goes_on_without_where_that_is_waived(stream: Stream) -> None:
    stream.apply(filmed("c0", 0))
    found = agenda(stream, "hearing", "caption")
    assert taken(found, "caption") == []
    found.waive("hearing")
    assert [one.piece.place for one in taken(found, "caption")] == [0]
    stream.apply(filmed("c1", 30))
    found.look()
    assert [one.piece.place for one in taken(found, "caption")] == [1]
    (first, _) = taken(found, "hearing")
    settle(stream, found, first)
    stream.apply(filmed("c2", 60))
    found.look()
    assert taken(found, "caption") == []


def test_people_are_cast_by_the_profiles_of_windows_that_closed_before(stream: Stream) -> None:
    """Those that a clip waits for, one after the other, and no others: how fast a model is makes no difference."""
    person = {"label": "person"}
    for number in range(22):
        who = [] if number == 21 else [seen(0, (1, 0), 30 * number, **person)]
        stream.apply(clip(f"c{number}", 30 * number, *who))
    found = agenda(stream, "cast", "profiles")
    first = taken(found, "cast", "profiles")
    assert {(one.piece.writing, one.piece.place) for one in first} == {("cast", number) for number in range(20)}
    for due in first:
        settle(stream, found, due)
    (profile,) = taken(found, "cast", "profiles")
    assert (profile.piece, profile.known_us) == (Piece("profiles", "10min", 0), us(600))
    assert len(profile.needs) == 20
    settle(stream, found, profile)
    (late,) = taken(found, "cast", "profiles")
    assert (late.piece.place, late.needs) == (20, (profile.piece,))

"""Time read-outs in words: which questions ask for nothing but a time, and which time that is."""

from zoneinfo import ZoneInfo

import pytest
from recordings import no_trail, told
from sightings import STREAM

from biographer.state.memory import Memory
from biographer.state.rule import Rule
from biographer.state.time_phrase import time_asked_for
from biographer.state.times import SECOND_US, format_time, parse_time
from biographer.state.view import View


def view_of(*starts, zone="UTC", as_of=None):
    memory = Memory(STREAM, Rule(), no_trail, ZoneInfo(zone))
    for number, start in enumerate(starts):
        clip = told(f"c{number}", parse_time(start) / SECOND_US, "milk")
        memory.adopt(memory.plan(clip))
    return View(memory.index, None if as_of is None else parse_time(as_of))


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("between DAY1 12:30 and 12:41", "01T12:30:00", "01T12:41:00"),
        ("What was said on day 2, from 09:00 to 9:30:15?", "02T09:00:00", "02T09:30:15"),
        ("yesterday between 9:00 and 10:15", "02T09:00:00", "02T10:15:00"),
        ("DAY1 23:00 - DAY2 01:00", "01T23:00:00", "02T01:00:00"),
        ("7:00 to 7:30", "03T07:00:00", "03T07:30:00"),
        ("today 23:00 until 24:00.", "03T23:00:00", "04T00:00:00"),
    ],
)
def test_a_time_and_nothing_else_is_a_read_out(text, start, end):
    view = view_of("2026-05-01T10:00:00Z", "2026-05-03T09:00:00Z")
    assert [format_time(at) for at in time_asked_for(view, text)] == [f"2026-05-{start}Z", f"2026-05-{end}Z"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "who came between 9:00 and 10:00?",
        "between 25:00 and 26:00",
        "between 9:70 and 9:80",
        "between 10:00 and 9:00",
        "DAY1",
        "cup",
        "9:00",
        "between day1 12:30 and 12:41 " + "x" * 100,
        "between \N{ARABIC-INDIC DIGIT ONE}2:30 and 12:41",
    ],
)
def test_anything_else_is_a_question(text):
    assert time_asked_for(view_of("2026-05-01T10:00:00Z"), text) is None


def test_days_are_those_of_the_streams_zone_as_long_as_they_are():
    """Berlin's clocks went forward on 29 March 2026: that day had 23 hours."""
    view = view_of("2026-03-28T22:30:00Z", "2026-03-29T23:30:00Z", zone="Europe/Berlin")
    found = [time_asked_for(view, f"DAY{day} 0:00 to 1:00") for day in (1, 2, 3)]
    assert [format_time(one[0]) for one in found] == [
        f"2026-03-{day}T{at}:00:00Z" for day, at in ((27, 23), (28, 23), (29, 22))
    ]
    assert time_asked_for(view, "yesterday 0:00 to 1:00") == found[1]


def test_what_today_is_follows_from_what_is_seen():
    whole = ("2026-05-01T10:00:00Z", "2026-05-03T09:00:00Z")
    then = view_of(*whole, as_of="2026-05-02T00:00:00Z")
    assert time_asked_for(then, "7:00 to 8:00") == time_asked_for(view_of(*whole[:1]), "7:00 to 8:00")
    assert time_asked_for(view_of(), "7:00 to 8:00") is None

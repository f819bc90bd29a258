"""Tests of the tables that the command line prints."""

import json

import pytest
from rich.console import Console

from biographer.ops.local_time import local_time
from biographer.ops.tables import show
from biographer.state.zones import zone_of

RECORDED = "cup \x1b]0;owned\x07\x1b[2J \u202epuc"


def test_recorded_text_steers_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    show("entities", [{"label": RECORDED, "seen": 3}], as_json=False, head={"stream": RECORDED})
    printed = capsys.readouterr().out
    assert "cup" in printed
    assert not {"\x1b", "\x07", "\u202e"} & set(printed)


def test_programs_get_recorded_text_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    show("entities", [{"label": RECORDED}], as_json=True)
    assert json.loads(capsys.readouterr().out)["entities"] == [{"label": RECORDED}]


def test_what_is_missing_is_named_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    show("dead_letters", [], as_json=False)
    assert capsys.readouterr().out == "no dead letters\n"


def test_a_time_with_all_its_digits_stands_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A real video's clips end at any microsecond, and ten columns are narrow."""
    moment = local_time("2026-05-01T07:30:41.133334Z", zone_of("Europe/Berlin"))
    counts = {f"the count number {number}": 7 for number in range(6)}
    show("streams", [{"stream": "anna", "start": moment, "watermark": moment, **counts}], as_json=False)
    assert capsys.readouterr().out.count("2026-05-01T09:30:41.133334+02:00") == 2


def test_on_a_narrow_terminal_a_time_is_folded_and_never_cut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("biographer.ops.tables.terminal", lambda _: Console(width=40))
    moment = local_time("2026-05-01T07:30:41.133334Z", zone_of("Europe/Berlin"))
    show("streams", [{"start": moment, "watermark": moment}], as_json=False)
    shown = [line.split() for line in capsys.readouterr().out.splitlines() if any(sign.isdigit() for sign in line)]
    assert ["".join(column) for column in zip(*shown, strict=True)] == ["2026-05-01T09:30:41.133334+02:00"] * 2

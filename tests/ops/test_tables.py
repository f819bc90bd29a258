"""Tests of the tables that the command line prints."""

import json

import pytest

from biographer.ops.tables import show

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

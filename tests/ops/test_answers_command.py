"""`biographer bench answers` as it is typed, on a small memory, without networks and with a script for a model."""

import json
import os

import pytest
from click.testing import CliRunner
from daemon_doubles import NO_NETWORKS
from questioned import STREAM, kitchen_folder

from biographer.ops.cli import main


@pytest.fixture
def state(tmp_path):
    return kitchen_folder(tmp_path / "state")


@pytest.fixture
def questions(tmp_path):
    row = {"ID": "1", "type": "EntityLog", "question": "Where was the red cup?", "answer": "A", "choice_a": "table",
           "choice_b": "shelf", "query_time": {"date": "DAY1", "time": "02000000"},
           "target_time": {"date": "DAY1", "time": "00000500-00001000"}}  # fmt: skip
    file = tmp_path / "A1_JAKE.json"
    file.write_text(json.dumps([row, row | {"ID": "2", "answer": "B"}]))
    return file


def answers(questions, *arguments, code=0):
    command = ["bench", "answers", questions, "--format", "egor1", "--day-one", "1970-01-01T00:00:00Z", *arguments]
    result = CliRunner().invoke(main, [str(one) for one in command], env=NO_NETWORKS)
    assert result.exit_code == code, result.output
    return json.loads(result.stdout) if code == 0 else result.stderr


def test_a_script_answers_from_what_a_memory_holds(state, questions, tmp_path):
    lines = tmp_path / "lines.jsonl"
    told = answers(questions, "--state", state, "--lines", lines, "--rounds", 2, "--without", "graph")
    figures, knobs = told["figures"], told["parameters"]
    assert (figures["answered"], figures["accuracy"], figures["rounds"]) == (2, 50.0, 2)
    assert figures["recall_percent"]["10s"] == 100.0
    assert figures["temporal_iou"] is not None
    assert 300 < figures["context_tokens"] < 1_000
    assert knobs["search"]["without"] == ["graph"]
    assert (knobs["counter"], knobs["memory"], knobs["stream"]) == ("characters/4", "state", STREAM)
    assert json.loads(lines.with_suffix(".manifest.json").read_bytes()) == knobs
    again = answers(questions, "--state", state, "--lines", lines, "--rounds", 2, "--without", "graph")
    assert again["figures"] == figures
    assert "other settings" in answers(questions, "--state", state, "--lines", lines, "--rounds", 2, code=2)


def test_a_memory_is_named_once(state, questions, tmp_path):
    assert "one of them" in answers(questions, "--lines", tmp_path / "l.jsonl", code=2)
    assert "other" in answers(questions, "--state", state, "--stream", "other", "--lines", tmp_path / "l", code=2)


def test_names_that_are_no_utf_8_do_not_end_a_run_at_its_last_step(state, questions, tmp_path):
    named = questions.rename(tmp_path / os.fsdecode(b"jake-\xff.json"))
    told = answers(named, "--state", state, "--lines", tmp_path / "lines.jsonl", "--rounds", 1)
    assert told["parameters"]["questions"] == "jake-?.json"

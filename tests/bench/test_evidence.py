"""Reading the questions' moments, and what counts as a hit."""

import gzip
import json

import numpy as np
import pytest
from letters import Letters

from biographer.bench import embedded
from biographer.bench.egolife_questions import read_questions
from biographer.bench.evidence import hit, interval, measure
from biographer.bench.questions import MIDNIGHT_US, Question
from biographer.state.search_settings import SearchSettings


def row(target, **fields):
    asked = {"date": "DAY1", "time": "01000000"}
    return {
        "ID": "1",
        "type": "EntityLog",
        "question": "Where is the cup?",
        "query_time": asked,
        "target_time": target,
    } | fields


def at(seconds):
    return MIDNIGHT_US + round(seconds * 1_000_000)


@pytest.mark.parametrize(
    ("target", "moments"),
    [
        ({"date": "DAY1", "time": "00100050"}, ((600.5, 600.5),)),
        ({"date": "DAY2", "time": "00000100DAY2_00000200"}, ((86_401, 86_402),)),
        ({"date": "DAY1", "time_list": ["00000100", "00000300"]}, ((1, 1), (3, 3))),
    ],
)
def test_moments_are_stamps_lists_and_spans(tmp_path, target, moments):
    path = tmp_path / "questions.json"
    path.write_text(json.dumps([row(target)]))
    (question,) = read_questions(path)
    assert question.moments == tuple((at(start), at(end)) for start, end in moments)
    assert question.asked_us == at(3600)


def test_a_hit_overlaps_a_moment_and_is_no_longer_than_half_a_minute():
    question = Question("1", "EntityLog", "?", at(100), ((at(10), at(12)), (at(50), at(50))))
    assert hit(question, [(at(12), at(40))])
    assert hit(question, [(at(90), at(95)), (at(30), at(60))])
    assert not hit(question, [(at(0), at(31)), (at(13), at(43)), (at(51), at(60))])


def test_the_interval_of_equal_rankings_is_one():
    same = np.array([True, False, True, True])
    assert interval(same, same) == (1.0, 1.0)


def test_the_bench_compares_both_rankings_of_what_was_known_when_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(embedded, "kept_folder", lambda: tmp_path)
    words = ["red cup on the shelf", "a dog barks", "they cook rice", "the door opens"]
    clips = [
        {
            "clip": f"c{n}",
            "start": 30.0 * n,
            "lines": [{"start": 30 * n, "end": 30 * n + 5, "kind": "narration", "text": words[n % 4]}],
        }
        for n in range(240)
    ]
    recorded, asked = tmp_path / "clips.jsonl.gz", tmp_path / "questions.json"
    with gzip.open(recorded, "wt") as file:
        file.writelines(json.dumps(one) + "\n" for one in clips)
    asked.write_text(json.dumps([row({"date": "DAY1", "time": "00560500"})]))
    outcome = measure(recorded, asked, Letters(), SearchSettings(), lambda _: None)
    assert outcome.figures["hit_at_80"] == outcome.figures["plain_hit_at_80"] == 100.0
    assert outcome.figures["by_type_16"]["EntityLog"]["questions"] == 1
    assert outcome.figures["seconds_returned_16"] == 480
    assert outcome.meets["over_plain_80"]

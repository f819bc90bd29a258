"""Benchmark questions on a small memory: scores, lines that a broken run goes on behind, and what can be left out."""

import json
from dataclasses import replace

import pytest
from questioned import (
    STREAM,
    Scripted,
    control,
    draft,
    everywhere,
    judge,
    kitchen,
    kitchen_folder,
    plan,
    search,
    view_of,
)

from biographer.bench.answer_lines import read_lines
from biographer.bench.answer_questions import read_choices
from biographer.bench.answer_scores import overlap, recalled
from biographer.bench.answers import WITHOUT, Asked, measure
from biographer.bench.recorded import Recorded
from biographer.bench.scripted_answers import ScriptedAnswers, scripted
from biographer.daemon.answerer import Answerer
from biographer.state.errors import RefusedError, TransientError
from biographer.state.search_settings import SearchSettings
from biographer.state.times import SECOND_US

S = SECOND_US
NOWHERE = Recorded("", midnight_us=0)


def quiet(_):
    pass


@pytest.fixture
def questions(tmp_path):
    """Two questions as EgoLifeQA is published, put where the kitchen's clips are by `shifted`."""
    row = {"type": "EntityLog", "choice_a": "table", "choice_b": "shelf", "choice_c": "bin", "choice_d": "sink",
           "query_time": {"date": "DAY1", "time": "02000000"}}  # fmt: skip
    rows = [
        {**row, "ID": "1", "question": "Where was the red cup?", "answer": "A",
         "target_time": {"date": "DAY1", "time": "00000500"}},
        {**row, "ID": "3", "question": "When was the red cup washed?", "answer": "D", "type": "EventRecall",
         "target_time": {"date": "DAY1", "time": "DAY1_01000500-DAY1_01001000"}},
    ]  # fmt: skip
    file = tmp_path / "questions.json"
    file.write_text(json.dumps(rows))
    return file


@pytest.fixture
def asked(tmp_path):
    state = kitchen_folder(tmp_path / "state")
    answer = draft("x", "l0", "l3", choice="A")
    say = {"plan": plan(search("red cup")), "judge": judge("l0", "l3", "o0"), "control": control(), "answer": answer}
    speaker = Scripted(lambda stage, _: say[stage])
    index = view_of(kitchen()).index
    return Asked(state, STREAM, index, lambda _: None, Answerer(everywhere(speaker)), SearchSettings())


def test_evidence_counts_by_how_near_it_is():
    assert recalled([(100 * S, 100 * S)], [(0, 30 * S)], 60) == 0
    assert recalled([(100 * S, 100 * S)], [(0, 30 * S)], 70) == 1
    assert recalled([(0, 0), (500 * S, 500 * S)], [(0, 30 * S)], 10) == 0.5
    assert recalled([(0, 0)], [(0, 31 * S)], 3600) == 0
    assert recalled([], [(0, 1)], 10) == 0


def test_overlap_is_of_joined_spans():
    assert overlap([(0, 10)], [(5, 10), (5, 15)]) == pytest.approx(5 / 15)
    assert overlap([(0, 10)], []) == 0
    assert overlap([(5, 5)], [(0, 10)]) is None


def test_questions_are_read_in_their_own_form(questions):
    first, second = read_choices(questions, "egolifeqa", NOWHERE)
    assert (first.options[0], first.right, second.right) == ("table", "A", "D")
    assert first.asked.moments == ((5 * S,) * 2,)
    assert second.asked.moments[0][1] - second.asked.moments[0][0] == 5 * S


def test_answers_and_their_evidence_are_scored(asked, questions, tmp_path):
    outcome = measure(asked, read_choices(questions, "egolifeqa", NOWHERE), {}, tmp_path / "lines.jsonl", quiet)
    figures = outcome.figures
    assert (figures["questions"], figures["answered"], figures["accuracy"]) == (2, 2, 50.0)
    assert figures["recall_percent"]["10s"] == 100.0
    assert figures["temporal_iou"] == pytest.approx(5 / 60, abs=0.01)
    assert figures["by_type"]["EventRecall"] == {"questions": 1, "accuracy": 0.0, "score": 0.0}
    assert 300 < figures["context_tokens"] < 1_000
    assert figures["context_tokens_most"] >= figures["context_tokens"]
    assert figures["in_context"] == figures["kept"] == 3
    assert outcome.parameters["limits"]["rounds"] == 5


def test_a_run_that_was_broken_off_goes_on(asked, questions, tmp_path):
    lines, choices = tmp_path / "lines.jsonl", read_choices(questions, "egolifeqa", NOWHERE)
    measure(asked, choices[:1], {}, lines, quiet)
    with lines.open("ab") as file:
        file.write(b'{"question": "3", "ty')
    measure(asked, choices, {}, lines, quiet)
    assert [one.question for one in read_lines(lines)] == ["1", "3"]
    with pytest.raises(RefusedError, match="other settings"):
        measure(asked, choices, {"format": "other"}, lines, quiet)


def test_what_nobody_could_be_asked_is_asked_by_the_next_run(asked, questions, tmp_path):
    lines, choices = tmp_path / "lines.jsonl", read_choices(questions, "egolifeqa", NOWHERE)
    speaker = asked.answerer.speakers["answer"]
    well = speaker.says
    speaker.says = lambda stage, request: (
        TransientError("the endpoint is away")
        if "washed?" in request.text and stage == "answer"
        else well(stage, request)
    )
    with pytest.raises(TransientError, match="the endpoint is away"):
        measure(asked, choices, {}, lines, quiet)
    assert [one.question for one in read_lines(lines)] == ["1"]
    speaker.says = well
    assert measure(asked, choices, {}, lines, quiet).figures["answered"] == 2


@pytest.mark.parametrize("left_out", WITHOUT)
def test_what_is_left_out_is_left_out(asked, questions, tmp_path, left_out):
    speaker = asked.answerer.speakers["answer"]
    measure(
        replace(asked, without=(left_out,)),
        read_choices(questions, "egolifeqa", NOWHERE),
        {},
        tmp_path / "l.jsonl",
        quiet,
    )
    texts = "".join(one.text for one in speaker.asked)
    assert set(speaker.stages) == {"plan", "judge", "control", "answer"} - {left_out}
    kept = json.loads((tmp_path / "l.manifest.json").read_bytes())
    assert kept["without"] == [left_out]
    assert kept["search"]["without"] == ([] if left_out in ("plan", "judge") else [left_out])
    assert "| [o" in texts
    assert "| [l" in texts
    assert ("e0 (" in texts) == (left_out != "association")
    # Without a judge all is kept, and nothing more is to be told.
    told = left_out not in ("association", "biographies", "judge")
    assert ("Seen 2 more times, not shown here" in texts) == told


def test_without_a_model_one_search_is_scored(asked, questions, tmp_path):
    silent = replace(asked, answerer=Answerer())
    figures = measure(
        silent, read_choices(questions, "egolifeqa", NOWHERE), {}, tmp_path / "lines.jsonl", quiet
    ).figures
    assert (figures["answered"], figures["accuracy"], figures["rounds"]) == (0, None, 1)
    assert figures["recall_percent"]["30s"] == 100.0


def test_questions_without_options_are_scored_by_their_evidence(asked, tmp_path):
    rows = [
        {"sample_id": 7, "segment_id": STREAM, "category": "time", "Q": "When was the cup seen?", "A": "Twice.",
         "T": [[0, 30], [3600, 3630]]},
        {"sample_id": 8, "segment_id": STREAM, "category": "time", "Q": "When was it washed?", "A": "At one.",
         "T": [3605, 3610]},
        {"sample_id": 9, "segment_id": "another", "category": "time", "Q": "x", "A": "x", "T": [1, 2]},
    ]  # fmt: skip
    file = tmp_path / "multihop.json"
    file.write_text(json.dumps(rows))
    choices = read_choices(file, "multihop", asked.recorded(0))
    assert [one.asked.name for one in choices] == ["7", "8"]
    assert choices[1].asked.moments == ((3605 * S, 3610 * S),)
    figures = measure(asked, choices, {}, tmp_path / "lines.jsonl", quiet).figures
    assert (figures["answered"], figures["accuracy"]) == (2, None)
    assert figures["temporal_iou"] == pytest.approx((1 + 5 / 60) / 2, abs=0.001)


def test_answers_in_words_are_graded_against_the_reference(asked, tmp_path):
    rows = [
        {"question_id": "q1", "question": "Where was the cup?", "answer": "On the table."},
        {"question_id": "q2", "question": "Was it washed?", "answer": "Not yet.", "before_clip": 3},
    ]
    file = tmp_path / "m3.json"
    file.write_text(json.dumps({STREAM: {"qa_list": rows}}))
    choices = read_choices(file, "m3", asked.recorded(0))
    assert [one.asked.asked_us for one in choices] == [3630 * S, 90 * S]
    grades = {"Where was the cup?": True, "Was it washed?": False}

    def says(_, request):
        question = request.text.partition("Question: ")[2].partition("\n")[0]
        assert "> " not in request.text
        assert "| x" in request.text
        return {"why": "it says so", "right": grades[question]}

    graded = replace(asked, grader=Scripted(says))
    figures = measure(graded, choices, {}, tmp_path / "lines.jsonl", quiet).figures
    assert (figures["answered"], figures["accuracy"]) == (2, 50.0)
    assert figures["recall_percent"]["10s"] is None


def test_a_script_asks_in_place_of_a_model(asked, questions, tmp_path):
    choices = read_choices(questions, "egolifeqa", NOWHERE)
    outcome = measure(replace(asked, answerer=scripted(Answerer(), 1.0)), choices, {}, tmp_path / "l.jsonl", quiet)
    assert (outcome.figures["answered"], outcome.figures["rounds"], outcome.figures["tokens"]) == (2, 1, 0)
    assert outcome.figures["kept"] == outcome.figures["items"] > 3
    assert outcome.parameters["models"]["plan"] == "script of 1 rounds"


def test_a_part_of_a_round_is_made_for_that_part_of_the_questions():
    script = ScriptedAnswers(2.4, 5)
    made = []
    for number in range(300):
        for left in range(4, 0, -1):
            text = f"Question: where was cup {number}?\nA. here\nB. there\n\nRounds of searches left: {left}."
            if json.loads(script.says("Decision", text))["action"] == "answer":
                made.append(5 - left)
                break
    assert set(made) == {2, 3}
    assert sum(made) / len(made) == pytest.approx(2.4, abs=0.06)


def test_answers_to_lifelong_questions_are_graded_by_points(asked, tmp_path):
    rows = [
        {"index": points, "question": f"How was it, {points}?", "answer": "Fine.", "question_type": "Counting",
         "clue_interval": [{"video_id": STREAM, "intervals": [[0, 30]]}], "total_intervals": [[900, 930]]}
        for points in range(6)
    ]  # fmt: skip
    file = tmp_path / "val.json"
    file.write_text(json.dumps(rows))

    def says(prompt, request):
        assert prompt == "grade_points"
        return {"why": "so it is", "points": int(request.text.partition("How was it, ")[2][0])}

    graded, lines = replace(asked, grader=Scripted(says)), tmp_path / "lines.jsonl"
    figures = measure(graded, read_choices(file, "mmlifelong", asked.recorded(0)), {}, lines, quiet).figures
    assert [one.worth for one in read_lines(lines)] == [0, 0, 0, 0.5, 1, 1]
    assert (figures["accuracy"], figures["score"]) == (33.3, 41.7)
    assert figures["temporal_iou"] == 0.5

"""Benchmarks' own files: what each format's fields mean, and what is said of one that does not fit."""

import json

import pytest

from biographer.bench.answer_questions import FORMATS, digest_of, read_choices
from biographer.bench.questions import MIDNIGHT_US
from biographer.bench.recorded import Recorded
from biographer.state.errors import RefusedError
from biographer.state.times import SECOND_US

S = SECOND_US
DAY = 86_400
WEEK = Recorded.of("week", [(100 * S, 130 * S), (130 * S, 160 * S), (1000 * S, 1060 * S)])
"""60 s, a gap of 840 s, 60 s."""


def day(number, time):
    return {"date": f"DAY{number}", "time": time}


def choice(**fields):
    row = {"ID": 7, "type": "EntityLog", "question": "Where was the cup?", "answer": "B"}
    times = {"query_time": day(1, "02000000"), "target_time": day(1, "00000500")}
    return row | times | {f"choice_{letter}": f"place {letter}" for letter in "abcd"} | fields


def lifelong(**fields):
    row = {"index": 3, "question": "Who sang?", "answer": "Ann.", "question_type": "Counting",
           "temporal_certificate": "Short", "total_intervals": [[10, 20], [70, 80]]}  # fmt: skip
    return row | fields


def read(tmp_path, form, rows, recorded=WEEK, name="questions.json"):
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(rows, indent=1))
    return read_choices(file, form, recorded)


def at(seconds):
    return MIDNIGHT_US + round(seconds * S)


@pytest.mark.parametrize(
    ("target", "moments"),
    [
        (day(6, "12332505-12542517"), [(5 * DAY + 45_205.05, 5 * DAY + 46_465.17)]),
        (day(1, "11153417DAY2_11181201"), [(40_534.17, DAY + 40_692.01)]),
        (day(1, "9083000"), [(32_910, 32_910)]),
        (day(1, 9083000), [(32_910, 32_910)]),
        ({"date": "DAY1", "time_list": ["00000100", "00000300-00000500"]}, [(1, 1), (3, 5)]),
        (None, []),
    ],
)
def test_ego_r1_has_stretches_lost_zeros_and_questions_without_a_target(tmp_path, target, moments):
    (one,) = read(tmp_path, "egor1", [choice(target_time=target)])
    assert one.asked.moments == tuple((at(start), at(end)) for start, end in moments)


def test_ego_r1_is_asked_at_the_later_end_of_a_stretch(tmp_path):
    (one,) = read(tmp_path, "egor1", [choice(query_time=day(2, "12041900-12003000"))])
    assert one.asked.asked_us == at(DAY + 43_459)


def test_ego_r1_folders_are_read_together_and_tell_equal_ids_apart(tmp_path):
    for folder in ("manual-benchmark", "gemini-benchmark"):
        read(tmp_path, "egor1", [choice()], name=f"{folder}/A1_JAKE.json")
    both = read_choices(tmp_path, "egor1", WEEK)
    assert [one.asked.name for one in both] == ["gemini-benchmark/7", "manual-benchmark/7"]
    alone = digest_of(tmp_path / "manual-benchmark" / "A1_JAKE.json")
    assert alone != digest_of(tmp_path)
    with pytest.raises(RefusedError, match="has no \\*-benchmark"):
        read_choices(tmp_path / "manual-benchmark", "egor1", WEEK)


def test_day_one_may_be_put_elsewhere(tmp_path):
    (one,) = read(tmp_path, "egolifeqa", [choice()], Recorded("week", midnight_us=5 * S))
    assert one.asked.moments == ((10 * S, 10 * S),)


def test_a_whole_lifelong_split_counts_recorded_seconds_and_no_gaps(tmp_path):
    clues = [{"video_id": "day1", "intervals": [[10, 20]]}, {"video_id": "day2", "intervals": [[10, 20]]}]
    (one,) = read(tmp_path, "mmlifelong", [lifelong(clue_intervals=clues)])
    assert one.asked.moments == ((110 * S, 120 * S), (1010 * S, 1020 * S))
    assert (one.asked.asked_us, one.asked.type, one.reference) == (1060 * S, "Counting", "Ann.")
    assert one.options == ()


def test_the_one_video_of_a_lifelong_day_names_none(tmp_path):
    reversed_pairs = lifelong(clue_intervals=[[20, 10]], total_intervals=[[20, 10]])
    (one,) = read(tmp_path, "mmlifelong", [reversed_pairs])
    assert one.asked.moments == ((110 * S, 120 * S),)


def test_a_lifelong_video_by_itself_is_asked_what_needs_no_other(tmp_path):
    here = {"video_id": "14", "intervals": [[5, 6]]}
    there = {"video_id": "19", "intervals": [[1, 2]]}
    rows = [
        lifelong(index=1, clue_interval=[here]),
        lifelong(index=2, clue_interval=[here, there]),
        lifelong(index=3, clue_interval=[there]),
    ]
    (one,) = read(tmp_path, "mmlifelong", rows, Recorded("14", ((100 * S, 200 * S),)))
    assert (one.asked.name, one.asked.moments) == ("1", ((105 * S, 106 * S),))


def test_recorded_seconds_stop_at_the_end():
    assert [WEEK.played(second) for second in (0, 60, 61, 119, 500)] == [
        100 * S,
        160 * S,
        1001 * S,
        1059 * S,
        1060 * S,
    ]
    assert WEEK.spans == ((100 * S, 160 * S), (1000 * S, 1060 * S))


@pytest.mark.parametrize(
    ("form", "row", "told"),
    [
        ("egolifeqa", choice(answer="E"), ": field answer"),
        ("egolifeqa", choice(target_time=day(1, "soon")), "field target_time: field time is .soon.*HHMMSSFF"),
        ("egolifeqa", choice(target_time={"date": "DAY1"}), "field target_time: field time is missing"),
        ("egolifeqa", choice(query_time=day("", "02000000")), "field query_time: field date is .DAY.*DAYn"),
        ("egor1", choice(query_time="2 o'clock"), "field query_time .* an object"),
        ("egor1", choice(target_time=day(1, "99000000")), "a time of day"),
        ("egor1", choice(choice_b=None, choice_c=None, choice_d=None), "field choice_b .* an option"),
        (
            "mmlifelong",
            lifelong(clue_intervals=[[1, 2]], total_intervals=[[1]]),
            "total_intervals is .* in seconds",
        ),
        ("mmlifelong", lifelong(clue_interval=[{"intervals": [[1, 2]]}]), "field clue_interval\\[0\\].*video_id"),
        ("mmlifelong", lifelong(clue_intervals=[[1, 2]], answer=""), "field answer is .* words"),
        ("multihop", {"segment_id": "week", "sample_id": 1, "category": "c", "Q": "q", "A": "a", "T": "x"}, "field T"),
    ],
)
def test_what_does_not_fit_is_named_by_line_and_field(tmp_path, form, row, told):
    with pytest.raises(RefusedError, match=f"questions.json line 2.*{told}"):
        read(tmp_path, form, [row])


def test_a_file_that_is_none_says_where_it_breaks(tmp_path):
    file = tmp_path / "questions.json"
    for text, told in (('[\n{"ID": 1},\n{"ID": ]', "line 3: this is no JSON"), ("{}", "a list of questions"),
                       ("[1]", "a question is an object"), ('[{"ID": 1}', "no JSON")):  # fmt: skip
        file.write_text(text)
        with pytest.raises(RefusedError, match=told):
            read_choices(file, "egolifeqa", WEEK)
    with pytest.raises(RefusedError, match="two questions named 7"):
        read(tmp_path, "egolifeqa", [choice(), choice()])
    with pytest.raises(RefusedError, match="asks nothing of a video 'week'"):
        read(tmp_path, "m3", {"another": {"qa_list": []}})
    with pytest.raises(RefusedError, match="formats are egolifeqa, egor1, mmlifelong"):
        read_choices(file, "mine", WEEK)
    assert set(FORMATS) == {"egolifeqa", "egor1", "mmlifelong", "multihop", "m3"}


@pytest.mark.parametrize("broken", ["[" * 100_000, '[{"ID": ' + "9" * 5000 + "}]"])
def test_depths_and_numbers_that_no_reader_takes_are_told_of_as_broken(tmp_path, broken):
    """A breaker's find: a traceback instead."""
    file = tmp_path / "questions.json"
    file.write_text(broken)
    with pytest.raises(RefusedError, match="line 1: this is no JSON"):
        read_choices(file, "egolifeqa", WEEK)


@pytest.mark.parametrize(
    ("form", "rows"),
    [
        ("egolifeqa", [choice(query_time=day("99999999", "02000000"))]),
        ("egolifeqa", [choice(query_time=day("9" * 5000, "02000000"))]),
        ("mmlifelong", [lifelong(total_intervals=[[0, 1e308]])]),
        ("mmlifelong", [lifelong(total_intervals=[[0, float("inf")]])]),
        ("m3", {"week": {"qa_list": [{"question_id": "1", "question": "q", "answer": "a", "before_clip": 10**12}]}}),
    ],
)
def test_times_of_no_calendar_are_refused_where_they_stand(tmp_path, form, rows):
    """A breaker's find: a traceback instead."""
    with pytest.raises(RefusedError, match="it has to be"):
        read(tmp_path, form, rows)


HALF = "a cup \udc4d"
IN_WORDS = {"segment_id": "week", "sample_id": 7, "category": "c", "Q": "q", "A": "a", "T": [1, 2]}
M3 = {"question_id": "7", "question": "q", "answer": "a"}


@pytest.mark.parametrize(
    ("form", "rows", "field"),
    [
        ("egolifeqa", [choice(question=HALF)], "question"),
        ("egolifeqa", [choice(choice_c=HALF)], "choice_c"),
        ("egor1", [choice(choice_a=HALF)], "choice_a"),
        ("egor1", [choice(type=HALF)], "type"),
        ("multihop", [IN_WORDS | {"A": HALF}], "A"),
        ("mmlifelong", [lifelong(index=7, question=HALF, clue_interval=[])], "question"),
        ("m3", {"week": {"qa_list": [M3 | {"answer": HALF}]}}, "answer"),
    ],
)
def test_half_letters_are_refused_with_file_question_and_remedy(tmp_path, form, rows, field):
    """A breaker's find: JSON spells what no report, request or line can hold; an option failed hours later."""
    with pytest.raises(RefusedError) as caught:
        read(tmp_path, form, rows)
    told = str(caught.value)
    for part in ("questions.json", "question '7'", f"field {field} has half a letter, \\udc4d", "both of its halves"):
        assert part in told
    told.encode()


def test_a_question_whose_name_is_half_a_letter_is_refused_by_its_line(tmp_path):
    with pytest.raises(RefusedError, match=r"questions\.json line 2: field ID has half a letter"):
        read(tmp_path, "egolifeqa", [choice(ID=HALF)])


def test_options_are_words_or_numbers_and_both_halves_are_a_letter(tmp_path):
    (one,) = read(tmp_path, "egolifeqa", [choice(choice_a="\U0001f44d", choice_b=2, choice_c=None, choice_d=True)])
    assert one.options == ("\U0001f44d", "2", "", "True")
    with pytest.raises(RefusedError, match=r"question '7': field choice_a is .* words"):
        read(tmp_path, "egolifeqa", [choice(choice_a=["a cup"])])

"""The search bench in miniature: it measures what it says, on a memory of a made-up week."""

import gzip
import json
import threading

import pytest
from letters import Letters

from biographer.bench import embedded, under_ingest
from biographer.bench.report import Report, publish_part
from biographer.bench.sample import shipped_sample
from biographer.bench.search import Workload, measure
from biographer.bench.timed_search import TimedSearch
from biographer.bench.told_week import SCALES, Told, ToldRecording
from biographer.bench.under_ingest import seeded
from biographer.state.folder import StateFolder
from biographer.state.search_settings import SearchSettings
from biographer.state.verify import verdict
from biographer.state.views import Views

pytest.importorskip("igraph")

WORDS = ["the red cup", "a door opens", "milk on the table", "my phone rings", "into the garden"]


def quiet(_):
    """Say nothing."""


@pytest.fixture(autouse=True)
def tiny(monkeypatch, tmp_path):
    monkeypatch.setattr(embedded, "kept_folder", lambda: tmp_path)
    monkeypatch.setitem(SCALES, "week", 12 * 49)
    monkeypatch.setattr(under_ingest, "_IDLE_S", 0.4)
    monkeypatch.setattr(under_ingest, "_TURN_S", 0.4)
    monkeypatch.setattr(under_ingest, "_FRESH", 30)


@pytest.fixture
def files(tmp_path):
    clips, questions = tmp_path / "clips.jsonl.gz", tmp_path / "questions.json"
    with gzip.open(clips, "wt") as file:
        for number in range(8):
            lines = [
                {"kind": kind, "start": 30 * number + at, "end": 30 * number + at + 2, "text": WORDS[(number + at) % 5]}
                for at, kind in enumerate(["narration", "speech", "narration"])
            ]
            file.write(json.dumps({"clip": f"w{number}", "start": 30 * number, "lines": lines}) + "\n")
    asked = {"date": "DAY1", "time": "01000000"}
    rows = [
        {"ID": str(n), "type": "x", "question": text, "query_time": asked, "target_time": asked}
        for n, text in enumerate(WORDS)
    ]
    questions.write_text(json.dumps(rows))
    return clips, questions


def test_ranking_is_timed_and_compared_with_igraph_and_the_exact_walk(files):
    work = Workload("week", 4, solves=1, parts=("ranking",))
    figures = measure(work, *files, Letters(), SearchSettings(residual=1e-7), quiet).figures
    assert figures["observations"] == 12 * 49
    assert figures["windows"] > 0
    assert figures["overlap_top50"] >= 0.98
    assert 0 < figures["p50_ms"] <= figures["p95_ms"]
    assert figures["over_igraph"] == pytest.approx(figures["p50_ms"] / figures["igraph_ms"], rel=0.01)


def test_searches_are_timed_beside_a_writer_that_is_timed_as_well(files):
    found = measure(Workload("week", 4, parts=("ingest",)), *files, Letters(), SearchSettings(), quiet)
    tracks = found.figures["under_ingest"]["tracks"]
    assert tracks["clips_a_second_alone"] > 0
    assert tracks["rate_kept"] == pytest.approx(tracks["clips_a_second"] / tracks["clips_a_second_alone"], abs=0.01)
    assert tracks["idle_p95_ms"] > 0
    assert set(found.meets) == {"under_ingest_tracks_p95", "under_ingest_tracks_rate"}


def test_a_seeded_memory_of_the_weeks_words_is_sound_and_searched_like_one_that_grew(files, tmp_path):
    told = Told.of(files[0], Letters(), quiet)
    recording = seeded(tmp_path / "state", told, "week", 7, quiet)
    folder = StateFolder(tmp_path / "state", recording.rule)
    stream = folder.stream("bench")
    grown = ToldRecording(told, shipped_sample(), 42, 7)
    assert verdict(stream.store, stream.memory).faults == ()
    assert {line.text for line in grown.perceived(3).clip.lines} <= set(WORDS)
    search = TimedSearch(WORDS, Letters(), SearchSettings())
    assert search.once(Views(stream.memory.index), 0) > 0
    stream.apply(recording.perceived(12))
    assert len(stream.memory.index.texts.codes) == len(set(told.vectors))
    folder.close()


def test_an_open_loop_counts_from_a_searchs_turn_and_not_from_its_start(monkeypatch):
    """A search that waits for the one before is late by as much: a closed loop would not tell."""
    search, pause = TimedSearch(["x"], Letters(), SearchSettings()), threading.Event()
    monkeypatch.setattr(TimedSearch, "once", lambda *_: pause.wait(0.05))
    taken = search.open_loop(None, 0.01, 0.04)
    assert len(taken) == 4
    assert taken == sorted(taken)
    assert taken[-1] > 4 * 0.05 - 0.04


def test_parts_are_put_together_in_one_file(files, tmp_path, capsys):
    output = tmp_path / "search.json"
    for parts in (("ranking",), ("ingest",)):
        work = Workload("week", 3, solves=1, parts=parts)
        publish_part(measure(work, *files, Letters(), SearchSettings(), quiet), output)
    whole = json.loads(output.read_text())
    assert {"p50_ms", "under_ingest"} <= set(whole["figures"])
    assert {"over_igraph", "under_ingest_tracks_p95"} <= set(whole["meets"])
    assert set(whole) == set(Report.__struct_fields__)
    capsys.readouterr()

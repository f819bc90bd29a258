"""The journal: a line a clip, never a flood, and word of what takes long."""

import io
import json
import logging

import pytest
import structlog
from daemon_doubles import RULE, ListSource, Scripted, clip, real_perception, running, until
from structlog.testing import capture_logs

from biographer.daemon.journal import LINES, SPAN_S, Journal
from biographer.daemon.logs import configure_logs
from biographer.daemon.sections import Log
from biographer.daemon.work import Work
from biographer.models.stages import Stage, Stages
from biographer.state.memory import Memory
from biographer.streams.record import Record, position_behind


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def journal(clock):
    return Journal(structlog.get_logger(), clock, lambda: 2_500_000)


def work(number, sent_us=1_000_000):
    record = Record("clips", 0, number, b"a", b"", sent_us)
    return Work(record, position_behind(record), clip("a", number))


def lines(logs, event):
    return [one for one in logs if one["event"] == event]


async def test_each_clip_is_told_with_what_came_of_it_and_where_its_time_went(tmp_path):
    source = ListSource()
    with capture_logs() as logs:
        async with running(tmp_path, source, Scripted()):
            source.send([clip("a", 0), clip("a", 1), clip("a", 3), clip("a", 2)])
            await until(lambda: len(lines(logs, "clip remembered")) == 4)
    told = lines(logs, "clip remembered")
    assert [one["clip"] for one in told] == [f"clip-{number:05}" for number in (0, 1, 3, 2)]
    assert [one["stream"] for one in told] == ["a"] * 4
    assert [(one["observations"], one["new"] + one["met"]) for one in told] == [(2, 2)] * 4
    assert told[0]["new"] == 2
    assert sum(one["met"] for one in told) > 0
    assert [one.get("late", False) for one in told] == [False, False, False, True]
    assert all(one["log_level"] == "info" and set(one["seconds"]) >= {"apply"} for one in told)


async def test_a_clip_that_comes_again_is_not_told_again(tmp_path):
    source = ListSource()
    with capture_logs() as logs:
        async with running(tmp_path, source):
            source.send([clip("a", 0)] * 3)
            await source.committed()
            await until(lambda: lines(logs, "clip remembered"))
    assert len(lines(logs, "clip remembered")) == 1


@pytest.fixture
def change():
    memory = Memory("a", RULE, lambda _: None)
    return memory.plan(real_perception().perceive(clip("a", 0)))


def test_a_backlog_is_summed_up_instead_of_flooding_the_log(journal, clock, change):
    with capture_logs() as logs:
        for number in range(1_000):
            journal.remembered(work(number), change, 0.001)
        assert len(logs) == LINES
        journal.tell()
        assert len(logs) == LINES
        clock.now += SPAN_S
        journal.tell()
        journal.tell()
        journal.remembered(work(1_000), change, 0.001)
    assert [one["event"] for one in logs[LINES:]] == ["further clips remembered", "clip remembered"]
    assert logs[LINES]["clips"] == 1_000 - LINES
    assert logs[LINES]["observations"] == 2 * (1_000 - LINES)


def test_what_was_left_untold_is_told_at_the_end(journal, change):
    with capture_logs() as logs:
        for number in range(LINES + 3):
            journal.remembered(work(number), change, 0.001)
        journal.close()
        journal.close()
    assert [one["clips"] for one in lines(logs, "further clips remembered")] == [3]


def test_stages_and_the_lag_since_it_was_sent_stand_in_the_line(journal, change):
    stages = Stages()
    stages.seconds[Stage.DETECT] = 1.23456
    journal.perceived(change.clip, stages)
    with capture_logs() as logs:
        journal.remembered(work(0), change, 0.0625)
        journal.remembered(work(0, sent_us=-1), change, 0.0625)
    assert logs[0]["seconds"] == {"detect": 1.235, "apply": 0.062}
    assert logs[0]["lag_s"] == 1.5
    assert "lag_s" not in logs[1]
    assert logs[1]["seconds"] == {"apply": 0.062}


def test_stages_of_clips_that_are_never_applied_do_not_pile_up(journal):
    for number in range(5_000):
        journal.perceived(type("Clip", (), {"stream": "a", "name": f"c{number}"}), Stages())
    assert len(journal._timings) < 1_000


def test_a_clip_long_at_work_is_told_now_and_then(journal, clock):
    at_work = work(7)
    journal.begin(at_work)
    with capture_logs() as logs:
        for _ in range(25):
            clock.now += 1
            journal.tell()
        journal.end(at_work)
        clock.now += 100
        journal.tell()
    assert [(one["event"], one["clip"], one["so_far_s"]) for one in logs] == [
        ("clip still at work", "clip-00007", 10),
        ("clip still at work", "clip-00007", 20),
    ]


async def test_the_pipeline_notes_what_is_at_work_and_forgets_it(tmp_path):
    source, perception = ListSource(), Scripted()
    perception.gate.clear()
    async with running(tmp_path, source, perception) as rig:
        source.send([clip("a", 0)])
        await until(lambda: perception.began)
        assert [one.message.clip for one in rig.journal._at_work] == ["clip-00000"]
        perception.gate.set()
        await source.committed()
        await until(lambda: not rig.journal._at_work)


@pytest.fixture
def own_logs():
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


@pytest.mark.usefixtures("own_logs")
def test_a_line_is_one_json_object(clock, change):
    out = io.StringIO()
    Journal(configure_logs(Log(format="json"), out), clock, lambda: 5).remembered(work(0), change, 0.5)
    (line,) = map(json.loads, out.getvalue().splitlines())
    assert (line["event"], line["stream"], line["seconds"]) == ("clip remembered", "a", {"apply": 0.5})

"""The writer beside a real pipeline: what is due is asked for, filed once, and found again after a restart."""

import asyncio
from itertools import count

import structlog
from daemon_doubles import SECOND, ListSource, clip, running, until
from structlog.testing import capture_logs
from writing_rig import CLIPS, EVERY, all_written, answered, counts, hashes, pieces, remarks, section, sent, writing

from biographer.bench.language_server import FOR_EVER, LanguageServer, Play
from biographer.daemon.language import LanguageModels
from biographer.daemon.language_section import Language
from biographer.daemon.metrics import Metrics
from biographer.daemon.writers import StreamWriters
from biographer.state.description import Description, Undescribable
from biographer.state.errors import TransientError


async def test_all_that_is_due_is_asked_for_once_and_filed(tmp_path):
    source = ListSource()
    async with LanguageServer() as server:
        source.send(sent())
        async with writing(tmp_path, source, section(server.url)) as (rig, writers):
            await all_written(rig)
            await until(lambda: not any(writers.gauges()["writing_waiting"][2].values()), 0.01)
            assert len(server.asked) == sum(EVERY.values())
            page = rig.metrics.page().decode()
    assert 'biographer_written_total{outcome="written",writing="description"} 40.0' in page
    assert {one.clip for one in remarks(tmp_path, "description")} == {f"clip-{n:05}" for n in range(20)}


async def test_a_device_that_sends_no_pictures_is_told_once_that_nothing_can_be_seen(tmp_path):
    source = ListSource()
    async with LanguageServer() as server:
        source.send(clip("anna", number) for number in range(8))
        only = section(server.url, model="", models={"describer": "small"})
        async with writing(tmp_path, source, only) as (rig, _):
            await until(lambda: pieces(rig).count("description") == 8, 0.01)
        assert server.asked == []
    assert all("picture" in one.reason for one in remarks(tmp_path, "undescribable"))


async def test_ingest_goes_on_while_no_model_answers(tmp_path):
    """The endpoint takes for ever; every clip is applied and committed all the same."""
    source = ListSource()
    async with LanguageServer(lambda _: Play(delay_s=FOR_EVER)) as server:
        source.send(sent())
        async with writing(tmp_path, source, section(server.url, concurrency=3)) as (rig, writers):
            await source.committed()
            await until(lambda: len(server.asked) == 3, 0.01)
            assert len(rig.clips("anna")) == CLIPS
            assert counts(rig) == dict.fromkeys(EVERY, 0)
            assert server.most_at_once == 3
            await until(lambda: sum(writers.gauges()["writing_waiting"][2].values()) == sum(EVERY.values()), 0.01)
    assert remarks(tmp_path, "caption") == []


async def test_what_was_not_written_is_written_after_a_restart_and_nothing_twice(tmp_path):
    """The second life has nothing to read from the log, and ends with what one life would have written."""
    source = ListSource()
    async with LanguageServer() as server:
        source.send(sent())
        async with writing(tmp_path / "two", source, section(server.url, concurrency=2)) as (rig, _):
            await source.committed()
            await until(lambda: len(pieces(rig)) >= 20, 0.001)
        first = len(remarks(tmp_path / "two", "description"))
        async with writing(tmp_path / "two", source, section(server.url)) as (rig, _):
            await all_written(rig)
        source = ListSource()
        source.send(sent())
        async with writing(tmp_path / "one", source, section(server.url)) as (rig, _):
            await all_written(rig)
    assert first < EVERY["description"]
    assert hashes(tmp_path / "two") == hashes(tmp_path / "one")


async def test_a_failing_endpoint_is_left_alone_and_all_is_written_once_it_is_back(tmp_path):
    source, down = ListSource(), {"now": True}
    async with LanguageServer(lambda _: Play(status=503) if down["now"] else None) as server:
        source.send(sent())
        async with writing(tmp_path, source, section(server.url)) as (rig, writers):
            await source.committed()
            await until(lambda: any(writers.gauges()["writing_held"][2].values()), 0.001)
            await until(lambda: writers.gauges()["language_breaker"][2]["describer"] > 0, 0.001)
            assert rig.waiting == {}
            down["now"] = False
            await all_written(rig)
            await until(lambda: not any(writers.gauges()["writing_held"][2].values()), 0.001)
            assert len(set(rig.folder.stream("anna").store.select("SELECT * FROM piece"))) == sum(EVERY.values())


async def test_a_refused_key_keeps_the_work_and_says_why(tmp_path):
    source = ListSource()
    async with LanguageServer(key="right") as server:
        source.send(sent(4))
        async with writing(tmp_path, source, section(server.url)) as (rig, writers):
            await until(lambda: writers.gauges()["writing_held"][2]["caption"] == 1, 0.001)
            assert pieces(rig) == []
            await until(lambda: writers.gauges()["writing_waiting"][2]["caption"] == 4, 0.001)


async def test_what_a_model_will_never_answer_is_recorded_and_not_asked_again(tmp_path):
    source = ListSource()
    async with LanguageServer(lambda _: Play(text="no form at all")) as server:
        source.send(sent(6))
        only = section(server.url, model="", models={"describer": "small"})
        async with writing(tmp_path, source, only) as (rig, _):
            await until(lambda: pieces(rig).count("description") == 4, 0.01)
            asked = len(server.asked)
            source.send(sent(1, first=6))
            await until(lambda: pieces(rig).count("description") == 6, 0.01)
        assert len(server.asked) - asked == asked // 2
    assert all(isinstance(one, Undescribable) for one in remarks(tmp_path, "undescribable"))


async def test_what_is_written_does_not_depend_on_how_fast_or_when_a_model_answers(tmp_path):
    """As-of rests on it: the same log and answers give the same words, known at the same times."""
    found = []
    for delays in ((0.0,), (0.02, 0.0, 0.05, 0.01)):
        path = tmp_path / str(len(delays))
        turns, source = count(), ListSource()

        def script(asked, turns=turns, delays=delays):
            return answered(asked, delays[next(turns) % len(delays)])

        async with (
            LanguageServer(script) as server,
            writing(path, source, section(server.url, concurrency=5)) as (rig, _),
        ):
            for message in sent():
                source.send([message])
                await source.committed()
            await all_written(rig)
        found.append(hashes(path))
    assert found[0] == found[1]


async def test_two_streams_are_written_each_into_its_own(tmp_path):
    """getzep/graphiti#1676: not one remark crosses."""
    source = ListSource()
    async with LanguageServer() as server:
        for one, other in zip(sent(stream="anna"), sent(stream="ben"), strict=True):
            source.send([one, other])
        async with writing(tmp_path, source, section(server.url)) as (rig, _):
            await all_written(rig, "anna")
            await all_written(rig, "ben")
    for stream in ("anna", "ben"):
        assert all(isinstance(one, Description) for one in remarks(tmp_path, "description", stream))
        assert len(remarks(tmp_path, "caption", stream)) == EVERY["caption"] + EVERY["summary"]


async def test_without_an_endpoint_nothing_is_different(tmp_path):
    source = ListSource()
    source.send(sent())
    async with writing(tmp_path / "told", source, Language()) as (rig, writers):
        await source.committed()
        assert not any(writers.gauges()["language_role"][2].values())
        assert rig.folder.stream("anna").version == CLIPS
    source = ListSource()
    source.send(sent())
    async with running(tmp_path / "bare", source):
        await source.committed()
    assert hashes(tmp_path / "told") == hashes(tmp_path / "bare")


async def test_parts_that_are_off_are_told_once_at_the_start(tmp_path):
    loop = asyncio.get_running_loop()
    told = Language(url="http://127.0.0.1:9/v1", models={"describer": "small"})
    models = LanguageModels(told, clock=loop.time, random=lambda: 1.0, wall=lambda: 0.0)
    with capture_logs() as logs:
        StreamWriters(tmp_path, models, None, None, Metrics(), structlog.get_logger()).tell()
    await models.close()
    (line,) = logs
    assert line["event"] == "language models: off"
    assert "captioner" in line
    assert "describer" not in line


async def test_a_recording_that_ends_is_described_to_its_end(tmp_path):
    """No watermark comes for the last 40 s: a flush in the log says so, and a replay decides alike."""
    source = ListSource()
    async with LanguageServer() as server:
        source.send(sent(6))
        only = section(server.url, model="", models={"describer": "small"}, quiet_s=0.05)
        async with writing(tmp_path / "live", source, only) as (rig, _):
            await until(lambda: pieces(rig).count("description") == 12, 0.01)
            await source.committed()
        assert rig.flushes.items
        async with writing(tmp_path / "again", source, section(server.url, model="", models=only.models)) as (rig, _):
            source.seek(0, 0)
            await until(lambda: pieces(rig).count("description") == 12, 0.01)
    assert hashes(tmp_path / "live") == hashes(tmp_path / "again")


async def test_a_recording_of_a_minute_has_its_summaries_names_and_chains_once_it_rests(tmp_path):
    """Its windows are closed for writing; what comes after all re-opens them, and a replay decides alike."""
    minute = {"description": 12, "caption": 6, "relations": 6, "summary": 3, "names": 1, "chains": 1}
    whole = {"description": 24, "caption": 12, "relations": 12, "summary": 7, "names": 3, "chains": 3}
    source = ListSource()
    async with LanguageServer(answered) as server:
        source.send(sent(6))
        async with writing(tmp_path / "live", source, section(server.url, quiet_s=0.05)) as (rig, _):
            await until(lambda: counts(rig) == minute, 0.01)
            source.send(sent(6, first=6))
            await until(lambda: counts(rig) == whole, 0.01)
            await source.committed()
        async with writing(tmp_path / "again", source, section(server.url, quiet_s=0)) as (rig, _):
            source.seek(0, 0)
            await until(lambda: counts(rig) == whole, 0.01)
    assert hashes(tmp_path / "live") == hashes(tmp_path / "again")
    hours = [one for one in remarks(tmp_path / "live", "caption") if one.stretch.scale == "1h"]
    # From the first rest on the first minute was told, from the second on all of it.
    assert sorted((one.known_us, len(one.stretch.clips)) for one in hours) == [
        ((1_000 + 10 * count) * SECOND, count) for count in (6, 12)
    ]


def rests(rig):
    """The clips, by number, behind which the stream rested."""
    query = "SELECT place FROM piece WHERE writing = 'end' ORDER BY place"
    return [place for (place,) in rig.folder.stream("anna").store.select(query)]


async def test_a_flush_that_is_read_again_is_no_rest_of_what_came_after_it(tmp_path):
    """faust-streaming/faust#323: the same log once more, from another offset, leaves the words as they were."""
    source = ListSource()
    async with running(tmp_path, source) as rig:
        source.send(sent(6))
        await rig.rest("anna")
        source.send(sent(6, first=6))
        await source.committed()
        assert rests(rig) == [5]
    source.seek(0, 0)
    source.commits.clear()
    async with running(tmp_path, source) as rig:
        await source.committed()
        assert rests(rig) == [5]
        await rig.rest("anna")
        await source.committed()
        assert rests(rig) == [5, 11]


async def test_a_log_that_has_only_some_of_the_known_clips_comes_to_rest_by_its_second_flush(tmp_path):
    source, other = ListSource(), ListSource()
    async with running(tmp_path, source) as rig:
        source.send(sent(4))
        await source.committed()
    other.send(sent(2))
    async with running(tmp_path, other) as rig:
        for expected in ([], [3]):
            await rig.rest("anna")
            await other.committed()
            assert rests(rig) == expected


async def test_a_flush_that_the_broker_does_not_take_is_told_and_sent_again(tmp_path):
    source, taken = ListSource(), []

    async def flaky(*_):
        if not taken:
            taken.append(False)
            raise TransientError("the broker is away; start it")
        taken.append(True)

    async with LanguageServer() as server:
        source.send(sent(1))
        only = section(server.url, model="", models={"describer": "small"}, quiet_s=0.02)
        with capture_logs() as logs:
            async with writing(tmp_path, source, only) as (rig, _):
                rig.flushes.send = flaky
                await until(lambda: True in taken, 0.01)
    told = [one for one in logs if one["event"] == "no flush was sent"]
    assert [(one["stream"], one["reason"]) for one in told] == [("anna", "the broker is away; start it")]

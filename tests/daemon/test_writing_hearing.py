"""Hearing beside a real pipeline: what is said in a clip becomes lines of it, once, and late makes no difference."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace

import structlog
from daemon_doubles import ListSource, real_perception, running, until
from sounds import film, sound, speech
from writing_rig import answered, hashes, pieces, remarks, section, sent, writing

from biographer.bench.language_server import FOR_EVER, LanguageServer, Play
from biographer.daemon.language import LanguageModels
from biographer.daemon.writing_roles import inline_hearing_of
from biographer.state.cut import cut_of
from biographer.state.line import Line, LineKind
from biographer.state.query import Query
from biographer.state.recalled_clips import Span, episodes, lines
from biographer.state.recalled_remarks import with_texts
from biographer.state.search import search
from biographer.state.search_settings import SearchSettings
from biographer.state.view import View

SPOKEN = film(sound(3.0, speech(2.0), 5.0))
SILENT = film(sound(10.0))

ONLY = {"model": "", "models": {"transcriber": "small"}}
BOTH = {"model": "", "models": {"transcriber": "small", "describer": "small", "captioner": "small"}}


def filmed(count, files=(SPOKEN,), first=0):
    """Clips of 10 s with a film each, in turn; what was said in them nobody has written down."""
    return [replace(one, video=files[n % len(files)]) for n, one in enumerate(sent(count, first=first))]


def told(asked):
    """Hear the same everywhere; write what follows from the question."""
    return Play("Where is the lantern?") if asked.path == "audio/transcriptions" else answered(asked)


def heard_by(server):
    return [one for one in server.asked if one.path == "audio/transcriptions"]


def keeping(path, source, told_so, **more):
    return writing(path, source, told_so, perception=real_perception("clips"), **more)


async def test_what_is_said_becomes_lines_that_are_read_and_found(tmp_path):
    source = ListSource()
    async with LanguageServer(told) as server:
        source.send(filmed(3, (SPOKEN, SILENT)))
        async with keeping(tmp_path, source, section(server.url, **ONLY)) as (rig, _):
            await until(lambda: pieces(rig).count("hearing") == 3, 0.01)
            stream = rig.folder.stream("anna")
            with cut_of(stream.store.database.path, "anna") as cut:
                first, second, third = (lines(cut, number) for number in range(3))
                texts = [one.text for one in with_texts(cut, episodes(cut, Span(None, None, (-1, -1, -1), 9)))]
            found = search(View(stream.memory.index), Query("lantern", limit=3), SearchSettings()).items
        assert len(heard_by(server)) == 2
    assert [(one.kind, one.text) for one in (*first[1:], *third[1:])] == 2 * [
        (LineKind.SPEECH, "Where is the lantern?")
    ]
    assert 1_002_000_000 < first[1].start_us < 1_003_500_000
    assert len(second) == 1
    assert ["Where is the lantern?" in text for text in texts] == [True, False, True]
    best = next(one for one in found if one.scale == "local")
    assert "Where is the lantern?" in best.text


async def test_as_of_the_clips_end_it_was_said_and_before_it_was_not(tmp_path):
    source = ListSource()
    async with LanguageServer(told) as server:
        source.send(filmed(2))
        async with keeping(tmp_path, source, section(server.url, **ONLY)) as (rig, _):
            await until(lambda: pieces(rig).count("hearing") == 2, 0.01)
            memory = rig.folder.stream("anna").memory
            for as_of_us, clips in ((1_009_999_999, 0), (1_010_000_000, 1), (None, 2)):
                items = search(View(memory.index, as_of_us), Query("lantern", limit=9), SearchSettings()).items
                assert sum("lantern" in one.text for one in items if one.scale == "local") == clips


async def test_a_clip_that_brings_its_words_is_not_listened_to(tmp_path):
    source, said = ListSource(), Line(1_000_000_000, 1_001_000_000, LineKind.SPEECH, "Here.", "Anna")
    async with LanguageServer(told) as server:
        first, second = filmed(2)
        source.send([replace(first, lines=(said,)), second])
        async with keeping(tmp_path, source, section(server.url, **ONLY)) as (rig, _):
            await until(lambda: pieces(rig).count("hearing") == 1, 0.01)
            await source.committed()
        assert len(heard_by(server)) == 1


async def test_ingest_goes_on_while_nobody_answers_and_a_restart_hears_the_rest_once(tmp_path):
    source, deaf = ListSource(), {"now": True}
    async with LanguageServer(lambda asked: Play(delay_s=FOR_EVER) if deaf["now"] else told(asked)) as server:
        source.send(filmed(6))
        async with keeping(tmp_path, source, section(server.url, concurrency=2, **ONLY)) as (rig, _):
            await source.committed()
            await until(lambda: len(server.asked) == 2, 0.01)
            assert (len(rig.clips("anna")), pieces(rig)) == (6, [])
        deaf["now"] = False
        async with keeping(tmp_path, source, section(server.url, **ONLY)) as (rig, _):
            await until(lambda: pieces(rig).count("hearing") == 6, 0.01)
        assert len(heard_by(server)) == 2 + 6
    assert len(remarks(tmp_path, "heard")) == 6


async def test_what_is_written_of_a_clip_reads_what_was_said_however_late_it_is_heard(tmp_path):
    found = []
    for path, slow_s in ((tmp_path / "quick", 0.0), (tmp_path / "slow", 0.1)):
        source = ListSource()

        def script(asked, slow_s=slow_s):
            return replace(told(asked), delay_s=slow_s if asked.path == "audio/transcriptions" else 0.0)

        async with LanguageServer(script) as server:
            source.send(filmed(7))
            async with keeping(path, source, section(server.url, **BOTH)) as (rig, _):
                await until(
                    lambda rig=rig: (pieces(rig).count("description"), pieces(rig).count("caption")) == (6, 7), 0.01
                )
            written = [one.text for one in server.asked if one.path != "audio/transcriptions"]
            assert len(written) == 6 + 7
            assert all("Where is the lantern?" in text for text in written)
        found.append(hashes(path))
    assert found[0] == found[1]


async def test_a_transcriber_that_fails_is_not_waited_for_for_ever(tmp_path):
    source, down = ListSource(), {"now": True}

    def script(asked):
        return Play(status=503) if down["now"] and asked.path == "audio/transcriptions" else told(asked)

    async with LanguageServer(script) as server:
        source.send(filmed(6))
        other = {"urls": {"transcriber": server.url.replace("127.0.0.1", "localhost")}}
        async with keeping(tmp_path, source, section(server.url, hearing_s=0.05, **BOTH, **other)) as (rig, _):
            await until(lambda: pieces(rig).count("caption") == 6, 0.01)
            assert pieces(rig).count("hearing") == 0
            down["now"] = False
            await until(lambda: pieces(rig).count("hearing") == 6, 0.01)
    assert len(remarks(tmp_path, "heard")) == 6


async def test_a_sound_that_no_model_takes_is_noted_and_the_rest_is_heard(tmp_path):
    source = ListSource()
    async with LanguageServer(told) as server:
        server.play(Play(status=400), Play(status=400))
        source.send(filmed(2))
        async with keeping(tmp_path, source, section(server.url, concurrency=1, **ONLY)) as (rig, _):
            await until(lambda: pieces(rig).count("hearing") == 2, 0.01)
    (gone,) = remarks(tmp_path, "unwritten")
    assert (gone.writing, len(remarks(tmp_path, "heard"))) == ("hearing", 1)


@asynccontextmanager
async def inline(path, source, server, **more):
    """A pipeline that keeps no clips, and so listens within perception."""
    loop = asyncio.get_running_loop()
    models = LanguageModels(
        section(server.url, **{**ONLY, **more}), clock=loop.time, random=lambda: 1.0, wall=lambda: 0.0
    )
    hearing = inline_hearing_of(models, "crops", loop, structlog.get_logger())
    try:
        async with running(path, source, real_perception(hearing=hearing)) as rig:
            yield rig
    finally:
        await models.close()


async def test_where_no_clips_are_kept_they_are_listened_to_in_hand(tmp_path):
    source = ListSource()
    async with LanguageServer(told) as server:
        source.send(filmed(2, (SPOKEN, SILENT)))
        async with inline(tmp_path, source, server) as rig:
            await source.committed()
            assert pieces(rig) == ["hearing", "hearing"]
        assert len(server.asked) == 1
    (heard,) = remarks(tmp_path, "heard")
    assert (heard.known_us, [line.text for line in heard.lines]) == (1_010_000_000, ["Where is the lantern?"])


async def test_a_clip_in_hand_goes_on_unheard_where_nobody_answers_in_time(tmp_path):
    source = ListSource()
    async with LanguageServer(lambda _: Play(delay_s=FOR_EVER)) as server:
        source.send(filmed(1))
        async with inline(tmp_path, source, server, inline_s=0.3) as rig:
            await source.committed()
            assert (len(rig.clips("anna")), pieces(rig)) == (1, [])
            await server.left.wait()


def test_clips_that_are_kept_are_heard_later():
    models = LanguageModels(section("http://127.0.0.1:9/v1", **ONLY), clock=float, random=float, wall=float)
    assert inline_hearing_of(models, "clips", None, None) is None
    assert inline_hearing_of(models, "nothing", None, None) is not None
    nobody = LanguageModels(section("http://127.0.0.1:9/v1"), clock=float, random=float, wall=float)
    assert inline_hearing_of(nobody, "nothing", None, None) is None

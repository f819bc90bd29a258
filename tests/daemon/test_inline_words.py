"""Inline description: a clip waits for its words, for so long; what had none by then is described like any other."""

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import replace

import structlog
from daemon_doubles import ListSource, real_perception, running, until
from writing_rig import answered, pieces, remarks, section, sent, writing

from biographer.bench.language_server import FOR_EVER, LanguageServer, Play
from biographer.daemon.language import LanguageModels
from biographer.daemon.writing_roles import inline_words_of
from biographer.state.description import Mode
from biographer.state.line import Line, LineKind

ONLY = {"model": "", "models": {"describer": "small", "embedder": "small"}}


def perceiving(models, path):
    """Perception that describes inline."""
    words = inline_words_of(models, asyncio.get_running_loop(), structlog.get_logger(), path)
    return real_perception(words=words)


@asynccontextmanager
async def inline(path, source, server, **told):
    """A pipeline that describes within perception, and nothing beside it."""
    loop = asyncio.get_running_loop()
    models = LanguageModels(
        section(server.url, **{**ONLY, "mode": "inline", **told}), clock=loop.time, random=lambda: 1.0, wall=lambda: 0.0
    )
    try:
        async with running(path, source, perceiving(models, path)) as rig:
            yield rig
    finally:
        await models.close()


def described(asked):
    """Say what was asked about, and embed as ever."""
    if asked.path == "embeddings":
        return None
    form = json.loads(answered(asked).text)
    return Play(json.dumps({**form, "name": "mug", "summary": "A mug of the wearer's."}))


async def test_a_clip_is_described_and_embedded_with_its_words_before_association(tmp_path):
    source = ListSource()
    async with LanguageServer(described) as server:
        source.send(sent(3))
        async with inline(tmp_path, source, server) as rig:
            await source.committed()
            store = rig.folder.stream("anna").store
            assert list(store.select("SELECT DISTINCT text FROM observation")) == [("mug. A mug of the wearer's.",)]
            assert list(store.select("SELECT DISTINCT embedder FROM entity")) == [("small:crops+text",)]
            assert pieces(rig).count("description") == 6
    for one in remarks(tmp_path, "description"):
        assert (one.mode, one.known_us) == (Mode.INLINE, 1_010_000_000 + 10_000_000 * int(one.clip[-5:]))


async def test_only_lines_that_ended_with_the_clip_are_read(tmp_path):
    source = ListSource()
    (message,) = sent(1)
    end = message.start_us + message.duration_us
    lines = (
        Line(message.start_us, end, LineKind.SPEECH, "heard in time"),
        Line(end - 1, end + 1, LineKind.SPEECH, "still being said"),
    )
    async with LanguageServer(described) as server:
        source.send([replace(message, lines=lines)])
        async with inline(tmp_path, source, server):
            await source.committed()
        told = "\n".join(one.text for one in server.asked)
    assert "heard in time" in told
    assert "still being said" not in told


async def test_a_clip_goes_on_undescribed_after_its_time_and_is_described_later(tmp_path):
    source = ListSource()
    async with LanguageServer(lambda _: Play(delay_s=FOR_EVER)) as server:
        source.send(sent(6))
        async with inline(tmp_path, source, server, inline_s=0.3) as rig:
            await source.committed()
            assert pieces(rig) == []
            assert len(rig.clips("anna")) == 6
    async with LanguageServer() as server:
        deferred = section(server.url, model="", models={"describer": "small"}, mode="inline")
        async with writing(tmp_path, ListSource(), deferred) as (rig, _):
            await until(lambda: pieces(rig).count("description") == 4, 0.01)
    assert {one.mode for one in remarks(tmp_path, "description")} == {Mode.DEFERRED}


async def test_a_failing_endpoint_loses_no_clip(tmp_path):
    source = ListSource()
    async with LanguageServer(lambda _: Play(status=503)) as server:
        source.send(sent(6))
        async with inline(tmp_path, source, server) as rig:
            await source.committed()
            assert (len(rig.clips("anna")), rig.waiting, rig.letters.items) == (6, {}, [])


async def test_a_daemon_that_stops_does_not_wait_for_an_answer(tmp_path):
    source = ListSource()
    async with LanguageServer(lambda _: Play(delay_s=FOR_EVER)) as server:
        source.send(sent(2))
        async with inline(tmp_path, source, server) as rig:
            await until(lambda: server.asked, 0.01)
        assert rig.letters.items == []
    async with running(tmp_path, source) as rig:
        assert rig.clips("anna") == []


async def test_a_vector_of_another_length_than_those_of_the_stream_sets_no_clip_aside(tmp_path):
    """After a start as well: the gallery says how long they are, whatever the endpoint answers first."""
    source, odd = ListSource(), Play(body=b'{"data": [{"index": 0, "embedding": [1, 2]}]}')
    async with LanguageServer(described) as server:
        source.send(sent(1))
        async with inline(tmp_path, source, server) as rig:
            await source.committed()
    async with LanguageServer(lambda asked: odd if asked.path == "embeddings" else described(asked)) as server:
        source.send(sent(1, first=1))
        async with inline(tmp_path, source, server) as rig:
            await source.committed()
            assert rig.clips("anna") == ["clip-00000", "clip-00001"]
            assert pieces(rig).count("description") == 2
        assert rig.letters.items == []


async def test_deferred_describes_nothing_within_perception(tmp_path):
    loop = asyncio.get_running_loop()
    models = LanguageModels(section("http://127.0.0.1:9/v1"), clock=loop.time, random=lambda: 1.0, wall=lambda: 0.0)
    assert inline_words_of(models, loop, structlog.get_logger(), tmp_path) is None
    await models.close()

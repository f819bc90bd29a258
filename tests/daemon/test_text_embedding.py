"""Texts embedded at an endpoint: in place of the network, with words alone while it fails, and never two mixed."""

import asyncio
import json
from pathlib import Path

import msgspec
import pytest
from daemon_doubles import NO_NETWORKS, RULE, ListSource, real_perception, running
from language_rig import language
from sightings import clip
from writing_rig import section, sent

from biographer.bench.language_server import DIM, LanguageServer, Play
from biographer.daemon.language import LanguageModels
from biographer.daemon.networks import Networks
from biographer.daemon.settings import Settings, read_settings
from biographer.daemon.text_embedding import endpoint_texts, refuse_another, texts_for_command
from biographer.models.waiting import OnLoop
from biographer.state.errors import RefusedError, TransientError
from biographer.state.folder import StateFolder

ONLY = {"model": "", "models": {"text_embedder": "small"}}


def models_at(url, clock=float):
    return LanguageModels(section(url, **ONLY), clock=clock, random=lambda: 1.0, wall=lambda: 0.0)


def stored(rig):
    rows = rig.folder.stream("anna").store.fetch("SELECT clip, embedder FROM words ORDER BY clip")
    return dict(rows)


async def test_clips_and_questions_are_embedded_there(tmp_path):
    source = ListSource()
    async with LanguageServer() as server:
        models = models_at(server.url)
        texts = endpoint_texts(models, OnLoop(asyncio.get_running_loop()), tmp_path)
        source.send(sent(2))
        async with running(tmp_path, source, real_perception(texts=texts)) as rig:
            await source.committed()
            assert stored(rig) == {0: f"small:{DIM}", 1: f"small:{DIM}"}
        question = await asyncio.to_thread(texts.of_question, "where is the cup")
        await models.close()
    assert (question.embedder, len(question.vector)) == (f"small:{DIM}", DIM)


async def test_while_it_fails_clips_go_on_and_readiness_says_why(tmp_path):
    source, told, down, time = ListSource(), [], {"now": True}, [0.0]
    async with LanguageServer(lambda _: Play(status=503) if down["now"] else None) as server:
        models = models_at(server.url, lambda: time[0])
        texts = endpoint_texts(models, OnLoop(asyncio.get_running_loop()), tmp_path, told.append)
        source.send(sent(2))
        async with running(tmp_path, source, real_perception(texts=texts)) as rig:
            await source.committed()
            assert (rig.clips("anna"), stored(rig)) == (["clip-00000", "clip-00001"], {})
            assert "texts have no vectors" in told[-1]
            assert await asyncio.to_thread(texts.of_question, "cup") is None
            down["now"] = False
            time[0] += 1.0  # for less the breaker leaves it alone
            source.send(sent(1, first=2))
            await source.committed()
            assert list(stored(rig)) == [2]
            assert told[-1] is None
        await models.close()


async def test_without_anybody_to_tell_a_failure_is_raised(tmp_path):
    async with language(lambda _: Play(status=503)) as (server, _, _):
        models = models_at(server.url)
        texts = endpoint_texts(models, OnLoop(asyncio.get_running_loop()), tmp_path)
        with pytest.raises(TransientError):
            await asyncio.to_thread(texts.of_question, "cup")
        await models.close()


async def test_where_nobody_plays_it_there_is_none(tmp_path):
    loop = asyncio.get_running_loop()
    models = LanguageModels(section("http://127.0.0.1:9/v1"), clock=loop.time, random=float, wall=float)
    assert endpoint_texts(models, OnLoop(loop), tmp_path) is None
    with texts_for_command(section("http://127.0.0.1:9/v1"), tmp_path) as texts:
        assert texts is None


def of_length(dim):
    """An answer with vectors of a length, to as many texts as were asked about."""

    def answer(asked):
        rows = [{"index": n, "embedding": [1.0, *[0.5] * (dim - 1)]} for n in range(len(asked.body["input"]))]
        return Play(body=json.dumps({"data": rows}).encode())

    return answer


async def test_one_answer_of_another_length_spoils_nothing(tmp_path):
    """A start behind a server that still had another model: until the next, every text was refused its vector."""
    source, told, answer, time = ListSource(), [], {"now": of_length(3)}, [0.0]

    def answering(asked):
        return answer["now"](asked)

    async with LanguageServer(answering) as server:
        models = models_at(server.url, lambda: time[0])
        texts = endpoint_texts(models, OnLoop(asyncio.get_running_loop()), tmp_path, told.append)
        assert (await asyncio.to_thread(texts.of_question, "cup")).embedder == "small:3"
        answer["now"] = of_length(5)
        assert await asyncio.to_thread(texts.of_question, "door") is None
        assert "5 numbers, 3 before" in told[-1]
        assert (await asyncio.to_thread(texts.of_question, "door")).embedder == "small:5"
        # What was kept of the first length is of no use any more.
        assert (await asyncio.to_thread(texts.of_question, "cup")).embedder == "small:5"
        assert told[-1] is None
        source.send(sent(1))
        async with running(tmp_path, source, real_perception(texts=texts)) as rig:
            await source.committed()
            assert stored(rig) == {0: "small:5"}
        # From here on what is stored says which length is right, before and after a start.
        for again in (texts, endpoint_texts(models, OnLoop(asyncio.get_running_loop()), tmp_path, told.append)):
            answer["now"] = of_length(3)
            assert await asyncio.to_thread(again.of_question, "milk") is None
            assert "3 numbers where 5 are stored" in told[-1]
            answer["now"] = of_length(5)
            assert (await asyncio.to_thread(again.of_question, "milk")).embedder == "small:5"
        await models.close()


def settings_for(folder: Path, embedder: str = "none", **language_told: object) -> Settings:
    settings = read_settings(None, {"BIOGRAPHER_PERCEIVE_TEXT_EMBEDDER": embedder})
    state = msgspec.structs.replace(settings.state, folder=str(folder))
    return msgspec.structs.replace(settings, state=state, language=section("http://127.0.0.1:9/v1", **language_told))


async def test_a_change_of_embedder_is_refused_with_what_to_do(tmp_path):
    """Vectors of two embedders compare with nowhere: a search would find by half of them, and nobody would know."""
    source = ListSource()
    async with LanguageServer() as server:
        models = models_at(server.url)
        texts = endpoint_texts(models, OnLoop(asyncio.get_running_loop()), tmp_path)
        source.send(sent(1))
        async with running(tmp_path, source, real_perception(texts=texts)):
            await source.committed()
        await models.close()
    refuse_another(settings_for(tmp_path, **ONLY))
    refuse_another(settings_for(tmp_path, "none"))
    for changed in (settings_for(tmp_path, "minilm-l6-int8"), settings_for(tmp_path, models={"text_embedder": "smal"})):
        with pytest.raises(
            RefusedError, match=f"stream 'anna' have vectors of 'small:{DIM}'.*name that embedder again"
        ):
            refuse_another(changed)


def test_a_stream_without_vectors_is_anybodys(tmp_path):
    folder = StateFolder(tmp_path, RULE)
    folder.stream("wearer").apply(clip("c0", 0))
    folder.close()
    refuse_another(settings_for(tmp_path, **ONLY))


def test_a_store_that_another_program_wrote_is_left_to_who_opens_it(tmp_path):
    """One of the version before is brought up to date by its writer, which may not have come to it yet."""
    folder = StateFolder(tmp_path, RULE)
    stream = folder.stream("wearer")
    with stream.store.database.transaction() as cursor:
        cursor.execute("UPDATE meta SET value = 1 WHERE key = 'schema'")
    refuse_another(settings_for(tmp_path, **ONLY))
    folder.close()


def test_networks_take_it_in_place_of_their_own(tmp_path):
    with texts_for_command(section("http://127.0.0.1:9/v1", **ONLY), tmp_path) as texts:
        assert Networks.load(read_settings(None, NO_NETWORKS), texts).texts is texts

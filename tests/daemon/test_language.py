"""Who plays which language role, by the settings; keys go only where they belong."""

import asyncio

import pytest
from daemon_doubles import until
from language_rig import language

from biographer.bench.language_server import FOR_EVER, LanguageServer, Play
from biographer.daemon.judge import Judgement
from biographer.daemon.language import LanguageModels
from biographer.daemon.language_roles import INSTEAD, NAMED_ONLY, TEXTS_S, LanguageRole, endpoint_of, off, played
from biographer.daemon.language_section import Language
from biographer.models.breaker import BreakerState
from biographer.models.chat import ChatRequest, Turn
from biographer.models.language_endpoint import LanguageEndpoint
from biographer.models.prompt import Prompt
from biographer.state.errors import BiographerError, RefusedError, TransientError

URL = "http://127.0.0.1:8000/v1"


def opened(section):
    return LanguageModels(section, clock=lambda: 0.0, random=lambda: 0.0, wall=lambda: 0.0)


async def test_nothing_is_configured_at_first_and_each_part_says_what_serves_instead():
    assert played(Language()) == ()
    assert off(Language()) == INSTEAD
    assert set(INSTEAD) == set(LanguageRole)
    models = opened(Language())
    assert models.chat(LanguageRole.ANSWERER) is None
    assert models.embedding(LanguageRole.EMBEDDER) is None
    assert models.transcriber() is None


def test_how_an_endpoint_is_asked_is_tuned_where_it_is_done():
    assert endpoint_of(Language(url=URL), LanguageRole.JUDGE) == LanguageEndpoint(URL)


def test_one_model_plays_all_that_reads_and_writes():
    roles = {one.role: one for one in played(Language(url=URL, model="vl"))}
    assert set(roles) == set(LanguageRole) - NAMED_ONLY
    assert {one.model for one in roles.values()} == {"vl"}


def test_roles_may_be_played_elsewhere_by_others_or_not_at_all(tmp_path):
    file = tmp_path / "key"
    file.write_text("theirs\n")
    section = Language(
        url=URL,
        model="vl",
        key="ours",
        models={"embedder": "e", "judge": "small"},
        urls={"embedder": "http://e/v1", "judge": "http://j/v1"},
        key_files={"judge": str(file)},
        off=("captioner",),
    )
    roles = {one.role: one for one in played(section)}
    assert roles[LanguageRole.EMBEDDER].endpoint.key == ""
    assert roles[LanguageRole.JUDGE].endpoint.key == "theirs"
    assert roles[LanguageRole.JUDGE].model == "small"
    assert roles[LanguageRole.ANSWERER].endpoint.key == "ours"
    assert LanguageRole.CAPTIONER in off(section)


@pytest.mark.parametrize(
    ("section", "reason"),
    [
        (Language(url=URL, models={"poet": "m"}), "'poet', which is no role; roles are describer"),
        (Language(url=URL, off=("poet",)), r"language\.off names"),
        (Language(model="m"), "without language.url"),
        (Language(url=URL), "without language.model"),
        (Language(url=URL, model="m", key_file="/nowhere/key"), "can't be read"),
        (Language(url="host:8000", model="m"), "no http"),
    ],
)
def test_what_cannot_be_is_refused(section, reason):
    with pytest.raises(RefusedError, match=reason):
        played(section)


async def test_roles_of_one_endpoint_say_whether_they_are_served():
    async with language(server=LanguageServer(models=("vl", "e"))) as (server, _, _):
        section = Language(
            url=server.url,
            model="vl",
            models={"embedder": "e", "transcriber": "whisper", "text_embedder": "t"},
            urls={"text_embedder": "http://127.0.0.1:9/v1"},
            tries=1,
        )
        models = opened(section)
        assert set(models.breakers) == set(models.played)
        assert {one.state for one in models.breakers.values()} == {BreakerState.CLOSED}
        said = await models.checked()
        assert said[LanguageRole.DESCRIBER] == f"vl at {server.url}"
        assert said[LanguageRole.EMBEDDER] == f"e at {server.url}"
        assert isinstance(said[LanguageRole.TRANSCRIBER], BiographerError)
        assert "it serves: vl, e" in str(said[LanguageRole.TRANSCRIBER])
        assert "check that it runs" in str(said[LanguageRole.TEXT_EMBEDDER])
        assert len(server.asked) == 1
        judge = models.chat(LanguageRole.JUDGE)
        assert judge is models.chat(LanguageRole.JUDGE)
        await judge.fill(ChatRequest(Prompt("try", "Say."), (Turn("user", ("something",)),)), Judgement)
        assert models.spent[LanguageRole.JUDGE].requests == 1
        await models.close()


SAY = ChatRequest(Prompt("try", "Say."), (Turn("user", ("something",)),))


async def test_what_one_role_asks_may_fail_without_the_others():
    """A model that reads no pictures answers 500 to each that is sent: nobody else is kept from asking for it."""
    failing = {"describer"}

    def script(asked):
        return Play(status=500) if asked.body["model"] in failing else None

    async with LanguageServer(script, models=("vl", "describer")) as server:
        models = opened(Language(url=server.url, model="vl", models={"describer": "describer"}, tries=1))
        describer = models.chat(LanguageRole.DESCRIBER)
        for _ in range(models.played[LanguageRole.DESCRIBER].endpoint.breaker_failures):
            with pytest.raises(TransientError):
                await describer.fill(SAY, Judgement)
        assert models.breakers[LanguageRole.DESCRIBER].state is BreakerState.OPEN
        for role in (LanguageRole.SUMMARISER, LanguageRole.ANSWERER):
            assert models.breakers[role].state is BreakerState.CLOSED
            await models.chat(role).fill(SAY, Judgement)
        await models.close()


async def test_a_question_waits_for_no_writer():
    """All places of the writers are taken, for ever; writers share them."""

    def script(asked):
        return Play(delay_s=FOR_EVER) if asked.body["model"] == "slow" else None

    async with LanguageServer(script, models=("slow", "quick")) as server:
        section = Language(
            url=server.url, model="slow", models={"answerer": "quick", "relater": "quick"}, concurrency=2, tries=1
        )
        models = opened(section)
        writing = [asyncio.create_task(models.chat(LanguageRole.CAPTIONER).fill(SAY, Judgement)) for _ in range(2)]
        await until(lambda: len(server.asked) == 2, 0.001)
        other = asyncio.create_task(models.chat(LanguageRole.RELATER).fill(SAY, Judgement))
        await models.chat(LanguageRole.ANSWERER).fill(SAY, Judgement)
        assert not other.done()
        for task in (*writing, other):
            task.cancel()
        await asyncio.gather(*writing, other, return_exceptions=True)
        await models.close()


async def test_neither_clips_nor_questions_wait_for_writers_to_have_their_texts_embedded():
    """A breaker's find: with all places of the writers taken, every clip stood still, and the daemon's start."""

    def script(asked):
        return Play(delay_s=FOR_EVER) if asked.path == "chat/completions" else None

    async with LanguageServer(script) as server:
        models = opened(Language(url=server.url, model="small", models={"text_embedder": "small"}, concurrency=2))
        writing = [asyncio.create_task(models.chat(LanguageRole.CAPTIONER).fill(SAY, Judgement)) for _ in range(2)]
        await until(lambda: len(server.asked) == 2, 0.001)
        async with asyncio.timeout(10):
            assert len(await models.embedding(LanguageRole.TEXT_EMBEDDER).of_texts(["cup"])) == 1
        for task in writing:
            task.cancel()
        await asyncio.gather(*writing, return_exceptions=True)
        await models.close()


def test_an_embedder_of_texts_that_hangs_is_not_waited_for_as_long_as_one_who_writes():
    waits_s = {role: endpoint_of(Language(url=URL), role).answer_s for role in LanguageRole}
    assert waits_s[LanguageRole.TEXT_EMBEDDER] == TEXTS_S < waits_s[LanguageRole.CAPTIONER]
    assert endpoint_of(Language(url=URL, answer_s=3), LanguageRole.TEXT_EMBEDDER).answer_s == 3

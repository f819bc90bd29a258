"""The client's contract with any endpoint: what it sends, survives, gives up and never shows."""

import asyncio
import logging
from contextlib import suppress
from random import Random

import pytest
from language_rig import language

from biographer.bench.language_server import FOR_EVER, LanguageServer, Play
from biographer.models.breaker import BreakerState
from biographer.models.language_endpoint import LanguageEndpoint
from biographer.models.language_fault import Fault, FaultKind, fault_of
from biographer.state.errors import RefusedError, TransientError

KEY = "sk-very-secret"
BODY = {"model": "small", "messages": [{"role": "user", "content": "hello there"}]}
CHAT = "chat/completions"


async def test_it_asks_with_its_key_and_counts_nothing_else():
    async with language(server=LanguageServer(key=KEY), key=KEY) as (server, client, pauses):
        assert b"nothing to say" in await client.ask(CHAT, BODY)
        assert await client.models() == ("small",)
        assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
        assert server.asked[0].body == BODY
        assert pauses.seconds == []


async def test_what_passes_is_tried_again_with_growing_pauses():
    async with language(tries=4, pause_first_s=1, pause_last_s=3) as (server, client, pauses):
        server.play(Play(status=500), Play(cut=True), Play(status=503))
        assert isinstance(await client.ask(CHAT, BODY), bytes)
        assert pauses.seconds == [1, 2, 3]
        assert client.breaker.state is BreakerState.CLOSED


async def test_a_busy_server_says_when_to_come_back_and_opens_no_breaker():
    async with language(tries=3, breaker_failures=1) as (server, client, pauses):
        server.play(Play(status=429, headers={"retry-after": "7"}), Play(status=429, headers={"retry-after": "900"}))
        assert isinstance(await client.ask(CHAT, BODY), bytes)
        assert pauses.seconds == [7, client.endpoint.pause_last_s]
        assert client.breaker.state is BreakerState.CLOSED


@pytest.mark.parametrize(
    ("play", "kind"),
    [
        (Play(status=401), FaultKind.SETUP),
        (Play(status=404), FaultKind.SETUP),
        (Play(status=307), FaultKind.SETUP),
        (Play(status=400, text="too long"), FaultKind.REQUEST),
        (Play(status=501), FaultKind.REQUEST),
    ],
)
async def test_what_never_will_succeed_is_sent_once(play, kind):
    async with language() as (server, client, _):
        server.play(play)
        fault = await client.ask(CHAT, BODY)
        assert isinstance(fault, Fault)
        assert fault.kind is kind
        assert len(server.asked) == 1
        assert client.breaker.state is BreakerState.CLOSED
        with pytest.raises(RefusedError, match=str(play.status)):
            fault.raised()


async def test_a_slow_server_is_left_after_its_time():
    async with language(tries=1, answer_s=0.05) as (server, client, _):
        server.play(Play(delay_s=FOR_EVER))
        fault = await client.ask(CHAT, BODY)
        assert fault.kind is FaultKind.PASSING
        assert "0.05 s" in fault.reason
        await asyncio.wait_for(server.left.wait(), 5)


async def test_nobody_there_opens_the_breaker_and_a_recovered_one_closes_it():
    async with language(tries=1, breaker_failures=2, breaker_pause_s=30) as (server, client, pauses):
        server.play(Play(status=500), Play(status=500))
        for _ in range(2):
            await client.ask(CHAT, BODY)
        assert client.breaker.state is BreakerState.OPEN
        fault = await client.ask(CHAT, BODY)
        assert fault.kind is FaultKind.LEFT_ALONE
        assert "2 times" in fault.reason
        assert len(server.asked) == 2
        with pytest.raises(TransientError, match="30 s"):
            fault.raised()
        pauses.now += 30
        assert isinstance(await client.ask(CHAT, BODY), bytes)
        assert client.breaker.state is BreakerState.CLOSED


async def test_no_server_at_all():
    async with language(url="http://127.0.0.1:9/v1", tries=2) as (_, client, pauses):
        fault = await client.ask(CHAT, BODY)
        assert fault.kind is FaultKind.PASSING
        assert len(pauses.seconds) == 1
        with pytest.raises(TransientError, match="check that it runs"):
            await client.models()


async def test_no_more_requests_at_once_than_allowed():
    async with language(lambda _: Play(delay_s=0.01), concurrency=3) as (server, client, _):
        answers = await asyncio.gather(*(client.ask(CHAT, BODY) for _ in range(12)))
        assert all(isinstance(answer, bytes) for answer in answers)
        assert server.most_at_once == 3


async def test_an_abandoned_task_closes_its_connection_within_a_second():
    async with language(breaker_failures=1) as (server, client, _):
        server.play(Play(delay_s=FOR_EVER))
        task = asyncio.create_task(client.ask(CHAT, BODY))
        await asyncio.wait_for(server.arrived.wait(), 5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.left.wait(), 1)
        assert client.breaker.state is BreakerState.CLOSED
        assert isinstance(await client.ask(CHAT, BODY), bytes)


async def test_the_key_is_shown_nowhere(caplog):
    caplog.set_level(logging.DEBUG)
    async with language(server=LanguageServer(key="another"), key=KEY) as (_, client, _):
        fault = await client.ask(CHAT, BODY)
        assert "Bearer (key)" in fault.reason
        assert "language.key_file" in fault.reason
        assert KEY not in f"{fault} {client.endpoint} {caplog.text}"


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ({"url": "ftp://host/v1"}, "no http"),
        ({"url": "http://me:pass@host/v1"}, "language.key_file"),
        ({"url": "http://host/v1", "key": "two words"}, "no header takes"),
        ({"url": "http://host/v1", "tries": 0}, "at least 1"),
    ],
)
def test_an_endpoint_that_cannot_be_is_refused_without_its_secrets(told, reason):
    with pytest.raises(RefusedError, match=reason) as refused:
        LanguageEndpoint(**told)
    assert "pass" not in str(refused.value).replace("password", "")
    assert "two words" not in str(refused.value)


def test_retry_after_may_be_a_date():
    fault = fault_of(503, "", "it", "Mon, 12 Jan 1970 13:46:50 GMT", 1_000_000.0)
    assert fault.again_s == 10
    assert fault_of(503, "", "it", "soon", 0.0).again_s is None


async def test_who_asks_once_it_is_closed_is_answered_like_anybody():
    """A breaker's find: a question at the daemon's end was a fault of ours in the log, with its traceback."""
    async with language() as (_, client, pauses):
        await client.close()
        fault = await client.ask(CHAT, BODY)
        assert isinstance(fault, Fault)
        assert (fault.kind, "we are stopping" in fault.reason) == (FaultKind.LEFT_ALONE, True)
        assert pauses.seconds == []


async def test_hundreds_that_are_hung_up_on_leave_no_place_taken():
    """A breaker's find: httpx's pool lost some connections with their places, in the end all, and nobody was asked."""
    plays = [Play(), Play(status=500), Play(cut=True), Play(delay_s=0.005), Play(delay_s=0.02)]
    turns = Random(1)
    async with language(lambda _: turns.choice(plays), concurrency=8, tries=1, breaker_failures=10**6) as (
        _,
        client,
        _,
    ):

        async def hung_up_on():
            with suppress(TimeoutError):
                async with asyncio.timeout(turns.choice([0.0005, 0.002, 0.005, 0.01, 0.03])):
                    await client.ask(CHAT, BODY)

        for _ in range(15):
            await asyncio.gather(*(hung_up_on() for _ in range(100)))
        async with asyncio.timeout(10):
            assert len(await asyncio.gather(*(client.ask(CHAT, BODY) for _ in range(8)))) == 8


@pytest.mark.parametrize("asked", ["\u00b2", "Mon, 01 Jan 99999999999 00:00:00 GMT"])
def test_a_retry_after_of_no_number_and_no_calendar_says_nothing(asked):
    """A breaker's find: it raised, and set the clip aside whose texts were to be embedded."""
    assert fault_of(429, "", "it", asked, 0.0).again_s is None

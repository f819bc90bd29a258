"""The MCP server with the SDK's own client: in process, over HTTP and over stdio; the same tokens and isolation."""

import asyncio
import base64
import json
import sys
from contextlib import asynccontextmanager

import httpx
import pytest
from api_rig import HERE, SPOKEN, Rig, fill
from questioned import control, draft, everywhere, in_order, judge, plan, search
from remarks import AUTHOR, amendment, written
from sightings import us

from biographer.daemon.answerer import Answerer
from biographer.daemon.client_async import AsyncClient
from biographer.daemon.http import HttpServer, listen
from biographer.ops.mcp_command import mcp as mcp_command
from biographer.state.chain import TopicFact
from biographer.state.piece import Piece
from biographer.state.stretch import Stretch

mcp = pytest.importorskip("mcp")

import httpx2  # noqa: E402 - with the extra
from mcp.client.client import Client  # noqa: E402 - an extra
from mcp.client.stdio import StdioServerParameters  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402

from biographer.ops.mcp_server import Door, http_application, mcp_server, passing_on  # noqa: E402


@pytest.fixture
def rig(tmp_path):
    made = Rig(tmp_path)
    fill(made, "a")
    yield made
    made.close()


def as_whom(rig, token=None):
    """Open clients of the rig, in process, as a holder of a token."""

    @asynccontextmanager
    async def opened(_headers):
        transport = httpx.ASGITransport(rig.app, client=("127.0.0.1", 1234))
        async with AsyncClient(HERE, token, transport=transport) as client:
            yield client

    return mcp_server(opened)


async def call(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content or json.loads(result.content[0].text)


async def refused(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return result.content[0].text


async def test_the_tools_are_told_with_what_they_take(rig):
    async with Client(as_whom(rig)) as client:
        tools = {one.name: one for one in (await client.list_tools()).tools}
    assert set(tools) == {"streams", "search", "biography", "episodes", "relations", "chains", "frame", "ask"}
    assert all(f"{name}," in mcp_command.help or f"{name}." in mcp_command.help for name in tools)
    assert all(one.annotations.read_only_hint for one in tools.values())
    assert "ctx" not in tools["search"].input_schema["properties"]


async def test_a_model_finds_reads_and_sees(rig):
    async with Client(as_whom(rig)) as client:
        found = await call(client, "search", text=SPOKEN)
        assert found["items"][0]["unit"] == "l12"
        then = found["items"][0]
        read = await call(client, "search", text="", begin=then["start"], until=then["end"])
        assert [one["unit"] for one in read["items"]] == ["l12"]
        life = await call(client, "biography", entity="e0")
        assert life["observations"]
        went_on = await call(client, "episodes", scale="local", limit=3)
        assert len(went_on["episodes"]) == 3
        assert (await call(client, "relations", source="Ann"))["relations"] == []
        assert (await call(client, "chains", name="Ann")) == {"chains": []}
        shown = await client.call_tool("frame", {"clip": "c12"})
        assert base64.b64decode(shown.content[0].data).startswith(b"\xff\xd8\xff")
        assert (await call(client, "streams"))["streams"][0]["stream"] == "a"


async def test_a_model_reads_what_is_told_over_time(rig):
    stretch = Stretch("3min", 0, us(180), us(180), ("c0",))
    told = (TopicFact(stretch, AUTHOR, f"topic {n}", f"fact {n}", ("c0",), us(n), us(n + 1)) for n in range(3))
    rig.folder.stream("a").amend(amendment(written(Piece.of_stretch("chains", stretch, -1), ("c0",), *told)))
    async with Client(as_whom(rig)) as client:
        found = (await call(client, "chains", limit=2))["chains"]
        assert [(one["title"], one["links"][0]["text"]) for one in found] == [
            ("topic 2", "fact 2"), ("topic 1", "fact 1")
        ]  # fmt: skip
        assert (await call(client, "chains", as_of="1970-01-01T00:02:00Z"))["chains"] == []
        assert "unknown" in await refused(client, "chains", entity="e999")


async def test_questions_are_answered_or_what_is_missing_is_told(rig):
    async with Client(as_whom(rig)) as client:
        assert "language.url" in (await call(client, "ask", question=SPOKEN))["reason"]
        answer = draft("x", "l12", choice="A")
        say = {"plan": plan(search(SPOKEN)), "judge": judge("l12"), "control": control(), "answer": answer}
        rig.api.ask.answer_by(Answerer(everywhere(in_order(**say))))
        found = await call(client, "ask", question=SPOKEN, options=["yes", "no"])
        assert (found["choice"], found["citations"][0]["name"]) == ("A", "l12")


async def test_what_fails_says_why(rig):
    async with Client(as_whom(rig)) as client:
        assert "unknown" in await refused(client, "biography", entity="e999")
        assert "RFC 3339" in await refused(client, "search", text="x", as_of="noon")
        assert "none" in await refused(client, "search", text="x", stream="none")
        fill(rig, "b", seed=2)
        assert "a, b" in await refused(client, "search", text="x")


async def test_a_token_shows_its_streams_and_no_others(rig):
    fill(rig, "b", seed=2)
    for token, seen, hidden in ((rig.token(streams=("a",)), "a", "b"), (rig.token(streams=("b",), name="u"), "b", "a")):
        async with Client(as_whom(rig, token)) as client:
            assert [one["stream"] for one in (await call(client, "streams"))["streams"]] == [seen]
            assert f"{SPOKEN} of {seen}" in json.dumps(await call(client, "search", text=SPOKEN))
            for tool, more in (("search", {"text": SPOKEN}), ("biography", {"entity": "e0"}), ("episodes", {}),
                               ("relations", {}), ("chains", {}), ("frame", {"clip": "c0"}),
                               ("ask", {"question": SPOKEN})):  # fmt: skip
                assert "unknown" in await refused(client, tool, stream=hidden, **more)
    async with Client(as_whom(rig)) as client:
        assert "token" in await refused(client, "streams")


@asynccontextmanager
async def over_http(url):
    """Serve MCP over HTTP before a daemon; yield its address."""
    with listen("127.0.0.1", 0) as listening:
        server = HttpServer(http_application(mcp_server(passing_on(url, None, 10)), "127.0.0.1", ()), lifespan=True)
        life = asyncio.create_task(server.serve([listening]))
        try:
            yield "http://{}:{}/mcp".format(*listening.getsockname()[:2])
        finally:
            server.should_exit = server.force_exit = True
            await life


async def test_over_http_each_call_bears_its_own_token(rig):
    fill(rig, "b", seed=2)
    token = rig.token(streams=("b",))
    async with rig.served() as url, over_http(url) as address:
        async with (
            httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}) as http,
            Client(streamable_http_client(address, http_client=http)) as client,
        ):
            assert [one["stream"] for one in (await call(client, "streams"))["streams"]] == ["b"]
            assert "unknown" in await refused(client, "search", text=SPOKEN, stream="a")
        async with Client(address) as client:
            assert "token" in await refused(client, "streams")


async def test_over_http_pages_of_other_sites_and_other_machines_are_refused(rig):
    async with rig.served() as url, over_http(url) as address, httpx.AsyncClient() as client:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        takes = {"accept": "application/json, text/event-stream"}
        for headers in ({"host": "evil.example"}, {"origin": "http://evil.example"}):
            answer = await client.post(address, json=body, headers={**takes, **headers})
            assert answer.status_code in (403, 421), headers

    async def never(*_):
        raise AssertionError("let through")

    door = httpx.ASGITransport(Door(never), client=("203.0.113.5", 1))
    async with httpx.AsyncClient(transport=door, base_url=HERE) as client:
        assert (await client.post("/mcp", json=body)).status_code == 401
    proxied = httpx.ASGITransport(Door(never), client=("127.0.0.1", 1))
    async with httpx.AsyncClient(transport=proxied, base_url=HERE) as client:
        answer = await client.post("/mcp", json=body, headers={"x-forwarded-for": "203.0.113.5"})
        assert answer.status_code == 401


async def test_over_stdio_the_command_serves(rig, tmp_path):
    async with rig.served() as url:
        command = ["-m", "biographer.ops.cli", "mcp", "--url", url]
        async with Client(StdioServerParameters(command=sys.executable, args=command, cwd=tmp_path)) as client:
            found = await call(client, "search", text=SPOKEN)
    assert found["items"][0]["unit"] == "l12"

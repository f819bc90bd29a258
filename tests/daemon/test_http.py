"""The server's socket: what its connections inherit, and a port that is not to be had."""

import asyncio
import socket

import pytest

from biographer.daemon.http import HttpServer, listen
from biographer.state.errors import FatalError


def test_small_answers_are_sent_at_once():
    """With Nagle's algorithm a head waited 40 ms for its body, in every answer."""
    with listen("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        connection, _ = listening.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_port_that_is_taken_is_named():
    with listen("127.0.0.1", 0) as listening, pytest.raises(FatalError, match=r"http\.port"):
        listen("127.0.0.1", listening.getsockname()[1])


async def test_who_does_not_read_is_hung_up_on_and_nobodys_fault_is_logged(caplog, monkeypatch):
    """Uvicorn cancels what does not end in time, and logs the CancelledError: a fault at each stop of the daemon."""
    monkeypatch.setattr("biographer.daemon.http._ENDING_S", 0.05)
    sending, ended = asyncio.Event(), asyncio.Event()

    async def endless(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        sending.set()
        await send({"type": "http.response.body", "body": bytes(64 << 20), "more_body": True})
        await send({"type": "http.response.body", "body": b""})
        ended.set()

    with listen("127.0.0.1", 0) as listening:
        server = HttpServer(endless)
        life = asyncio.create_task(server.serve([listening]))
        _, writer = await asyncio.open_connection(*listening.getsockname()[:2], limit=1)
        writer.write(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        await sending.wait()
        server.end()
        await life
    assert ended.is_set()
    assert [record.getMessage() for record in caplog.records if record.name.startswith("uvicorn")] == []
    writer.close()

"""Bodies over their bound: refused in words that reach the sender, and never kept."""

import asyncio
import http.client

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from biographer.daemon.http import HttpServer, listen
from biographer.daemon.limits import bounded_body

LIMIT, MIB = 3 << 20, 1 << 20


def sending(mebibytes, headers=()):
    """Return a request of so many MiB, and the list of those that were read."""
    read = []

    async def receive():
        read.append(len(read))
        return {"type": "http.request", "body": b" " * MIB, "more_body": len(read) < mebibytes}

    return Request({"type": "http", "headers": list(headers)}, receive), read


async def refusal(request):
    with pytest.raises(HTTPException) as caught:
        await bounded_body(request, LIMIT)
    assert caught.value.status_code == 413
    assert str(LIMIT) in caught.value.detail


async def test_what_fits_is_returned_whole():
    request, _ = sending(3)
    assert len(await bounded_body(request, LIMIT)) == LIMIT


async def test_of_what_is_too_large_as_much_again_is_read_and_no_more():
    for mebibytes, most in ((4, 4), (6, 6), (1000, 7)):
        request, read = sending(mebibytes)
        await refusal(request)
        assert len(read) == most


async def test_nothing_is_read_of_what_states_far_too_much_or_waits_to_be_told():
    stated = (b"content-length", str(4 * MIB).encode())
    for headers in ([(b"content-length", b"9" * 18)], [stated, (b"expect", b"100-continue")]):
        request, read = sending(4, headers)
        await refusal(request)
        assert not read


async def test_who_sends_all_before_reading_hears_why_it_was_too_much():
    async def answer(request):
        return Response(await bounded_body(request, LIMIT))

    def asked(port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("POST", "/", body=b" " * (6 * MIB))
        response = connection.getresponse()
        return response.status, response.read()

    with listen("127.0.0.1", 0) as listening:
        server = HttpServer(Starlette(routes=[Route("/", answer, methods=["POST"])]))
        serving = asyncio.create_task(server.serve([listening]))
        status, told = await asyncio.to_thread(asked, listening.getsockname()[1])
        server.end()
        await serving
    assert status == 413
    assert str(LIMIT).encode() in told

"""The server's socket: what its connections inherit, and a port that is not to be had."""

import socket

import pytest

from biographer.daemon.http import listen
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

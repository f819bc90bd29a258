"""Health: reasons by part, checks that are asked, and a probe that really writes."""

import pytest

from biographer.daemon.health import Health, probe_store
from biographer.state.errors import TransientError


def test_a_part_is_red_until_it_says_otherwise():
    health = Health()
    health.report("start", None)
    assert health.reasons() == []
    health.report("store", "disk is full")
    health.report("broker", "away")
    assert health.reasons() == ["store: disk is full", "broker: away"]
    health.report("store", None)
    assert health.reasons() == ["broker: away"]
    assert list(health.last_failures) == ["store: disk is full", "broker: away"]


def test_a_daemon_that_is_starting_is_not_ready():
    assert Health().reasons() == ["start: starting"]


def test_checks_are_asked_each_time():
    health, troubles = Health(), ["lag"]
    health.report("start", None)
    health.watch(lambda: troubles)
    assert health.reasons() == ["lag"]
    troubles.clear()
    assert health.reasons() == []


def test_the_probe_leaves_nothing_behind(tmp_path):
    probe_store(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_probe_fails_where_a_write_would(tmp_path):
    """topoteretes/cognee#4348."""
    (tmp_path / ".probe").mkdir()  # permissions do not stop root; this does
    with pytest.raises(TransientError, match="can't be written"):
        probe_store(tmp_path)
    with pytest.raises(TransientError, match="missing"):
        probe_store(tmp_path / "missing")

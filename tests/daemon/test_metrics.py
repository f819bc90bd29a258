"""Metrics: bounded labels, a registry of its own."""

from prometheus_client import REGISTRY

from biographer.daemon.metrics import Metrics


def test_streams_beyond_the_bound_share_a_label():
    metrics = Metrics()
    for number in range(250):
        metrics.known(f"stream {number}")
    page = metrics.page().decode()
    assert page.count("biographer_clips_total{") == 101
    assert 'biographer_clips_total{outcome="known",stream="(others)"} 150.0' in page


def test_a_gauge_forgets_labels_that_are_gone():
    metrics = Metrics()
    metrics.gauge("lag_records", "Lag", {"0": 3, "1": 4}, "partition")
    metrics.gauge("lag_records", "Lag", {"1": 5}, "partition")
    assert [line for line in metrics.page().decode().splitlines() if line.startswith("biographer_lag")] == [
        'biographer_lag_records{partition="1"} 5.0'
    ]


def test_two_daemons_in_a_process_do_not_share_counts():
    one, other = Metrics(), Metrics()
    one.set_aside("clip")
    assert 'kind="clip"' not in other.page().decode()
    assert not [name for name in REGISTRY._names_to_collectors if name.startswith("biographer")]


def test_stages_are_timed_by_name():
    metrics = Metrics()
    metrics.stages({"decode": 0.3})
    assert 'biographer_stage_seconds_bucket{le="0.5",stage="decode"} 1.0' in metrics.page().decode()

"""Metrics: bounded labels, a registry of its own."""

from api_rig import HERE, Rig, fill
from httpx import ASGITransport, AsyncClient
from prometheus_client import REGISTRY
from structlog import get_logger

from biographer.daemon.api import Api
from biographer.daemon.metrics import Metrics
from biographer.daemon.origins import Origins


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


async def test_requests_are_timed_by_route_and_status_whatever_they_ask_for(tmp_path):
    """Paths hold names of streams and numbers, which are data: a label of each would grow for ever."""
    rig, metrics = Rig(tmp_path), Metrics()
    fill(rig, "s", clips=2)
    api = Api(
        tmp_path, rig.gate, Origins(()), rig.health, bytes, 1, rig.clock, get_logger(), requested=metrics.requested
    )
    transport = ASGITransport(app=api.application(), client=("127.0.0.1", 1))
    async with AsyncClient(transport=transport, base_url=HERE) as client:
        for path in ("s", "s", "none", "s?colour=red"):
            await client.get(f"/v1/streams/{path}")
    page = metrics.page().decode()
    counted = 'biographer_http_request_seconds_count{method="GET",route="/v1/streams/{stream}",status='
    assert f'{counted}"200"}} 2.0' in page
    assert f'{counted}"404"}} 1.0' in page
    assert f'{counted}"400"}} 1.0' in page
    assert page.count(counted) == 3
    api.close()
    rig.close()

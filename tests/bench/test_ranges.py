"""Measuring ranges again: how far they are from others, and that what is shipped is what the networks read."""

from biographer.bench.ranges import _apart
from biographer.models.nanodet_graph import STEPS_AFTER, shipped_ranges
from biographer.models.value_ranges import from_json


def test_shipped_ranges_begin_where_the_networks_are_in_steps() -> None:
    for name in ("nanodet-g-416", "nanodet-g-416-stats"):
        ranges = from_json(shipped_ranges(), name)
        assert next(iter(ranges)) == STEPS_AFTER
        assert all(low < high for low, high in ranges.values())


def test_how_far_ranges_are_apart_is_a_share_of_the_shipped_ones() -> None:
    assert _apart({"a": (0.0, 1.0), "b": (-1.0, 1.5)}, {"a": (0.0, 1.0), "b": (-1.0, 1.0)}) == 0.25

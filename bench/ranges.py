"""`biographer bench ranges`: between which numbers the networks' inner values lie, measured on photographs.

What is written is what the networks are quantised by (`models/value_ranges.py`); the shipped file was made by this.
"""

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from biographer.bench.report import Report, Say, report
from biographer.models.catalogue import NANODET, nanodet_files
from biographer.models.engine import OnnxRuntime
from biographer.models.nanodet_graph import SIDE, STEPS_AFTER, TRUNK_SIDE, detector_graph, trunk_graph
from biographer.models.onnx_graph import OnnxGraph
from biographer.models.providers import CPU
from biographer.models.value_ranges import Ranges, from_json, measured, open_for_measuring, ranged, to_json
from biographer.models.weights import fetched


def measure(photographs: Sequence[Path], shipped: str, say: Say) -> tuple[Report, str]:
    """Measure both networks; return how far the ranges are from those `shipped`, and the new ones as JSON."""
    began, found = time.time(), {}
    say(f"fetching {NANODET.package.title}")
    files = nanodet_files(fetched(NANODET))
    for name, graph, side in (
        ("nanodet-g-416", detector_graph(*files), SIDE),
        ("nanodet-g-416-stats", trunk_graph(*files), TRUNK_SIDE),
    ):
        say(f"measuring {name} on {len(photographs)} photographs")
        found[name] = _ranges(graph, photographs, side)
    figures: dict[str, object] = {
        name: {"values": len(ranges), "furthest_from_shipped": _apart(ranges, from_json(shipped, name))}
        for name, ranges in found.items()
    }
    return report("ranges", began, {"photographs": len(photographs)}, figures, {}), to_json(found)


def _ranges(graph: OnnxGraph, photographs: Sequence[Path], side: int) -> Ranges:
    names = ranged(graph, STEPS_AFTER)
    with tempfile.TemporaryDirectory(prefix="biographer-") as folder:
        file = Path(folder) / "open.onnx"
        file.write_bytes(open_for_measuring(graph, names))
        session = OnnxRuntime().open(file, CPU, {}, 1)
        return measured(graph, names, session, (_square(path, side) for path in photographs))


def _apart(found: Ranges, shipped: Ranges) -> float:
    """Return the furthest that an end of a range is from the shipped one, as a share of that."""
    shares = [
        max(abs(low - shipped[name][0]), abs(high - shipped[name][1])) / (shipped[name][1] - shipped[name][0])
        for name, (low, high) in found.items()
    ]
    return round(max(shares), 5)


def _square(path: Path, side: int) -> NDArray[np.uint8]:
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB").resize((side, side), Image.Resampling.BILINEAR))

"""`biographer models export`: makes a detector file with Ultralytics, where the extra `export` is installed.

Ultralytics is AGPL-3.0, and so may be what it makes; nothing else here imports it. What is made is then read by
`models/ultralytics.py`, as any export is.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np

from biographer.daemon.parts import models_folder, runtime_of
from biographer.models.catalogue import load_detector
from biographer.ops.options import config_option, settings_of
from biographer.state.errors import FatalError, RefusedError
from biographer.streams.array_frame import ArrayFrame


@click.command("export")
@click.argument("weights", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--output", type=click.Path(path_type=Path), help="File to write; default: WEIGHTS with .onnx.")
@click.option("--size", type=click.IntRange(32), default=640, show_default=True, help="Side of the network's input.")
@click.option("--label", "labels", multiple=True, help="What an open-vocabulary model is to find; once for each.")
@config_option
def export_model(
    *, weights: Path, output: Path | None, size: int, labels: tuple[str, ...], config: Path | None
) -> None:
    """Make an ONNX detector of Ultralytics WEIGHTS (YOLO, YOLOE, YOLO-World), and run it once."""
    settings, target = settings_of(config), output or weights.with_suffix(".onnx")
    if target.exists():
        raise RefusedError(f"{target} exists already: remove it, or give another --output")
    with TemporaryDirectory(dir=target.parent) as folder:
        made = _exported(weights, Path(folder), size, labels)
        detector = load_detector(str(made), models_folder(settings), runtime_of(settings))
        detector.detect([ArrayFrame(0, np.full((64, 64, 3), 128, np.uint8))])
        made.replace(target)
    click.echo(f"{target} finds {len(detector.labels)} labels; use it by  perceive.detector = {str(target)!r}")


def _exported(weights: Path, folder: Path, size: int, labels: Sequence[str]) -> Path:
    """Return the export of a copy of the weights: Ultralytics writes beside what it reads."""
    model = _ultralytics()(shutil.copy(weights, folder))
    if labels:
        if not hasattr(model, "set_classes"):
            raise RefusedError(f"{weights} has labels of its own: leave --label out, or take a YOLOE or YOLO-World")
        model.set_classes(list(labels))
    return Path(model.export(format="onnx", imgsz=size, dynamic=True))


def _ultralytics() -> Any:  # noqa: ANN401 - it ships no types
    try:
        from ultralytics import YOLO  # noqa: PLC0415 - only this command needs it, and it loads torch
    except ImportError as error:
        raise FatalError("exporting needs ultralytics and torch: pip install 'biographer[export]'") from error
    return YOLO

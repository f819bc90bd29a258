"""Making a detector file with Ultralytics, which is played here: it is AGPL and brings gigabytes."""

import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from biographer.ops.cli import main


class Yolo:
    """What of Ultralytics' YOLO the command uses; its export is a real one, of random weights."""

    made: Path
    asked: dict[str, object]

    def __init__(self, weights: str) -> None:
        self.weights = Path(weights)

    def export(self, **options: object) -> str:
        type(self).asked = options
        return str(shutil.copy(self.made, self.weights.with_suffix(".onnx")))


class World(Yolo):
    found: list[str]

    def set_classes(self, names: list[str]) -> None:
        type(self).found = names


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    file = tmp_path / "yolo.pt"
    file.write_bytes(b"weights")
    return file


def play(monkeypatch: pytest.MonkeyPatch, kind: type[Yolo], made: Path) -> None:
    kind.made = made
    module = ModuleType("ultralytics")
    module.YOLO = kind  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ultralytics", module)


def run(*arguments: str):
    return CliRunner().invoke(main, ["models", "export", *arguments])


def test_without_the_extra_it_is_named(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ultralytics", None)
    result = run(str(weights))
    assert result.exit_code == 1
    assert "biographer[export]" in result.stderr
    assert [file.name for file in weights.parent.iterdir()] == ["yolo.pt"]


def test_an_export_is_tried_before_it_is_put_in_place(weights, monkeypatch, shared_data) -> None:
    play(monkeypatch, Yolo, shared_data("onnx_contract/yolo11n-random-320.onnx"))
    result = run(str(weights), "--size", "320")
    assert result.exit_code == 0, result.output
    assert "80 labels" in result.stdout
    assert Yolo.asked == {"format": "onnx", "imgsz": 320, "dynamic": True}
    assert sorted(file.name for file in weights.parent.iterdir()) == ["yolo.onnx", "yolo.pt"]
    assert "exists already" in run(str(weights)).stderr


def test_an_export_that_is_no_detector_leaves_nothing(weights, monkeypatch) -> None:
    play(monkeypatch, Yolo, weights)
    assert run(str(weights)).exit_code != 0
    assert [file.name for file in weights.parent.iterdir()] == ["yolo.pt"]


def test_labels_are_for_models_that_take_them(weights, monkeypatch, shared_data) -> None:
    made = shared_data("onnx_contract/yolo11n-random-320.onnx")
    play(monkeypatch, Yolo, made)
    assert "labels of its own" in run(str(weights), "--label", "mug").stderr
    play(monkeypatch, World, made)
    assert run(str(weights), "--label", "mug", "--label", "jacket").exit_code == 0
    assert World.found == ["mug", "jacket"]

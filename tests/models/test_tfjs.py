"""The converter, against graphs small enough to work out by hand."""

import base64
import json

import numpy as np
import pytest

from biographer.models.tfjs import convert
from biographer.models.tfjs_values import Pixels
from biographer.state.errors import RefusedError

ort = pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")

PLAIN = Pixels("pixels", (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0, 1, 2), 4)


def text(value):
    return {"s": base64.b64encode(value.encode()).decode()}


def ints(*values):
    return {"list": {"i": [str(value) for value in values]}}


class Graph:
    """A TensorFlow.js file being written."""

    def __init__(self, side=4):
        dims = [{"size": str(size)} for size in (1, 3, side, side)]
        self.nodes = [{"name": "input", "op": "Placeholder", "attr": {"shape": {"shape": {"dim": dims}}}}]
        self.weights, self.content = [], b""

    def constant(self, name, values, dtype="float32", quantization=None):
        array = np.asarray(values, quantization or dtype)
        entry = {"name": name, "shape": list(array.shape), "dtype": dtype}
        if quantization:
            entry["quantization"] = {"dtype": quantization}
        self.nodes.append({"name": name, "op": "Const"})
        self.weights.append(entry)
        self.content += array.tobytes()
        return name

    def add(self, op, inputs, name, **attributes):
        self.nodes.append({"name": name, "op": op, "input": inputs, "attr": attributes})
        return name

    def topology(self, **changes):
        document = {
            "format": "graph-model",
            "modelTopology": {"node": self.nodes[::-1]},
            "weightsManifest": [{"paths": ["x.bin"], "weights": self.weights}],
        }
        return json.dumps(document | changes).encode()

    def run(self, pictures, outputs, pixels=PLAIN):
        content = convert(self.topology(), self.content, pixels, outputs).to_bytes({})
        session = ort.InferenceSession(content, providers=["CPUExecutionProvider"])
        return session.run(list(outputs), {"pixels": pictures})


def pictures(count=1, side=4):
    return np.random.default_rng(3).integers(0, 256, (count, side, side, 3)).astype(np.uint8)


def conv(graph, source, kernel, name, pad=1):
    graph.constant(f"{name}/pads", [[0, 0], [0, 0], [pad, pad], [pad, pad]], "int32")
    graph.constant(f"{name}/nhwc", [0, 2, 3, 1], "int32")
    graph.constant(f"{name}/nchw", [0, 3, 1, 2], "int32")
    graph.constant(f"{name}/kernel", kernel, "float32", "float16")
    graph.add("Pad", [source, f"{name}/pads"], f"{name}/padded")
    graph.add("Transpose", [f"{name}/padded", f"{name}/nhwc"], f"{name}/in")
    strides, dilations = ints(1, 1, 1, 1), ints(1, 1, 1, 1)
    graph.add(
        "Conv2D",
        [f"{name}/in", f"{name}/kernel"],
        f"{name}/out",
        padding=text("VALID"),
        strides=strides,
        dilations=dilations,
    )
    return graph.add("Transpose", [f"{name}/out", f"{name}/nchw"], name)


def test_pixels_are_scaled_and_put_into_the_networks_order():
    graph = Graph()
    graph.add("Identity", ["input"], "out")
    given = pictures(2)
    (found,) = graph.run(given, {"planes": "out"}, Pixels("pixels", (10.0, 20.0, 30.0), (2.0, 4.0, 5.0), (2, 1, 0), 4))
    expected = ((given[..., ::-1] - np.array([10.0, 20, 30])) / np.array([2.0, 4, 5])).transpose(0, 3, 1, 2)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_convolution_absorbs_padding_and_transpositions():
    graph = Graph()
    kernel = np.zeros((3, 3, 3, 2), np.float32)
    kernel[0, 0, 0, 0] = kernel[2, 1, 2, 1] = 1
    conv(graph, "input", kernel, "out")
    given = pictures()
    (found,) = graph.run(given, {"maps": "out"})
    planes = np.pad(given[0].transpose(2, 0, 1).astype(np.float32), ((0, 0), (1, 1), (1, 1)))
    np.testing.assert_array_equal(found[0, 0], planes[0, 0:4, 0:4])
    np.testing.assert_array_equal(found[0, 1], planes[2, 2:6, 1:5])
    written = convert(graph.topology(), graph.content, PLAIN, {"maps": "out"})
    assert [node.op for node in written.nodes].count("Pad") == 0
    assert [node.op for node in written.nodes].count("Transpose") == 1  # of the pictures themselves


def test_split_concat_and_reshape_follow_the_axes_tensorflow_sees():
    graph = Graph()
    conv(graph, "input", np.arange(9, dtype=np.float32).reshape(1, 1, 3, 3), "maps", pad=0)
    graph.constant("sizes", [2, 1], "int32")
    graph.constant("axis", 1, "int32")
    graph.constant("shape", [1, 3, -1], "int32")
    graph.add("SplitV", ["maps", "sizes", "axis"], "halves")
    graph.add("ConcatV2", ["halves:1", "halves", "axis"], "turned")
    graph.add("Reshape", ["turned", "shape"], "out")
    given = pictures(3)
    (found,) = graph.run(given, {"rows": "out"})
    maps = (given.astype(np.float32) @ np.arange(9, dtype=np.float32).reshape(3, 3)).transpose(0, 3, 1, 2)
    np.testing.assert_allclose(found, maps[:, [2, 0, 1]].reshape(3, 3, 16), rtol=1e-6)


@pytest.mark.parametrize("side", [2, 8])
def test_resizing_has_half_pixel_centres(side):
    graph = Graph()
    graph.constant("nhwc", [0, 2, 3, 1], "int32")
    graph.constant("nchw", [0, 3, 1, 2], "int32")
    graph.constant("size", [side, side], "int32")
    graph.add("Transpose", ["input", "nhwc"], "in")
    graph.add("ResizeBilinear", ["in", "size"], "resized", half_pixel_centers={"b": True})
    graph.add("Transpose", ["resized", "nchw"], "out")
    given = np.repeat(np.arange(4, dtype=np.uint8)[None, None, :, None], 4, axis=1).repeat(3, axis=3)
    (found,) = graph.run(np.ascontiguousarray(given), {"maps": "out"})
    expected = {2: [0.5, 2.5], 8: [0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3]}[side]
    np.testing.assert_allclose(found[0, 0, 0], expected, atol=1e-6)


def test_only_what_the_outputs_need_is_converted():
    graph = Graph()
    graph.add("NoSuchOperation", ["input"], "elsewhere")
    graph.add("Identity", ["input"], "out")
    assert graph.run(pictures(), {"planes": "out"})[0].shape == (1, 3, 4, 4)


def sigmoid_of_pad(graph):
    graph.constant("pads", [[0, 0], [0, 0], [1, 1], [1, 1]], "int32")
    graph.add("Pad", ["input", "pads"], "padded")
    graph.add("Sigmoid", ["padded"], "out")


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda graph: graph.add("Erf", ["input"], "out"), "operation 'Erf'"),
        (lambda graph: graph.add("Identity", ["out"], "out"), "cycle"),
        (sigmoid_of_pad, "padded before"),
    ],
)
def test_what_cannot_be_converted_is_refused_by_name(build, said):
    graph = Graph()
    build(graph)
    with pytest.raises(RefusedError, match=said):
        convert(graph.topology(), graph.content, PLAIN, {"x": "out"})


def test_short_weights_and_other_formats_are_refused():
    graph = Graph()
    conv(graph, "input", np.zeros((1, 1, 3, 1), np.float32), "out", pad=0)
    with pytest.raises(RefusedError, match="weights end at byte"):
        convert(graph.topology(), graph.content[:-1], PLAIN, {"x": "out"})
    with pytest.raises(RefusedError, match="layers-model"):
        convert(graph.topology(format="layers-model"), graph.content, PLAIN, {"x": "out"})

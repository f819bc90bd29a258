"""Quantising a graph: what it computes stays nearly the same, its ends keep their names, a strange range is refused."""

import numpy as np
import pytest

from biographer.models.engine import OnnxRuntime
from biographer.models.onnx_graph import OnnxGraph
from biographer.models.providers import CPU
from biographer.models.quantisation import Steps, quantised
from biographer.models.value_ranges import from_json, measured, open_for_measuring, ranged, to_json
from biographer.state.errors import FatalError

pytest.importorskip("onnxruntime")
pytest.importorskip("onnx")


@pytest.fixture
def graph():
    """Two convolutions with what stands between and after them in the detector."""
    random, made = np.random.default_rng(5), OnnxGraph()
    made.input("pixels", (1, 16, 16, 3), np.uint8)
    floats = made.add("Cast", [made.add("Transpose", ["pixels"], perm=[0, 3, 1, 2])], to=1)
    for into, out in ((3, 8), (8, 6)):
        weights = made.constant(random.normal(0, 0.05, (out, into, 3, 3)).astype(np.float32))
        bias = made.constant(random.normal(0, 1, out).astype(np.float32))
        floats = made.add("LeakyRelu", [made.add("Conv", [floats, weights, bias], pads=[1] * 4)], alpha=0.1)
    first, second = made.add_many("Split", [floats, made.constant(np.array([2, 4]))], 2, axis=1)
    made.output("few", first, (1, 2, 16, 16))
    made.output("many", made.add("MaxPool", [second], kernel_shape=[2, 2], strides=[2, 2]), (1, 4, 8, 8))
    return made


@pytest.fixture
def pictures():
    return np.random.default_rng(6).integers(0, 256, (8, 16, 16, 3)).astype(np.uint8)


def opened(file, folder, name):
    path = folder / f"{name}.onnx"
    path.write_bytes(file)
    return OnnxRuntime().open(path, CPU, {}, 1)


def ranges_of(graph, pictures, folder):
    names = ranged(graph, graph.nodes[3].outputs[0])
    return measured(graph, names, opened(open_for_measuring(graph, names), folder, "open"), pictures)


def test_what_is_computed_stays_nearly_the_same(graph, pictures, tmp_path):
    file = quantised(graph, ranges_of(graph, pictures, tmp_path)).to_bytes({})
    exact = opened(graph.to_bytes({}), tmp_path, "exact").run(["few", "many"], {"pixels": pictures})
    found = opened(file, tmp_path, "steps").run(["few", "many"], {"pixels": pictures})
    for one, other in zip(exact, found, strict=True):
        assert one.shape == other.shape
        assert 0 < np.abs(one - other).mean() < 0.05 * one.std()


def test_the_same_ranges_make_the_same_file(graph, pictures, tmp_path):
    ranges = ranges_of(graph, pictures, tmp_path)
    assert quantised(graph, ranges).to_bytes({}) == quantised(graph, ranges).to_bytes({})


def test_a_range_of_a_value_that_is_not_there_is_refused(graph):
    with pytest.raises(FatalError, match="conv_77_0"):
        quantised(graph, {"conv_77_0": (0.0, 1.0)})


def test_values_without_a_range_stay_floats(graph):
    assert not any(node.op == "QuantizeLinear" for node in quantised(graph, {}).nodes)


def test_what_goes_into_a_leaky_relu_reaches_no_further_below_zero_than_above(graph, pictures, tmp_path):
    ranges = ranges_of(graph, pictures, tmp_path)
    before = [node.inputs[0] for node in graph.nodes if node.op == "LeakyRelu" and node.inputs[0] in ranges]
    assert before
    assert all(ranges[name][0] >= -ranges[name][1] for name in before)


def test_ranges_are_read_as_they_were_written():
    ranges = {"net": {"conv_1_0": (-1.5, 2.25)}}
    assert from_json(to_json(ranges), "net") == ranges["net"]
    with pytest.raises(FatalError, match="'other'"):
        from_json(to_json(ranges), "other")


@pytest.mark.parametrize(("low", "high"), [(-2.0, 6.0), (1.0, 3.0), (-4.0, -1.0), (0.0, 0.0)])
def test_zero_is_always_a_step(low, high):
    steps = Steps.over(low, high)
    assert 0 <= steps.zero <= 255
    assert steps.scale > 0

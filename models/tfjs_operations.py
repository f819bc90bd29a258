"""What each TensorFlow.js operation becomes in ONNX: one small function an operation, and the table of them.

Only the operations that NanoDet-g uses are here. TensorFlow works on NHWC and the original network on NCHW, so the
published graph is full of transpositions; a `Value` carries its order of axes as a note instead, and a transposition
is made only where nothing absorbs it. Padding is likewise noted, and absorbed by the convolution or pooling that
follows, as are the scale of the pixels and the order of their channels. Reading the published files is `tfjs`'.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from biographer.models.onnx_graph import OnnxGraph
from biographer.models.tfjs_values import NCHW_OF_NHWC, Conversion, Node, Value
from biographer.state.errors import RefusedError


def _placeholder(conversion: Conversion, node: Node) -> None:
    """Take pictures as they are, less the mean; the first convolution brings them to scale with its own weights."""
    graph, pixels = conversion.graph, conversion.pixels
    channels, side = int(node.attributes["shape"]["shape"]["dim"][1]["size"]), pixels.side
    graph.input(pixels.name, (1, side, side, channels), np.uint8)
    floats = graph.add("Cast", [graph.add("Transpose", [pixels.name], perm=[0, 3, 1, 2])], to=graph.code(np.float32))
    mean, std = np.zeros(channels, np.float32), np.array(pixels.std, np.float32)
    mean[list(pixels.order)] = pixels.mean
    planes = graph.add("Sub", [floats, graph.constant(mean[:, None, None])])
    mix = np.eye(channels, dtype=np.float32)[list(pixels.order)] / std[:, None]
    conversion.values[node.name] = Value(planes, (1, channels, side, side), (0, 1, 2, 3), mix=mix)


def _identity(conversion: Conversion, node: Node) -> None:
    conversion.values[node.name] = conversion.value(node.inputs[0])


def _transpose(conversion: Conversion, node: Node) -> None:
    value = conversion.values[node.inputs[0]]
    perm = [int(axis) for axis in conversion.constant(node.inputs[1])]
    conversion.values[node.name] = replace(
        value,
        shape=tuple(value.shape[axis] for axis in perm),
        axes=tuple(value.axes[axis] for axis in perm),
        pads=tuple(value.pads[axis] for axis in perm) if value.pads else (),
    )


def _pad(conversion: Conversion, node: Node) -> None:
    pads = tuple((int(before), int(after)) for before, after in conversion.constant(node.inputs[1]))
    pad_with = float(conversion.constant(node.inputs[2])) if len(node.inputs) > 2 else 0.0
    value = conversion.values[node.inputs[0]]
    if value.pads:
        raise RefusedError(f"{node.op} {node.name!r} pads what is padded already")
    conversion.values[node.name] = replace(value, pads=pads, pad_with=pad_with)


def _window(
    conversion: Conversion, node: Node, kernel: Sequence[int], neutral: float
) -> tuple[Value, list[int], Value]:
    """Return a sliding operation's input as NCHW, its ONNX pads, and its output without name or channels."""
    value = conversion.values[node.inputs[0]]
    pads = value.pads or ((0, 0),) * 4
    if node.text("padding") != "VALID" or (value.pads and value.pad_with != neutral) or pads[0] + pads[3] != (0,) * 4:
        raise RefusedError(
            f"{node.op} {node.name!r}: only explicit padding of height and width by {neutral} is supported"
        )
    strides = node.ints("strides")[1:3]
    sizes = [
        (size + sum(pad) - width) // stride + 1
        for size, pad, width, stride in zip(value.shape[1:3], pads[1:3], kernel, strides, strict=True)
    ]
    sides = [pads[1][0], pads[2][0], pads[1][1], pads[2][1]]
    shape = (value.shape[0], sizes[0], sizes[1], value.shape[3])
    return conversion.ordered(value, NCHW_OF_NHWC), sides, Value("", shape, NCHW_OF_NHWC)


def _conv(conversion: Conversion, node: Node) -> None:
    kernel = conversion.constant(node.inputs[1]).transpose(3, 2, 0, 1)
    value, pads, result = _window(conversion, node, kernel.shape[2:], 0.0)
    if value.mix is not None:
        kernel = np.einsum("ochw,cs->oshw", kernel, value.mix)
    if node.ints("dilations") != [1, 1, 1, 1]:
        raise RefusedError(f"Conv2D {node.name!r}: dilation is not supported")
    weights = conversion.graph.constant(kernel)
    name = conversion.graph.add("Conv", [value.name, weights], strides=node.ints("strides")[1:3], pads=pads)
    conversion.values[node.name] = replace(result, name=name, shape=(*result.shape[:3], kernel.shape[0]))


def _max_pool(conversion: Conversion, node: Node) -> None:
    kernel = node.ints("ksize")[1:3]
    value, pads, result = _window(conversion, node, kernel, -np.inf)
    value = conversion.mixed(value)
    strides = node.ints("strides")[1:3]
    name = conversion.graph.add("MaxPool", [value.name], kernel_shape=kernel, strides=strides, pads=pads)
    conversion.values[node.name] = replace(result, name=name)


def _add(conversion: Conversion, node: Node) -> None:
    left, right = node.inputs
    if left in conversion.constants and right in conversion.constants:
        conversion.constants[node.name] = conversion.constants[left] + conversion.constants[right]
        return
    value = conversion.value(left)
    if right in conversion.constants and value.axes[-1] == 1 and conversion.read_once(value):
        bias = conversion.constant(right).ravel()
        if len(bias) == value.shape[-1] and conversion.graph.biased(value.name, bias):
            conversion.values[node.name] = value
            return
    other = (
        _bias(conversion, value, right)
        if right in conversion.constants
        else conversion.ordered(conversion.value(right), value.axes).name
    )
    conversion.values[node.name] = replace(value, name=conversion.graph.add("Add", [value.name, other]))


def _bias(conversion: Conversion, value: Value, name: str) -> str:
    """Return a constant for each of the last axis, shaped to be added to the value as it lies in memory."""
    shape = [1] * len(value.axes)
    shape[value.axes[-1]] = -1
    return conversion.graph.constant(conversion.constant(name).reshape(shape))


def _leaky_relu(conversion: Conversion, node: Node) -> None:
    value = conversion.value(node.inputs[0])
    alpha = float(node.attributes["alpha"]["f"])
    conversion.values[node.name] = replace(value, name=conversion.graph.add("LeakyRelu", [value.name], alpha=alpha))


def _sigmoid(conversion: Conversion, node: Node) -> None:
    value = conversion.value(node.inputs[0])
    conversion.values[node.name] = replace(value, name=conversion.graph.add("Sigmoid", [value.name]))


def _concat(conversion: Conversion, node: Node) -> None:
    axis = int(conversion.constant(node.inputs[-1]))
    first = conversion.value(node.inputs[0])
    parts = [conversion.ordered(conversion.value(name), first.axes) for name in node.inputs[:-1]]
    name = conversion.graph.add("Concat", [part.name for part in parts], axis=first.axes[axis])
    shape = list(first.shape)
    shape[axis] = sum(part.shape[axis] for part in parts)
    conversion.values[node.name] = replace(first, name=name, shape=tuple(shape))


def _split(conversion: Conversion, node: Node) -> None:
    value = conversion.value(node.inputs[0])
    sizes, axis = conversion.constant(node.inputs[1]).astype(np.int64), int(conversion.constant(node.inputs[2]))
    inputs = [value.name, conversion.graph.constant(sizes)]
    names = conversion.graph.add_many("Split", inputs, len(sizes), axis=value.axes[axis])
    for place, (name, size) in enumerate(zip(names, sizes, strict=True)):
        shape = (*value.shape[:axis], int(size), *value.shape[axis + 1 :])
        conversion.values[f"{node.name}:{place}" if place else node.name] = replace(value, name=name, shape=shape)


def _reshape(conversion: Conversion, node: Node) -> None:
    value = conversion.value(node.inputs[0])
    value = conversion.ordered(value, tuple(range(len(value.shape))))
    target = [int(size) for size in conversion.constant(node.inputs[1])]
    if target[0] != 1:
        raise RefusedError(f"Reshape {node.name!r} to {target} mixes the pictures of a batch")
    # In ONNX a length of 0 copies the input's, so the first dimension stays free.
    name = conversion.graph.add("Reshape", [value.name, conversion.graph.constant(np.array([0, *target[1:]]))])
    shape = np.empty(value.shape, np.bool_).reshape(target).shape
    conversion.values[node.name] = Value(name, shape, tuple(range(len(shape))))


def _resize(conversion: Conversion, node: Node) -> None:
    if not node.flag("half_pixel_centers"):
        raise RefusedError(f"ResizeBilinear {node.name!r}: only half-pixel centres are supported")
    value = conversion.ordered(conversion.value(node.inputs[0]), NCHW_OF_NHWC)
    height, width = (int(size) for size in conversion.constant(node.inputs[1]))
    if value.shape[1:3] == (2 * height, 2 * width):
        # The centres of a half-sized picture lie between four pixels: pooling is the same, and stays blocked in memory.
        name = conversion.graph.add("AveragePool", [value.name], kernel_shape=[2, 2], strides=[2, 2])
    else:
        name = _resample(conversion.graph, value, height, width)
    conversion.values[node.name] = replace(value, name=name, shape=(value.shape[0], height, width, value.shape[3]))


def _resample(graph: OnnxGraph, value: Value, height: int, width: int) -> str:
    scales = np.array([1, 1, height / value.shape[1], width / value.shape[2]], np.float32)
    inputs = [value.name, "", graph.constant(scales)]
    return graph.add("Resize", inputs, mode="linear", coordinate_transformation_mode="half_pixel")


def _sparse_to_dense(conversion: Conversion, node: Node) -> None:
    """Fold the constants of an expression that the exporter left unfolded."""
    places, shape, values, rest = (conversion.constant(name) for name in node.inputs)
    dense = np.full(tuple(shape), rest.reshape(()), values.dtype)
    dense[tuple(places.T)] = values
    conversion.constants[node.name] = dense


OPERATIONS: Mapping[str, Callable[[Conversion, Node], None]] = {
    "Add": _add,
    "AddV2": _add,
    "ConcatV2": _concat,
    "Conv2D": _conv,
    "Identity": _identity,
    "LeakyRelu": _leaky_relu,
    "MaxPool": _max_pool,
    "Pad": _pad,
    "PadV2": _pad,
    "Placeholder": _placeholder,
    "Reshape": _reshape,
    "ResizeBilinear": _resize,
    "Sigmoid": _sigmoid,
    "SparseToDense": _sparse_to_dense,
    "SplitV": _split,
    "Transpose": _transpose,
}

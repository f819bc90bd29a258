"""What each TensorFlow.js operation becomes in ONNX: one small function an operation, and the table of them.

Only the operations that NanoDet-g uses are here. TensorFlow works on NHWC and the original network on NCHW, so the
published graph is full of transpositions; a `Value` carries its order of axes as a note instead, and a transposition
is made only where nothing absorbs it. Padding is likewise noted, and absorbed by the convolution or pooling that
follows, as are the scale of the pixels and the order of their channels. Reading the published files is `tfjs`'.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from biographer.models.onnx_graph import OnnxGraph
from biographer.state.errors import RefusedError

Array: TypeAlias = NDArray[Any]

NCHW_OF_NHWC = (0, 2, 3, 1)
"""The order of axes of a value that is NHWC to TensorFlow and lies in memory as NCHW."""


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor of the ONNX graph as TensorFlow sees it.

    TensorFlow's axis i, of length `shape[i]`, is axis `axes[i]` of the ONNX tensor `name`. `pads` (before and after,
    a TensorFlow axis) and `pad_with` are not yet applied; `shape` leaves them out. `mix` (network's channels, channels
    of the tensor) is what the channels are still to be multiplied by; None for nothing.
    """

    name: str
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    pads: tuple[tuple[int, int], ...] = ()
    pad_with: float = 0.0
    mix: Array | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Pixels:
    """How the network wants its pictures: each channel of the network's order less `mean`, divided by `std`.

    `order` says which channel of RGB each of the network's is: (2, 1, 0) for a network that was trained on BGR. A
    network without fixed shapes inside may be given pictures of another `side` than it was published for.
    """

    name: str
    mean: tuple[float, float, float]
    std: tuple[float, float, float]
    order: tuple[int, int, int]
    side: int


@dataclass(slots=True)
class Conversion:
    """A graph being converted: `constants` and `values` by TensorFlow name, `uses` how often each name is read."""

    graph: OnnxGraph
    constants: dict[str, Array]
    pixels: Pixels
    uses: Mapping[str, int]
    values: dict[str, Value] = field(default_factory=dict)

    def value(self, name: str) -> Value:
        """Return the converted tensor; raises RefusedError for one whose padding nothing absorbs."""
        found = self.values[name]
        if found.pads:
            raise RefusedError(f"TensorFlow.js value {name!r} is padded before an operation that cannot pad")
        return self.mixed(found)

    def mixed(self, value: Value) -> Value:
        """Return the value with its channels multiplied, by a convolution of their own, if they are not yet."""
        if value.mix is None:
            return value
        weights = self.graph.constant(value.mix[:, :, None, None])
        return replace(value, name=self.graph.add("Conv", [value.name, weights]), mix=None)

    def read_once(self, value: Value) -> bool:
        """Tell whether only one operation reads the tensor, under whatever name."""
        return all(self.uses[name] == 1 for name, held in self.values.items() if held.name == value.name)

    def constant(self, name: str) -> Array:
        """Return a constant; raises RefusedError where the graph computes what must be fixed."""
        if name not in self.constants:
            raise RefusedError(f"TensorFlow.js value {name!r} is computed at run time where a constant is needed")
        return self.constants[name]

    def ordered(self, value: Value, axes: tuple[int, ...]) -> Value:
        """Return the value lying in memory in the given order, transposed if it does not yet."""
        if value.axes == axes:
            return value
        perm = [value.axes[axes.index(place)] for place in range(len(axes))]
        return replace(value, name=self.graph.add("Transpose", [value.name], perm=perm), axes=axes)


@dataclass(frozen=True, slots=True)
class Node:
    """One operation of the published graph."""

    name: str
    op: str
    inputs: tuple[str, ...]
    attributes: Mapping[str, Any]

    def ints(self, key: str) -> list[int]:
        """Return a list attribute."""
        return [int(item) for item in self.attributes[key]["list"]["i"]]

    def text(self, key: str) -> str:
        """Return a text attribute."""
        return base64.b64decode(self.attributes[key]["s"]).decode()

    def flag(self, key: str) -> bool:
        """Return a truth attribute, false where it is absent."""
        return bool(self.attributes.get(key, {}).get("b", False))


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

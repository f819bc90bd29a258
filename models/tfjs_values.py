"""A TensorFlow.js graph on its way to ONNX: its tensors as they stand so far, its operations as they were published.

What each operation becomes is in `tfjs_operations`.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

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

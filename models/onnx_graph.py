"""An ONNX graph while it is being written: nodes, constants, inputs and outputs as plain records.

The `onnx` package (extra `cpu` or `gpu`) is imported only when the finished graph is put into bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from biographer.state.errors import FatalError

Array: TypeAlias = NDArray[Any]

OPSET = 17
IR_VERSION = 8
TYPE_CODES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
"""TensorProto.DataType of the ONNX specification."""


@dataclass(frozen=True, slots=True)
class OnnxNode:
    """One operation."""

    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Port:
    """An input or output; the first length of `shape` stands for the free batch, None for any shape at all."""

    name: str
    shape: tuple[int, ...] | None
    dtype: np.dtype[Any]


@dataclass(slots=True)
class OnnxGraph:
    """A graph to which operations are added in the order in which they run."""

    nodes: list[OnnxNode] = field(default_factory=list)
    constants: dict[str, Array] = field(default_factory=dict)
    inputs: list[Port] = field(default_factory=list)
    outputs: list[Port] = field(default_factory=list)

    def add(self, op: str, inputs: Sequence[str], **attributes: object) -> str:
        """Add an operation with one output and return the output's name."""
        return self.add_many(op, inputs, 1, **attributes)[0]

    def add_many(self, op: str, inputs: Sequence[str], count: int, **attributes: object) -> tuple[str, ...]:
        """Add an operation with `count` outputs and return their names."""
        names = tuple(f"{op.lower()}_{len(self.nodes)}_{place}" for place in range(count))
        self.nodes.append(OnnxNode(op, tuple(inputs), names, attributes))
        return names

    @staticmethod
    def code(dtype: type[np.generic]) -> int:
        """Return ONNX's number of a type, as attributes want it."""
        return TYPE_CODES[np.dtype(dtype).name]

    def constant(self, values: Array) -> str:
        """Add a constant and return its name."""
        name = f"constant_{len(self.constants)}"
        self.constants[name] = np.asarray(values, order="C")
        return name

    def biased(self, output: str, bias: Array) -> bool:
        """Add to a convolution, which gives `output`, a bias a channel; false where no bare convolution gives it."""
        for at, node in enumerate(self.nodes):
            if output in node.outputs and node.op == "Conv" and len(node.inputs) == len(("values", "weights")):
                self.nodes[at] = replace(node, inputs=(*node.inputs, self.constant(bias)))
                return True
        return False

    def input(self, name: str, shape: Sequence[int], dtype: type[np.generic] = np.float32) -> None:
        """Declare an input."""
        self.inputs.append(Port(name, tuple(shape), np.dtype(dtype)))

    def output(self, name: str, source: str, shape: Sequence[int]) -> None:
        """Declare a float output that is a copy of `source`."""
        self.nodes.append(OnnxNode("Identity", (source,), (name,), {}))
        self.outputs.append(Port(name, tuple(shape), np.dtype(np.float32)))

    def to_bytes(self, metadata: dict[str, str]) -> bytes:
        """Return the ONNX file with `metadata`, checked where all shapes are known.

        Raises FatalError where `onnx` is not installed.
        """
        try:
            import onnx  # noqa: PLC0415 - only those who convert need it, and it takes 0.3 s
            from onnx import helper, numpy_helper  # noqa: PLC0415
        except ImportError as error:
            raise FatalError("converting a model needs onnx: install biographer[cpu] or biographer[gpu]") from error

        def port(entry: Port) -> onnx.ValueInfoProto:
            kind = TYPE_CODES[entry.dtype.name]
            shape: list[str | int | None] | None = None if entry.shape is None else ["batch", *entry.shape[1:]]
            return helper.make_tensor_value_info(entry.name, kind, shape)

        graph = helper.make_graph(
            [helper.make_node(node.op, node.inputs, node.outputs, **node.attributes) for node in self.nodes],
            "biographer",
            [port(entry) for entry in self.inputs],
            [port(entry) for entry in self.outputs],
            [numpy_helper.from_array(values, name) for name, values in self.constants.items()],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        helper.set_model_props(model, metadata)
        if all(entry.shape is not None for entry in self.outputs):
            onnx.checker.check_model(model, full_check=True)
        return bytes(model.SerializeToString())

"""A float graph with its convolutions in whole numbers of 8 bits: what a CPU runs several times as fast.

Every value that has a known range is brought to 256 steps of it by a QuantizeLinear and a DequantizeLinear, as the
ONNX specification has it; whoever runs the file joins these with the operations between them. Values without a range
stay floats. Weights have 255 steps a channel about zero. Ranges come from `value_ranges`; nothing is run here.
"""

from dataclasses import dataclass

import numpy as np

from biographer.models.onnx_graph import Array, OnnxGraph, OnnxNode
from biographer.models.value_ranges import Ranges
from biographer.state.errors import FatalError

SAME_STEPS = frozenset({"MaxPool", "Split", "Reshape", "Transpose"})
"""Operations whose results are among what they are given, so that its steps serve them too."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The real number of a step q (0..255) is scale * (q - zero)."""

    scale: float
    zero: int

    @classmethod
    def over(cls, low: float, high: float) -> "Steps":
        """Return the steps of a range; zero is always one of them, as padding is made of it."""
        low, high = min(low, 0.0), max(high, 0.0)
        scale = max(high - low, 1e-6) / 255
        return cls(float(np.float32(scale)), round(-low / scale))


def quantised(graph: OnnxGraph, ranges: Ranges) -> OnnxGraph:
    """Return the graph in steps; input and outputs are named as before.

    Raises FatalError for ranges of values that the graph does not have.
    """
    return _Quantising(graph, ranges).result()


class _Quantising:
    """One graph being rewritten; `steps` by the name that a value has in the source."""

    def __init__(self, source: OnnxGraph, ranges: Ranges) -> None:
        self._source, self._ranges = source, ranges
        self._made = OnnxGraph(constants=dict(source.constants), inputs=list(source.inputs))
        self._steps: dict[str, Steps] = {}
        self._names: dict[str, str] = {}

    def result(self) -> OnnxGraph:
        for node in self._source.nodes:
            self._rewrite(node)
        strange = self._ranges.keys() - {name for node in self._source.nodes for name in node.outputs}
        if strange:
            raise FatalError(f"there are ranges of {min(strange)!r}, which the graph lacks: see `bench ranges`")
        self._made.outputs = list(self._source.outputs)
        used = {name for node in self._made.nodes for name in node.inputs}
        self._made.constants = {name: values for name, values in self._made.constants.items() if name in used}
        return self._made

    def _rewrite(self, node: OnnxNode) -> None:
        if node.op == "Conv" and node.inputs[0] in self._steps:
            self._keep(node, self._convolved(node, self._steps[node.inputs[0]]))
        else:
            self._keep(node, tuple(self._names.get(name, name) for name in node.inputs))

    def _convolved(self, node: OnnxNode, steps: Steps) -> tuple[str, ...]:
        """Return a convolution's inputs: values, weights and, if it has one, bias, all in steps."""
        weights = self._source.constants[node.inputs[1]].astype(np.float64)
        scales = np.maximum(np.abs(weights).max(axis=(1, 2, 3)), 1e-9) / 127
        whole = np.rint(weights / scales[:, None, None, None]).astype(np.int8)
        inputs = (self._names[node.inputs[0]], self._fixed(whole, scales))
        if len(node.inputs) == len(inputs):
            return inputs
        bias = self._source.constants[node.inputs[2]].astype(np.float64)
        offsets = np.rint(bias / (scales * steps.scale)).astype(np.int32)
        return (*inputs, self._fixed(offsets, scales * steps.scale))

    def _fixed(self, whole: Array, scales: Array) -> str:
        """Return the real numbers of a constant that has a scale for each of its first axis."""
        inputs = [self._made.constant(whole), self._made.constant(scales.astype(np.float32))]
        return self._made.add("DequantizeLinear", inputs, axis=0)

    def _keep(self, node: OnnxNode, inputs: tuple[str, ...]) -> None:
        """Add the operation, and bring its results to steps where theirs are known."""
        stepped = {name: steps for name in node.outputs if (steps := self._steps_of(node, name)) is not None}
        outputs = tuple(f"{name}_float" if name in stepped else name for name in node.outputs)
        self._made.nodes.append(OnnxNode(node.op, inputs, outputs, node.attributes))
        for name, steps in stepped.items():
            self._steps[name] = steps
            self._names[name] = self._stepped(f"{name}_float", steps)

    def _steps_of(self, node: OnnxNode, name: str) -> Steps | None:
        given = self._steps.get(node.inputs[0])
        if node.op in SAME_STEPS and given is not None:
            return given
        return Steps.over(*self._ranges[name]) if name in self._ranges else None

    def _stepped(self, name: str, steps: Steps) -> str:
        scale = self._made.constant(np.array(steps.scale, np.float32))
        zero = self._made.constant(np.array(steps.zero, np.uint8))
        whole = self._made.add("QuantizeLinear", [name, scale, zero])
        return self._made.add("DequantizeLinear", [whole, scale, zero])

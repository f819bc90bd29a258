"""Between which numbers the values inside a network lie: measured once on photographs, kept beside the code.

They are what a network is quantised by (`quantisation`), and fixed, so that every machine makes the same file. The
shipped ones are of the photographs of data/dreambooth_subjects, each stretched to the network's square.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from biographer.models.engine import Session
from biographer.models.onnx_graph import OnnxGraph, Port
from biographer.state.errors import FatalError

Ranges: TypeAlias = Mapping[str, tuple[float, float]]
"""Lowest and highest of each value, by its name in the graph."""

_COMPUTED = frozenset({"Add", "AveragePool", "Concat", "Conv", "LeakyRelu", "MaxPool", "Resize"})
"""Operations whose results are measured; others have those of what they are given, or stay floats."""

_QUARTILE = 0.25


def ranged(graph: OnnxGraph, after: str) -> list[str]:
    """Return the values that are worth a range: those that come after the value `after`, itself included.

    The first convolutions are better left alone: they have few channels, so that steps there cost the most (of boxes
    at a score of 0.2, 94 in 100 are found again instead of 86) and gain nothing.
    """
    names = [(node.op, name) for node in graph.nodes for name in node.outputs]
    start = [name for _, name in names].index(after)
    return [name for op, name in names[start:] if op in _COMPUTED]


def open_for_measuring(graph: OnnxGraph, names: Sequence[str]) -> bytes:
    """Return the ONNX file that gives these values instead of the graph's own outputs."""
    ports = [Port(name, None, np.dtype(np.float32)) for name in names]
    inner = [node for node in graph.nodes if node.op != "Identity"]
    return replace(graph, nodes=inner, outputs=ports).to_bytes({})


def measured(graph: OnnxGraph, names: Sequence[str], session: Session, pictures: Iterable[NDArray[np.uint8]]) -> Ranges:
    """Return the ranges of the values over pictures (h, w, 3), run one by one in a session of `open_for_measuring`.

    A range reaches as far as the values of the less extreme pictures do, to the quartile: the few that are beyond
    cost less than coarser steps for all. What goes into a LeakyRelu reaches no further below zero than above, as a
    tenth is left of that.
    """
    (given,) = session.inputs
    extremes = np.array(
        [
            [(float(value.min()), float(value.max())) for value in session.run(names, {given: picture[None]})]
            for picture in pictures
        ]
    )
    lows, highs = np.quantile(extremes[..., 0], _QUARTILE, axis=0), np.quantile(extremes[..., 1], 1 - _QUARTILE, axis=0)
    found = {name: (float(low), float(high)) for name, low, high in zip(names, lows, highs, strict=True)}
    for node in graph.nodes:
        if node.op == "LeakyRelu" and node.inputs[0] in found:
            low, high = found[node.inputs[0]]
            found[node.inputs[0]] = (max(low, -high), high)
    return found


def to_json(ranges: Mapping[str, Ranges]) -> str:
    """Write the ranges of several networks, with four significant digits."""
    return json.dumps(
        {
            network: {name: [float(f"{end:.4g}") for end in ends] for name, ends in of_values.items()}
            for network, of_values in ranges.items()
        }
    )


def from_json(text: str, network: str) -> Ranges:
    """Read those of one network from what `to_json` wrote; raises FatalError for anything else."""
    read = json.loads(text)
    if network not in read:
        raise FatalError(f"there are no ranges of {network!r} among {sorted(read)}: see `bench ranges`")
    return {name: (float(low), float(high)) for name, (low, high) in read[network].items()}

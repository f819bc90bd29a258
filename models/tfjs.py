"""TensorFlow.js graph models to ONNX: reading the published files, and converting only what is asked for.

What each operation becomes is in `tfjs_operations`; what is known of a particular network is in `nanodet_graph`.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from biographer.models.onnx_graph import OnnxGraph
from biographer.models.tfjs_operations import OPERATIONS
from biographer.models.tfjs_values import Conversion, Node, Pixels
from biographer.state.errors import RefusedError

Array: TypeAlias = NDArray[Any]


def convert(topology: bytes, weights: bytes, pixels: Pixels, outputs: Mapping[str, str]) -> OnnxGraph:
    """Convert `topology` (model.json) and `weights` (its one .bin) to ONNX with a free first dimension.

    The ONNX input takes RGB as decoders give it (uint8, (n, height, width, 3)); the graph does the scaling. `outputs`
    maps the names that outputs shall have to TensorFlow's; any inner value may be made an output. Raises
    RefusedError for a file that is no such graph or needs an operation that is not here.
    """
    document = json.loads(topology)
    if document.get("format") != "graph-model":
        raise RefusedError(f"TensorFlow.js format {document.get('format')!r} is not 'graph-model'")
    nodes = _sorted(_feeding(_nodes(document), outputs.values()))
    uses = Counter(name for node in nodes for name in node.inputs) + Counter(outputs.values())
    conversion = Conversion(OnnxGraph(), read_weights(document, weights), pixels, uses)
    for node in nodes:
        _convert_node(conversion, node)
    for name, source in outputs.items():
        value = conversion.value(source)
        conversion.graph.output(name, conversion.ordered(value, tuple(range(len(value.shape)))).name, value.shape)
    return conversion.graph


def read_weights(document: Mapping[str, Any], weights: bytes) -> dict[str, Array]:
    """Return each weight by name in its nominal type; raises RefusedError where `weights` is too short."""
    arrays: dict[str, Array] = {}
    at = 0
    for entry in (weight for group in document["weightsManifest"] for weight in group["weights"]):
        stored = np.dtype(entry.get("quantization", entry)["dtype"])
        count = int(np.prod(entry["shape"], dtype=np.int64))
        end = at + count * stored.itemsize
        if end > len(weights):
            raise RefusedError(f"weights end at byte {len(weights)}, before {entry['name']!r}: fetch the file again")
        arrays[entry["name"]] = np.frombuffer(weights[at:end], stored).astype(entry["dtype"]).reshape(entry["shape"])
        at = end
    return arrays


def _nodes(document: Mapping[str, Any]) -> list[Node]:
    """Return the nodes that compute; constants come with the weights."""
    return [
        Node(node["name"], node["op"], tuple(map(_plain, node.get("input", ()))), node.get("attr", {}))
        for node in document["modelTopology"]["node"]
        if node["op"] != "Const"
    ]


def _feeding(nodes: Sequence[Node], outputs: Iterable[str]) -> list[Node]:
    """Return only the nodes that the outputs need."""
    named = {node.name: node for node in nodes}
    needed, waiting = set[str](), [_owner(name) for name in outputs]
    while waiting:
        name = waiting.pop()
        if name in named and name not in needed:
            needed.add(name)
            waiting += map(_owner, named[name].inputs)
    return [node for node in nodes if node.name in needed]


def _plain(name: str) -> str:
    return name.lstrip("^").removesuffix(":0")


def _sorted(nodes: Sequence[Node]) -> list[Node]:
    """Return the nodes so that each comes after those that feed it; the published order is arbitrary."""
    waiting, done, order = list(nodes), set[str](), list[Node]()
    names = {node.name for node in nodes}
    while waiting:
        ready = [
            node for node in waiting if all(_owner(name) in done or _owner(name) not in names for name in node.inputs)
        ]
        if not ready:
            raise RefusedError(f"TensorFlow.js graph has a cycle at {waiting[0].name!r}")
        order += ready
        done.update(node.name for node in ready)
        waiting = [node for node in waiting if node.name not in done]
    return order


def _owner(name: str) -> str:
    return name.partition(":")[0]


def _convert_node(conversion: Conversion, node: Node) -> None:
    if node.op not in OPERATIONS:
        raise RefusedError(f"TensorFlow.js operation {node.op!r} ({node.name}) is not supported: add it to OPERATIONS")
    OPERATIONS[node.op](conversion, node)

"""Any Ultralytics ONNX export as a Detector, by what the file says of itself.

Takes detection heads, also those of YOLOE and YOLO-World with their own class names, with boxes still to be suppressed
(1, 4 + classes, n) or finished (1, n, 6), and segmentation heads for their boxes. The layout of heads and the keys of
the metadata are those of Ultralytics' exporter (https://docs.ultralytics.com/modes/export/).
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biographer.models.detector_settings import DetectorSettings
from biographer.models.roles import Detections
from biographer.models.runtime import Network
from biographer.models.suppression import best_boxes
from biographer.state.errors import RefusedError
from biographer.state.frame import Frame

TASKS = ("detect", "segment")
GREY = 114
"""What Ultralytics fills the frame's margins with."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What an export's metadata says: class names by number, input height and width, and whether boxes are final."""

    names: tuple[str, ...]
    height: int
    width: int
    finished: bool

    @classmethod
    def read(cls, metadata: Mapping[str, str], name: str) -> "Declaration":
        """Read the metadata of an export; raises RefusedError where it is missing or of a task without boxes."""
        missing = {"names", "imgsz", "task"} - metadata.keys()
        if missing:
            raise RefusedError(f"{name} says nothing of {sorted(missing)}: export it by `biographer models export`")
        if metadata["task"] not in TASKS:
            raise RefusedError(f"{name} is for task {metadata['task']!r}, which finds no boxes: use one of {TASKS}")
        names: dict[int, str] = _literal(metadata["names"], name)
        height, width = _literal(metadata["imgsz"], name)
        options: Mapping[str, Any] = _literal(metadata.get("args", "{}"), name)
        finished = metadata.get("end2end") == "True" or bool(options.get("nms"))
        if sorted(names) != list(range(len(names))):
            raise RefusedError(f"{name} numbers its classes {sorted(names)[:5]}…, not from 0 on: export it again")
        return cls(tuple(names[number] for number in range(len(names))), int(height), int(width), finished)


@dataclass(frozen=True, slots=True)
class Letterbox:
    """How a frame lies in the network's input: scaled by `scale`, with `left` and `top` pixels of grey before it."""

    scale_x: float
    scale_y: float
    left: int
    top: int


class UltralyticsDetector:
    """An exported YOLO."""

    def __init__(self, network: Network, settings: DetectorSettings) -> None:
        self._declaration = Declaration.read(network.metadata, network.name)
        self._network, self._settings = network, settings
        self._output = next(iter(network.outputs))
        self._dtype = next(iter(network.inputs.values()))[1]

    @property
    def name(self) -> str:
        """The file's name."""
        return self._network.name

    @property
    def labels(self) -> tuple[str, ...]:
        """The class names that the file carries."""
        return self._declaration.names

    @property
    def provider(self) -> str:
        """Where its network runs now."""
        return self._network.provider

    def detect(self, frames: Sequence[Frame]) -> list[Detections]:
        """Return one record a frame, in order."""
        if not frames:
            return []
        placed = [self._place(frame) for frame in frames]
        pictures = np.stack([picture for picture, _ in placed]).astype(self._dtype) / self._dtype.type(255)
        (heads,) = self._network.run(pictures, [self._output])
        return [
            self._detections(head.astype(np.float32), box, frame)
            for head, (_, box), frame in zip(heads, placed, frames, strict=True)
        ]

    def _place(self, frame: Frame) -> tuple[NDArray[np.uint8], Letterbox]:
        """Return the frame as (3, height, width), its sides kept in proportion and centred on grey."""
        height, width = self._declaration.height, self._declaration.width
        scale = min(width / frame.width, height / frame.height)
        inner = max(1, round(frame.width * scale)), max(1, round(frame.height * scale))
        left, top = round((width - inner[0]) / 2 - 0.1), round((height - inner[1]) / 2 - 0.1)
        picture = np.full((height, width, 3), GREY, np.uint8)
        picture[top : top + inner[1], left : left + inner[0]] = frame.resized(*inner)
        return picture.transpose(2, 0, 1), Letterbox(inner[0] / frame.width, inner[1] / frame.height, left, top)

    def _detections(self, head: NDArray[np.float32], placed: Letterbox, frame: Frame) -> Detections:
        boxes, scores, labels = self._finished(head) if self._declaration.finished else self._raw(head)
        shift = np.array([placed.left, placed.top] * 2, np.float32)
        size = np.array([frame.width * placed.scale_x, frame.height * placed.scale_y] * 2, np.float32)
        boxes = np.clip((boxes - shift) / size, 0, 1)
        # A finished head has been suppressed by its own rule: only empty boxes and low scores are left to drop.
        overlap = 1.0 if self._declaration.finished else self._settings.overlap
        rows = best_boxes(boxes, scores, labels, overlap, self._settings.limit)
        return Detections(boxes[rows], scores[rows], labels[rows])

    def _raw(self, head: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int32]]:
        """Decode (4 + classes [+ 32 mask coefficients], n): middle, size and a score a class."""
        count = len(self.labels)
        if head.ndim != 2 or len(head) < 4 + count:
            raise RefusedError(f"{self.name} gives {head.shape}, not (4 + {count} classes, n): export it again")
        classes = head[4 : 4 + count]
        labels = classes.argmax(axis=0)
        scores = classes[labels, np.arange(len(labels))]
        rows = np.flatnonzero(scores >= self._settings.score)
        middle, half = head[:2, rows].T, head[2:4, rows].T / 2
        return np.concatenate([middle - half, middle + half], axis=1), scores[rows], labels[rows].astype(np.int32)

    def _finished(
        self, head: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int32]]:
        """Decode (n, 6 [+ 32 mask coefficients]): corners, score and class, padded by rows of zero score."""
        if head.ndim != 2 or head.shape[1] < 6:
            raise RefusedError(f"{self.name} gives {head.shape}, not the (n, 6) of final boxes: export it again")
        rows = head[head[:, 4] >= self._settings.score]
        return rows[:, :4], rows[:, 4], rows[:, 5].astype(np.int32)


def _literal(text: str, name: str) -> Any:  # noqa: ANN401 - the exporter writes Python literals of several kinds
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError) as error:
        raise RefusedError(f"{name} has metadata {text[:80]!r}, which is no literal: export it again") from error

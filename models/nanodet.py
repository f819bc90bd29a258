"""NanoDet-g as a Detector: frames to its square input, its heads to boxes.

Heads after https://github.com/RangiLyu/nanodet (generalised focal loss: each side of a box is a distribution over
whole strides). The network itself comes from `nanodet_graph`; running it is `runtime`'s.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from biographer.models.coco import COCO_LABELS
from biographer.models.detector_settings import DetectorSettings
from biographer.models.nanodet_graph import SIDE
from biographer.models.roles import Detections
from biographer.models.runtime import Network
from biographer.models.suppression import best_boxes
from biographer.state.frame import Frame

STRIDES = (8, 16, 32)
BINS = 11
HEADS = tuple(f"{head}_{stride}" for stride in STRIDES for head in ("scores", "distances"))


class NanoDet:
    """NanoDet-g 416 on COCO's 80 classes; frames are stretched to the square, as it was trained."""

    def __init__(self, network: Network, settings: DetectorSettings) -> None:
        self._network, self._settings = network, settings
        self._centres = {stride: _centres(stride) for stride in STRIDES}

    @property
    def name(self) -> str:
        """The catalogue's name."""
        return self._network.name

    @property
    def labels(self) -> tuple[str, ...]:
        """COCO's class names."""
        return COCO_LABELS

    @property
    def provider(self) -> str:
        """Where its network runs now."""
        return self._network.provider

    def detect(self, frames: Sequence[Frame]) -> list[Detections]:
        """Return one record a frame, in order."""
        if not frames:
            return []
        pictures = np.stack([frame.resized(SIDE, SIDE) for frame in frames])
        heads = dict(zip(HEADS, self._network.run(pictures, HEADS), strict=True))
        return [self._detections({name: rows[at] for name, rows in heads.items()}) for at in range(len(frames))]

    def _detections(self, heads: dict[str, NDArray[np.float32]]) -> Detections:
        """Decode only what scores: a frame has 3,549 places and few of them speak."""
        found = [self._decode(stride, heads[f"scores_{stride}"], heads[f"distances_{stride}"]) for stride in STRIDES]
        boxes, scores, labels = (np.concatenate(column) for column in zip(*found, strict=True))
        rows = best_boxes(boxes, scores, labels, self._settings.overlap, self._settings.limit)
        return Detections(boxes[rows], scores[rows], labels[rows])

    def _decode(
        self, stride: int, scores: NDArray[np.float32], distances: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int32]]:
        places, labels = np.nonzero(scores >= self._settings.score)
        sides = _expected(distances[places]) * np.float32(stride)
        centres = self._centres[stride][places]
        boxes = np.concatenate([centres - sides[:, :2], centres + sides[:, 2:]], axis=1) / np.float32(SIDE)
        return np.clip(boxes, 0, 1), scores[places, labels], labels.astype(np.int32)


def _centres(stride: int) -> NDArray[np.float32]:
    """Return the (n, 2) middles, x and y in pixels, of the stride's cells, row by row."""
    middles = (np.arange(SIDE // stride, dtype=np.float32) + 0.5) * stride
    rows, columns = np.meshgrid(middles, middles, indexing="ij")
    return np.stack([columns.ravel(), rows.ravel()], axis=1)


def _expected(distances: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the (n, 4) expected distances of left, top, right, bottom, in strides, of (n, 4 * BINS) logits."""
    logits = distances.reshape(-1, 4, BINS)
    weights = np.exp(logits - logits.max(axis=2, keepdims=True))
    expected: NDArray[np.float32] = weights @ np.arange(BINS, dtype=np.float32) / weights.sum(axis=2)
    return expected

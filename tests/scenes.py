"""Small worlds for tests of perceiving: `from scenes import detections, world, Scripted, ...`.

A world is a textured picture, a view is what a camera sees of it, and a scripted detector says what the test wants.
"""

import numpy as np
from PIL import Image

from biographer.models.roles import Detections
from biographer.models.track import Track
from biographer.streams.array_frame import ArrayFrame

SECOND = 1_000_000
STEP = SECOND // 5
"""Time between frames at the default rate."""


def world(seed, width=640, height=360):
    """Return RGB (height, width, 3) of smooth, irregular texture."""
    noise = np.random.default_rng(seed).integers(0, 256, (height // 12, width // 12, 3), dtype=np.uint8)
    return np.asarray(Image.fromarray(noise).resize((width, height), Image.Resampling.BICUBIC))


def view(picture, left=0, top=0, width=320, height=180):
    """Return what a camera at (left, top) sees."""
    return np.ascontiguousarray(picture[top : top + height, left : left + width])


def flat(value, width=320, height=180):
    """Return a picture of one grey value."""
    return np.full((height, width, 3), value, dtype=np.uint8)


def detections(*things, features=None):
    """Return Detections of (box, score, label) triples."""
    boxes = np.array([box for box, _, _ in things], dtype=np.float32).reshape(-1, 4)
    scores = np.array([score for _, score, _ in things], dtype=np.float32)
    labels = np.array([label for _, _, label in things], dtype=np.int32)
    return Detections(boxes, scores, labels, None if features is None else np.array(features, dtype=np.float32))


def track(number, times_us, boxes, label=0, score=0.8):
    """Return a Track; one box stands for all times."""
    times = np.array(times_us, dtype=np.int64)
    wide = np.broadcast_to(np.array(boxes, dtype=np.float32), (len(times), 4)).copy()
    scores = np.full(len(times), score, dtype=np.float32)
    return Track.of((number,), times, wide, scores, np.full(len(times), label, dtype=np.int32))


def film(pictures, start_us=0, step_us=STEP):
    """Return frames of pictures, evenly timed."""
    return [ArrayFrame(start_us + row * step_us, picture) for row, picture in enumerate(pictures)]


class Scripted:
    """A detector that says of each frame what the script has for its time, and nothing of others."""

    name = "scripted"

    def __init__(self, script, labels=("cup", "bowl", "person")):
        self.script, self.labels, self.batches = script, labels, []

    def detect(self, frames):
        self.batches.append(len(frames))
        return [self.script.get(frame.at_us, detections()) for frame in frames]


class MeanColour:
    """An embedder whose vectors are mean colours around middle grey: things of one colour are alike."""

    name, dim = "mean-colour", 3

    def embed(self, crops):
        raw = np.array([crop.reshape(-1, 3).mean(axis=0) - 127.5 for crop in crops]).reshape(-1, 3)
        return (raw / np.maximum(np.linalg.norm(raw, axis=1, keepdims=True), 1e-6)).astype(np.float32)

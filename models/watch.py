"""The watch: what is carried from frame to frame of one clip: camera, tracks and the pictures of them so far."""

import numpy as np
from numpy.typing import NDArray

from biographer.models.camera_path import CameraPath
from biographer.models.crops import CropCollector
from biographer.models.motion import MotionEstimator
from biographer.models.perceiver_settings import PerceiverSettings
from biographer.models.roles import Detections
from biographer.models.stages import Stage, Stages
from biographer.models.tracker import Sightings, Tracker
from biographer.state.frame import Frame

_SHARPNESS_SIDE = 256
"""Longest side of the grey picture by which sharpness is judged; every other row and column serve for motion."""


class Watch:
    """Follows one clip; frames come in order of time."""

    def __init__(self, settings: PerceiverSettings, stages: Stages, least_sightings: int = 2) -> None:
        self.path = CameraPath()
        self.tracker = Tracker(settings.tracker)
        self.crops = CropCollector(settings.crops, least_sightings)
        self._motion = MotionEstimator(settings.motion)
        self._stages = stages

    def step(self, frame: Frame, detections: Detections) -> None:
        """Take one frame and what was detected in it."""
        with self._stages.timed(Stage.TRACK):
            grey = grey_picture(frame)
            motion = self._motion.step(grey[::2, ::2])
            self.path.step(frame.at_us, motion)
            sightings = self.tracker.step(frame.at_us, detections, motion)
        self.offer(frame, grey, sightings)

    def offer(self, frame: Frame, grey: NDArray[np.uint8], sightings: Sightings) -> None:
        """Consider the frame for crops of what was seen in it, by whomever."""
        with self._stages.timed(Stage.CROPS):
            self.crops.offer(frame, grey, sightings)

    def close(self) -> None:
        """Let go of the last frames."""
        with self._stages.timed(Stage.CROPS):
            self.crops.flush()


def grey_picture(frame: Frame) -> NDArray[np.uint8]:
    """Return a small (h, w) picture of brightness."""
    scale = _SHARPNESS_SIDE / max(frame.width, frame.height, 1)
    width, height = max(round(frame.width * scale), 8), max(round(frame.height * scale), 8)
    return frame.grey(width, height)

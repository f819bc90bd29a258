"""A head in motion: a smooth random walk of where the demo's camera points, and the view that it sees from there.

The walk depends on nothing but the generator passed in; what is looked at belongs to `scenes`.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image


@dataclass(frozen=True, slots=True)
class Framing:
    """Where a camera looks on average, in pixels of the scene, and how far it strays (`sway`, about two deviations)."""

    x: float
    y: float
    side: float
    sway_x: float
    sway_y: float
    sway_side: float = 0.06
    """Of `side`."""
    sway_roll: float = 2.5
    """Degrees."""


@dataclass(frozen=True, slots=True)
class View:
    """A square of the scene: centre and side in pixels of the scene, roll in radians, exposure as a factor."""

    x: float
    y: float
    side: float
    roll: float
    exposure: float


def walk(framing: Framing, frames: int, rate: int, random: np.random.Generator) -> Iterator[View]:
    """Yield the views of a head that looks at `framing` for `frames` frames at `rate` a second."""
    x, y, side, roll, exposure = (_drift(frames, rate, random) for _ in range(5))
    for i in range(frames):
        yield View(
            framing.x + framing.sway_x * x[i],
            framing.y + framing.sway_y * y[i],
            framing.side * (1 + framing.sway_side * side[i]),
            math.radians(framing.sway_roll * roll[i]),
            1 + 0.05 * exposure[i],
        )


def look(scene: Image.Image, view: View, size: int) -> Image.Image:
    """Return the (size, size) picture of a view, between pixels where it must be."""
    scale = view.side / size
    cos, sin = scale * math.cos(view.roll), scale * math.sin(view.roll)
    half = size / 2
    matrix = (cos, -sin, view.x - half * (cos - sin), sin, cos, view.y - half * (sin + cos))
    seen = scene.transform((size, size), Image.Transform.AFFINE, matrix, resample=Image.Resampling.BILINEAR)
    return seen.point([min(255, round(level * view.exposure)) for level in range(256)] * 3)


def _drift(frames: int, rate: int, random: np.random.Generator) -> NDArray[np.float64]:
    """Return a walk within -1..1 whose speed is continuous: noise smoothed over about a second, twice."""
    kernel = np.hanning(2 * rate + 1)[1:-1]
    noise = random.standard_normal(frames + 4 * rate)
    smooth = np.convolve(np.convolve(noise, kernel, "same"), kernel, "same")[2 * rate : 2 * rate + frames]
    deviation = float(np.sqrt(np.convolve(kernel, kernel) @ np.convolve(kernel, kernel)))
    bounded: NDArray[np.float64] = np.tanh(smooth / deviation)
    return bounded

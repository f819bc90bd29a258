"""Whether a model runs here, on what, and how fast: one picture through it, as `biographer models check` shows it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from biographer.models.catalogue import MODELS, load_detector, load_embedder
from biographer.models.runtime import Runtime

REPEATS = 10


@dataclass(frozen=True, slots=True)
class Check:
    """What came of it: the provider that ran it, milliseconds a picture (the median), and what it said in words."""

    name: str
    provider: str
    ms: float
    said: str


@dataclass(frozen=True, slots=True, eq=False)
class Still:
    """One picture as a Frame."""

    array: NDArray[np.uint8]
    at_us: int = 0

    @property
    def width(self) -> int:
        """Width in pixels."""
        return int(self.array.shape[1])

    @property
    def height(self) -> int:
        """Height in pixels."""
        return int(self.array.shape[0])

    def pixels(self) -> NDArray[np.uint8]:
        """Return the picture."""
        return self.array

    def resized(self, width: int, height: int) -> NDArray[np.uint8]:
        """Return the picture stretched."""
        return np.asarray(Image.fromarray(self.array).resize((width, height), Image.Resampling.BILINEAR))

    def grey(self, width: int, height: int) -> NDArray[np.uint8]:
        """Return the green channel stretched, which is most of what the eye calls brightness."""
        return self.resized(width, height)[..., 1]


def check(name: str, folder: Path, runtime: Runtime, clock: Callable[[], float] = time.perf_counter) -> Check:
    """Run one picture through the model; raises as loading does, and FatalError where running fails."""
    picture = np.add.outer(np.arange(480), np.arange(640))[..., None] * np.array([1, 2, 3])
    still = Still((picture % 256).astype(np.uint8))
    if name in MODELS and MODELS[name].role == "embedder":
        embedder = load_embedder(name, folder, runtime)
        ms = _median_ms(lambda: embedder.embed([still.pixels()]), clock)
        provider, said = embedder.provider, f"vectors of {embedder.dim} numbers"
    else:
        detector = load_detector(name, folder, runtime)
        ms = _median_ms(lambda: detector.detect([still]), clock)
        provider, said = detector.provider, f"{len(detector.labels)} classes"
    return Check(name, provider, ms, said)


def _median_ms(run: Callable[[], object], clock: Callable[[], float]) -> float:
    run()
    times = []
    for _ in range(REPEATS):
        start = clock()
        run()
        times.append(clock() - start)
    return 1000 * float(np.median(times))

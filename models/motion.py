"""Camera motion between frames of one clip, by phase correlation of small grey pictures; scene cuts and black frames.

Only translation is found: at the few frames a second that are looked at, that is most of what a head does.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_LEVELS = 16


@dataclass(frozen=True, slots=True)
class Motion:
    """How the picture moved since the last frame that showed anything.

    `dx`, `dy` are fractions of width and height by which what is seen moved to the right and down. `cut` says that
    another scene began, `dark` that this frame shows nothing (black, white or of one colour); both have no motion.
    """

    dx: float = 0.0
    dy: float = 0.0
    cut: bool = False
    dark: bool = False


@dataclass(frozen=True, slots=True)
class MotionSettings:
    """Limits of what counts as the same scene; agreements are correlations of grey values, -1..1."""

    dark_spread: float = 4.0
    """Standard deviation of grey values (0..255) under which a frame shows nothing."""
    trusted: float = 0.45
    """Agreement of two frames, one moved over the other, from which their motion is believed."""
    cut_agreement: float = 0.25
    """Agreement under which a cut is considered."""
    cut_histogram: float = 0.75
    """Share of grey levels in common (0..1) under which it is one."""


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    picture: NDArray[np.float32]
    spectrum: NDArray[np.complexfloating]
    levels: NDArray[np.float64]


class MotionEstimator:
    """Follows the camera through one clip; one a clip."""

    def __init__(self, settings: MotionSettings | None = None) -> None:
        self._settings = settings or MotionSettings()
        self._last: _View | None = None
        self._window = np.zeros((0, 0), dtype=np.float32)

    def step(self, grey: NDArray[np.uint8]) -> Motion:
        """Return the motion from the last frame that showed anything to this one; grey is (h, w), some 128 wide."""
        picture = grey.astype(np.float32)
        spread = _centred(picture)
        if spread < self._settings.dark_spread:
            return Motion(dark=True)
        picture /= spread
        view, last = self._view(grey, picture), self._last
        self._last = view
        if last is None:
            return Motion()
        if last.picture.shape != view.picture.shape:
            return Motion(cut=True)
        right, down, agreement = _displacement(last, view)
        if agreement >= self._settings.trusted:
            height, width = grey.shape
            return Motion(right / width, down / height)
        common = float(np.minimum(last.levels, view.levels).sum())
        return Motion(cut=agreement < self._settings.cut_agreement and common < self._settings.cut_histogram)

    def _view(self, grey: NDArray[np.uint8], picture: NDArray[np.float32]) -> _View:
        if self._window.shape != grey.shape:
            height, width = grey.shape
            self._window = np.outer(np.hanning(height), np.hanning(width)).astype(np.float32)
        levels = np.bincount(grey.ravel() >> 4, minlength=_LEVELS) / grey.size
        return _View(picture, np.fft.rfft2(picture * self._window), levels)


def _displacement(last: _View, view: _View) -> tuple[int, int, float]:
    """Return pixels to the right and down, and how well the frames then agree; standing still is tried as well."""
    cross = view.spectrum * np.conj(last.spectrum)
    cross /= np.abs(cross) + 1e-3
    surface = np.fft.irfft2(cross, s=view.picture.shape)
    height, width = view.picture.shape
    down, right = divmod(int(np.argmax(surface)), width)
    down, right = (down + height // 2) % height - height // 2, (right + width // 2) % width - width // 2
    still = _agreement(last.picture, view.picture, 0, 0)
    moved = _agreement(last.picture, view.picture, right, down) if (right, down) != (0, 0) else still
    return (right, down, moved) if moved > still else (0, 0, still)


def _agreement(last: NDArray[np.float32], view: NDArray[np.float32], right: int, down: int) -> float:
    """Return the correlation of the two where they overlap once the last is moved; 0 where that is too little."""
    height, width = view.shape
    if abs(right) > width * 0.6 or abs(down) > height * 0.6:
        return 0.0
    here = view[max(down, 0) : height + min(down, 0), max(right, 0) : width + min(right, 0)]
    there = last[max(-down, 0) : height + min(-down, 0), max(-right, 0) : width + min(-right, 0)]
    here, there = here.copy(), there.copy()
    spreads = _centred(here) * _centred(there)
    return float(np.vdot(here, there)) / here.size / spreads if spreads > 0 else 0.0


def _centred(picture: NDArray[np.float32]) -> float:
    """Take the mean off, in place, and return the standard deviation; 0 of nothing."""
    if picture.size == 0:
        return 0.0
    picture -= picture.mean()
    return math.sqrt(float(np.vdot(picture, picture)) / picture.size)

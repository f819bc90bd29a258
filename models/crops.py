"""Crops: the best pictures of each track, collected while frames pass by, so that no clip is ever held in memory."""

import io
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from biographer.models.tracker import Sightings
from biographer.state.box import areas
from biographer.state.frame import Frame
from biographer.state.times import SECOND_US


@dataclass(frozen=True, slots=True)
class CropSettings:
    """How many pictures of a subject are taken, and how large."""

    count: int = 4
    """Crops an observation (GEB appendix A: 4)."""
    side: int = 448
    """Longest side in pixels (GEB appendix A: 448); smaller ones stay as they are."""
    margin: float = 0.1
    """Share of the box's size that is added on each side."""
    quality: int = 85
    """JPEG quality, 1..95."""
    candidates: int = 8
    """Pictures a track that are held until its end is known."""
    window_s: float = 1.0
    """Seconds of frames among which the sharpest are chosen at a time."""
    held_frames: int = 8
    """Frames held at once at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A picture of a track that may become a crop: RGB pixels (h, w, 3), and a quality that orders those of a track."""

    at_us: int
    box: tuple[float, float, float, float]
    quality: float
    pixels: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class _Sight:
    frame: int
    box: NDArray[np.float32]
    quality: float


@dataclass(slots=True)
class _Slots:
    """The best candidate of each stretch of time of one track; stretches double when there are too many."""

    width_us: int
    best: dict[int, Candidate]

    def wants(self, at_us: int, quality: float) -> bool:
        held = self.best.get(at_us // self.width_us)
        return held is None or quality > held.quality * 1.15

    def put(self, candidate: Candidate, limit: int) -> None:
        self.best[candidate.at_us // self.width_us] = candidate
        while len(self.best) > limit:
            self.width_us *= 2
            halved: dict[int, Candidate] = {}
            for held in self.best.values():
                slot = held.at_us // self.width_us
                if slot not in halved or held.quality > halved[slot].quality:
                    halved[slot] = held
            self.best = halved


class CropCollector:
    """Collects candidates of one clip; frames come in order of time, and are let go after at most a window."""

    def __init__(self, settings: CropSettings, least_sightings: int = 2) -> None:
        """Tracks of fewer sightings than `least_sightings` so far get no picture, as most of them come to nothing."""
        self._settings = settings
        self._least_sightings = least_sightings
        self._slots: dict[int, _Slots] = {}
        self._seen: dict[int, int] = {}
        self._frames: list[Frame] = []
        self._sights: dict[int, list[_Sight]] = {}
        self._window = 0

    def offer(self, frame: Frame, grey: NDArray[np.uint8], sightings: Sightings) -> None:
        """Consider what was seen in a frame; `grey` is the same picture at any size, by which sharpness is judged."""
        window = int(frame.at_us // (self._settings.window_s * SECOND_US))
        if window != self._window or len(self._frames) >= self._settings.held_frames:
            self.flush()
        self._window = window
        if not len(sightings.numbers):
            return
        qualities = _qualities(grey, sightings)
        for number, box, quality in zip(sightings.numbers.tolist(), sightings.boxes, qualities, strict=True):
            self._seen[number] = self._seen.get(number, 0) + 1
            self._sights.setdefault(number, []).append(_Sight(len(self._frames), box, quality))
        self._frames.append(frame)

    def flush(self) -> None:
        """Cut what is worth it from the frames held, and let them go."""
        chosen: set[int] = set()
        for number, sights in sorted(self._sights.items()):
            if self._seen[number] < self._least_sightings:
                continue
            best = max(sights, key=lambda sight: sight.quality)
            again = [sight for sight in sights if sight.frame in chosen and sight.quality >= 0.85 * best.quality]
            sight = max(again, key=lambda sight: sight.quality, default=best)
            frame = self._frames[sight.frame]
            slots = self._slots.setdefault(number, _Slots(int(self._settings.window_s * SECOND_US), {}))
            if slots.wants(frame.at_us, sight.quality):
                chosen.add(sight.frame)
                slots.put(self._cut(frame, sight), self._settings.candidates)
        self._frames, self._sights = [], {}

    def candidates(self, number: int) -> tuple[Candidate, ...]:
        """Return what is held of a track, by time."""
        slots = self._slots.get(number)
        return () if slots is None else tuple(sorted(slots.best.values(), key=lambda held: held.at_us))

    def _cut(self, frame: Frame, sight: _Sight) -> Candidate:
        pixels = cut_from(frame, sight.box, self._settings.margin, self._settings.side)
        x0, y0, x1, y1 = (float(value) for value in sight.box)
        return Candidate(frame.at_us, (x0, y0, x1, y1), sight.quality, pixels)


def choose(candidates: Iterable[Candidate], count: int) -> tuple[Candidate, ...]:
    """Return up to `count` candidates, by time: the best of each of as many equal stretches, then of the rest."""
    left = sorted(candidates, key=lambda held: held.at_us)
    if len(left) <= count or count < 1:
        return tuple(left[: max(count, 0)])
    first, span = left[0].at_us, left[-1].at_us - left[0].at_us + 1
    best: dict[int, Candidate] = {}
    for held in left:
        stretch = (held.at_us - first) * count // span
        if stretch not in best or held.quality > best[stretch].quality:
            best[stretch] = held
    chosen = list(best.values())
    rest = sorted((held for held in left if held not in chosen), key=lambda held: -held.quality)
    return tuple(sorted(chosen + rest[: count - len(chosen)], key=lambda held: held.at_us))


def cut_from(frame: Frame, box: NDArray[np.float32], margin: float, side: int) -> NDArray[np.uint8]:
    """Return what `cut` does, of a frame; large boxes are cut from a smaller picture, which costs the codec less.

    The sizes of that are in sixteenths, few enough to be set up once each.
    """
    x0, y0, x1, y1 = (float(value) for value in box)
    longest = max((x1 - x0) * frame.width, (y1 - y0) * frame.height) * (1 + 2 * margin)
    sixteenths = int(16 * side / max(longest, 1))
    if sixteenths >= 16 or sixteenths < 1:
        return cut(frame.pixels(), box, margin, side)
    size = (max(frame.width * sixteenths // 16, 1), max(frame.height * sixteenths // 16, 1))
    return cut(frame.resized(*size), box, margin, side)


def cut(pixels: NDArray[np.uint8], box: NDArray[np.float32], margin: float, side: int) -> NDArray[np.uint8]:
    """Return a copy of the box with its margin, at least one pixel, its longest side at most `side`; RGB (h, w, 3)."""
    height, width = pixels.shape[:2]
    x0, y0, x1, y1 = (float(value) for value in box)
    across, down = margin * (x1 - x0), margin * (y1 - y0)
    left, top = max(int((x0 - across) * width), 0), max(int((y0 - down) * height), 0)
    left, top = min(left, width - 1), min(top, height - 1)
    right = max(min(int(np.ceil((x1 + across) * width)), width), left + 1)
    bottom = max(min(int(np.ceil((y1 + down) * height)), height), top + 1)
    return limited(pixels[top:bottom, left:right], side)


def limited(pixels: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """Return a copy whose longest side is at most `side`."""
    height, width = pixels.shape[:2]
    longest = max(height, width)
    if longest <= side:
        return np.ascontiguousarray(pixels).copy()
    size = (max(round(width * side / longest), 1), max(round(height * side / longest), 1))
    picture = Image.fromarray(np.ascontiguousarray(pixels))
    return np.asarray(picture.resize(size, Image.Resampling.BILINEAR))


def jpeg(pixels: NDArray[np.uint8], quality: int) -> bytes:
    """Return the pixels as a JPEG file."""
    out = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(out, "JPEG", quality=quality)
    return out.getvalue()


def _qualities(grey: NDArray[np.uint8], sightings: Sightings) -> list[float]:
    """Return one number a sighting: sharp, large, sure, whole and unobstructed is more."""
    signed = grey.astype(np.int16)
    edges = np.abs(signed[:-1, 1:] - signed[:-1, :-1]) + np.abs(signed[1:, :-1] - signed[:-1, :-1])
    height, width = edges.shape
    hidden = _hidden(sightings.boxes)
    result = []
    for box, score, share in zip(sightings.boxes, sightings.scores, hidden, strict=True):
        left, top = min(int(box[0] * width), width - 1), min(int(box[1] * height), height - 1)
        inside = edges[top : max(int(box[3] * height), top + 1), left : max(int(box[2] * width), left + 1)]
        size = float(np.sqrt((box[2] - box[0]) * (box[3] - box[1])))
        sharp = float(inside.mean()) + 1.0
        whole = 1.0 if box[:2].min() > 0.01 and box[2:].max() < 0.99 else 0.7
        result.append(sharp * size * (0.5 + float(score)) * whole * (1.0 - 0.6 * float(share)))
    return result


def _hidden(boxes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the largest share of each box that one other box covers."""
    low = np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    inner = np.clip(high - low, 0, None).prod(axis=2)
    np.fill_diagonal(inner, 0)
    share: NDArray[np.float32] = inner.max(axis=1) / np.maximum(areas(boxes), 1e-9)
    return share

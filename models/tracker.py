"""The tracker: joins the detections of one clip into tracks, frame by frame.

Ours, as no kept library with a permissive licence serves: those that could be had know no appearance, no time steps,
or bring torch or a GUI. Two stages by score follow ByteTrack (Zhang et al. 2022, section 3); boxes grown before they
are compared follow C-BIoU (Yang et al. 2023). All is in seconds, so that the frame rate may change at any moment.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biographer.models.assignment import assign
from biographer.models.motion import Motion
from biographer.models.roles import Detections
from biographer.models.track import Track
from biographer.state.box import areas, iou_matrix
from biographer.state.times import SECOND_US


@dataclass(frozen=True, slots=True)
class TrackerSettings:
    """What the tracker believes; scores and overlaps are 0..1, times are seconds."""

    start_score: float = 0.4
    """A detection from this score on may begin a track."""
    low_score: float = 0.15
    """One from this score on may continue a track that was seen a moment ago."""
    patience_s: float = 2.0
    """How long an unseen track waits for its subject to come back."""
    recent_s: float = 0.7
    """How long ago is a moment ago."""
    grow: float = 0.3
    """Boxes grow by this share of their size on each side before they are compared, and by as much each second."""
    least_overlap: float = 0.2
    """Overlap of the grown boxes from which a detection may continue a track."""
    other_label_overlap: float = 0.6
    """Overlap from which a detection of another label may continue a track: labels of like things flicker."""
    appearance: float = 0.5
    """Weight of appearance against place, where detections have features."""
    same_box: float = 0.8
    """Overlap from which two detections of a frame are one thing, whatever their labels."""


@dataclass(frozen=True, slots=True, eq=False)
class Sightings:
    """The tracks seen in one frame: numbers (int64, (n,)), boxes (float32, (n, 4)) and scores (float32, (n,))."""

    numbers: NDArray[np.int64]
    boxes: NDArray[np.float32]
    scores: NDArray[np.float32]


@dataclass(slots=True, eq=False)
class _Open:
    """A track that may still be continued; `box` and `speed` (a second) are in fractions of the picture."""

    number: int
    box: NDArray[np.float64]
    speed: NDArray[np.float64]
    seen_us: int
    votes: dict[int, float]
    feature: NDArray[np.float32] | None

    @property
    def label(self) -> int:
        return min(self.votes, key=lambda label: (-self.votes[label], label))


@dataclass(slots=True, eq=False)
class _History:
    times_us: list[int]
    boxes: list[NDArray[np.float32]]
    scores: list[float]
    labels: list[int]

    def track(self, number: int) -> Track:
        return Track.of(
            parts=(number,),
            times_us=np.array(self.times_us, dtype=np.int64),
            boxes=np.array(self.boxes, dtype=np.float32).reshape(-1, 4),
            scores=np.array(self.scores, dtype=np.float32),
            labels=np.array(self.labels, dtype=np.int32),
        )


class Tracker:
    """Joins the detections of one clip; one a clip, so that numbers start anew and nothing is kept between clips."""

    def __init__(self, settings: TrackerSettings | None = None) -> None:
        self._settings = settings or TrackerSettings()
        self._open: list[_Open] = []
        self._histories: list[_History] = []
        self._last_us: int | None = None

    def step(self, at_us: int, detections: Detections, motion: Motion) -> Sightings:
        """Take one frame, later than all before it, and return the tracks seen in it (a new one included)."""
        settings = self._settings
        found = distinct(sound(detections), settings.same_box)
        self._predict(at_us, motion)
        strong = np.flatnonzero(found.scores >= settings.start_score)
        weak = np.flatnonzero((found.scores < settings.start_score) & (found.scores >= settings.low_score))
        pairs, spare_tracks, spare = self._match(self._open, found, strong, at_us)
        recent = [track for track in spare_tracks if at_us - track.seen_us <= settings.recent_s * SECOND_US]
        pairs += self._match(recent, found, weak, at_us, strict=True)[0]
        for track, row in pairs:
            self._continue(track, found, row, at_us)
        pairs += [(self._begin(found, row, at_us), row) for row in spare]
        for track, row in pairs:
            self._record(track.number, found, row, at_us)
        rows = np.array([row for _, row in pairs], dtype=np.intp)
        numbers = np.array([track.number for track, _ in pairs], dtype=np.int64)
        return Sightings(numbers, found.boxes[rows], found.scores[rows])

    def tracks(self) -> tuple[Track, ...]:
        """Return all tracks of the clip so far, by number."""
        return tuple(history.track(number) for number, history in enumerate(self._histories, start=1))

    def _predict(self, at_us: int, motion: Motion) -> None:
        """Move open tracks with the camera and on their way; close those that waited long enough, all at a cut."""
        settings = self._settings
        passed_s = 0.0 if self._last_us is None else (at_us - self._last_us) / SECOND_US
        self._last_us = at_us
        oldest = at_us - settings.patience_s * SECOND_US
        self._open = [] if motion.cut else [track for track in self._open if track.seen_us >= oldest]
        camera = np.array([motion.dx, motion.dy, motion.dx, motion.dy])
        for track in self._open:
            track.box = track.box + camera + track.speed * passed_s
            track.speed = track.speed * 0.5**passed_s if passed_s else track.speed

    def _match(
        self, tracks: list[_Open], found: Detections, rows: NDArray[np.intp], at_us: int, *, strict: bool = False
    ) -> tuple[list[tuple[_Open, int]], list[_Open], list[int]]:
        """Return the pairs, the tracks left over and the rows left over; strict takes the same label in place only."""
        if not tracks or not len(rows):
            return [], tracks, rows.tolist()
        cost = self._cost(tracks, found.take(rows), at_us, strict=strict)
        chosen = assign(cost, 1.0)
        taken, used = {row for row, _ in chosen}, {column for _, column in chosen}
        pairs = [(tracks[row], int(rows[column])) for row, column in chosen]
        spare_tracks = [track for place, track in enumerate(tracks) if place not in taken]
        return pairs, spare_tracks, [int(row) for place, row in enumerate(rows) if place not in used]

    def _cost(self, tracks: list[_Open], found: Detections, at_us: int, *, strict: bool) -> NDArray[np.float64]:
        """Return (tracks, detections): 0 for the same thing in place, over 1 for what cannot be."""
        settings = self._settings
        boxes = np.array([track.box for track in tracks], dtype=np.float32)
        unseen_s = np.array([(at_us - track.seen_us) / SECOND_US for track in tracks], dtype=np.float32)
        overlap = iou_matrix(boxes, found.boxes)
        grow = settings.grow * (1 + unseen_s[:, None])
        wide = iou_matrix(_grown(boxes, grow), _grown(found.boxes, np.float32(settings.grow)))
        other = np.array([track.label for track in tracks])[:, None] != found.labels[None, :]
        cost = 1 - wide.astype(np.float64)
        likeness = _likeness(tracks, found)
        known = np.isfinite(likeness)
        weight = settings.appearance
        cost = np.where(known, (1 - weight) * cost + weight * (1 - np.where(known, likeness, 0)), cost)
        cost += 0.1 * other + 0.1 * np.minimum(unseen_s[:, None], 1)
        forbidden = (wide < settings.least_overlap) | (other & (overlap < settings.other_label_overlap))
        if strict:
            forbidden |= other | (overlap < 0.4)
        return np.where(forbidden, np.inf, cost)

    def _begin(self, found: Detections, row: int, at_us: int) -> _Open:
        self._histories.append(_History([], [], [], []))
        track = _Open(
            number=len(self._histories),
            box=found.boxes[row].astype(np.float64),
            speed=np.zeros(4),
            seen_us=at_us,
            votes={int(found.labels[row]): float(found.scores[row])},
            feature=_feature(found, row),
        )
        self._open.append(track)
        return track

    def _continue(self, track: _Open, found: Detections, row: int, at_us: int) -> None:
        """Correct the track by what was seen; half of each surprise becomes speed, at most a picture a second."""
        box = found.boxes[row].astype(np.float64)
        passed_s = max((at_us - track.seen_us) / SECOND_US, 1e-3)
        track.speed = np.clip(track.speed + 0.5 * (box - track.box) / passed_s, -1, 1)
        track.box, track.seen_us = box, at_us
        label = int(found.labels[row])
        track.votes[label] = track.votes.get(label, 0.0) + float(found.scores[row])
        feature = _feature(found, row)
        if feature is not None and track.feature is not None:
            mixed = 0.8 * track.feature + 0.2 * feature
            track.feature = (mixed / max(float(np.linalg.norm(mixed)), 1e-9)).astype(np.float32)
        else:
            track.feature = feature if track.feature is None else track.feature

    def _record(self, number: int, found: Detections, row: int, at_us: int) -> None:
        history = self._histories[number - 1]
        history.times_us.append(at_us)
        history.boxes.append(found.boxes[row])
        history.scores.append(float(found.scores[row]))
        history.labels.append(int(found.labels[row]))


def sound(detections: Detections) -> Detections:
    """Return what can be believed: finite boxes within the picture that are not empty, with finite scores."""
    boxes = np.clip(detections.boxes, 0, 1)
    finite = np.isfinite(detections.boxes).all(axis=1) & np.isfinite(detections.scores)
    good = finite & (areas(np.where(finite[:, None], boxes, 0)) > 0)
    clipped = Detections(boxes, detections.scores, detections.labels, detections.features)
    return clipped.take(np.flatnonzero(good))


def distinct(detections: Detections, same_box: float) -> Detections:
    """Return the detections by falling score, without those whose box a better one of any label nearly has."""
    ordered = detections.take(np.argsort(-detections.scores, kind="stable"))
    if len(ordered) < 2:
        return ordered
    alike = np.triu(iou_matrix(ordered.boxes, ordered.boxes) >= same_box, 1)
    kept = np.ones(len(ordered), dtype=bool)
    for row in range(len(ordered)):
        if kept[row]:
            kept &= ~alike[row]
    return ordered.take(kept)


def _grown(boxes: NDArray[np.float32], share: NDArray[np.float32] | np.float32) -> NDArray[np.float32]:
    sides = boxes[:, 2:] - boxes[:, :2]
    return np.concatenate([boxes[:, :2] - share * sides, boxes[:, 2:] + share * sides], axis=1)


def _feature(found: Detections, row: int) -> NDArray[np.float32] | None:
    """Return the unit feature of a row, or None where there is none to believe."""
    if found.features is None:
        return None
    norm = float(np.linalg.norm(found.features[row]))
    return found.features[row] / norm if np.isfinite(norm) and norm > 1e-9 else None


def _likeness(tracks: list[_Open], found: Detections) -> NDArray[np.float64]:
    """Return (tracks, detections) cosines, NaN where either has no feature."""
    result = np.full((len(tracks), len(found)), np.nan)
    if found.features is None:
        return result
    columns = [_feature(found, row) for row in range(len(found))]
    for row, track in enumerate(tracks):
        for column, feature in enumerate(columns):
            if track.feature is not None and feature is not None:
                result[row, column] = float(track.feature @ feature)
    return result

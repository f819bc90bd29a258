"""The clean-up of a clip's tracks: what is dropped, what is one thing, and what is seen for long enough.

GEB appendix A, perception, with times in place of frame counts. Its steps live in overlays, duplicates and regroup.
"""

from dataclasses import dataclass

from biographer.models.camera_path import CameraPath
from biographer.models.track import Track
from biographer.state.times import SECOND_US


@dataclass(frozen=True, slots=True)
class CleanupSettings:
    """What becomes of tracks; overlaps and shares are 0..1, times are seconds, similarities are cosines."""

    visible_s: float = 2.0
    """Time seen from which a track becomes an observation; half the clip, where that is shorter."""
    gap_s: float = 0.5
    """Gaps between sightings up to this count as seen; at low frame rates one and a half frames do."""
    piece_s: float = 0.6
    """Time seen from which a track may be a piece of a split one."""
    whole_frame_side: float = 0.95
    """Width and height from which a box is the whole frame."""
    still_box: float = 0.015
    """How far the sides of a burnt-in box may stray, as a share of the picture."""
    still_camera: float = 0.3
    """How far the camera must have travelled meanwhile, in pictures, for a still box to be burnt in."""
    same_overlap: float = 0.6
    """IoU from which two tracks have the same box in a frame."""
    same_share: float = 0.6
    """Share of their common frames in which they must have, to be one thing."""
    nested_cover: float = 0.8
    """Share of the smaller box that lies in the larger from which it is nested, where both have one label."""
    nested_span: float = 0.6
    """Share of the larger one's width or height that a nested box spans, if it is a part and no thing behind it."""
    nested_share: float = 0.8
    """Share of its sightings in which a track must be nested, to be no thing of its own."""
    regroup_similarity: float = 0.75
    """Mean cosine from which tracks that share no frame are one split track; belongs to the embedder."""
    regroup_in_place: float = 0.6
    """The same, where one begins at the place where the other was left, by the camera's motion."""
    regroup_place_s: float = 4.0
    """Longest absence for which that place is believed."""
    regroup_overlap: float = 0.3
    """IoU from which it begins there."""
    regroup_side: float = 80.0
    """Side in pixels (of a square of the same area) from which pictures tell things apart elsewhere."""
    regroup_other_label: float = 0.05
    """How much more similar tracks of different labels must be."""


def needed_us(settings: CleanupSettings, duration_us: int) -> int:
    """Return the time that a subject must be seen in a clip of this length (GEB: 2 s; half the clip if shorter)."""
    return int(min(settings.visible_s * SECOND_US, duration_us / 2))


def seen_us(track: Track, path: CameraPath, settings: CleanupSettings) -> int:
    """Return the time that a subject was seen, gaps not counted; 0 for a single sighting."""
    if len(track) < 2:
        return 0
    gap_us = max(int(settings.gap_s * SECOND_US), path.period_us * 3 // 2)
    return track.visible_us(path.period_us, gap_us)


def is_observable(track: Track, path: CameraPath, settings: CleanupSettings, duration_us: int) -> bool:
    """Say whether the track was seen for long enough to become an observation, and more than once."""
    return len(track) >= 2 and seen_us(track, path, settings) >= needed_us(settings, duration_us)


def may_be_part(track: Track, path: CameraPath, settings: CleanupSettings, duration_us: int) -> bool:
    """Say whether the track, observable or not, was seen for long enough to be a piece of something."""
    return is_observable(track, path, settings, duration_us) or (
        len(track) >= 2 and seen_us(track, path, settings) >= settings.piece_s * SECOND_US
    )

"""Everything that the perceiver can be told, apart from its networks; in seconds and fractions, never in frames."""

from dataclasses import dataclass, field

from biographer.models.cleanup import CleanupSettings
from biographer.models.crops import CropSettings
from biographer.models.motion import MotionSettings
from biographer.models.tracker import TrackerSettings


@dataclass(frozen=True, slots=True)
class PerceiverSettings:
    """How clips become observations; the defaults are GEB's where it gives them."""

    tracker: TrackerSettings = field(default_factory=TrackerSettings)
    motion: MotionSettings = field(default_factory=MotionSettings)
    cleanup: CleanupSettings = field(default_factory=CleanupSettings)
    crops: CropSettings = field(default_factory=CropSettings)
    batch: int = 8
    """Frames that the detector is given at a time; changes no result."""

"""What perception hands to the memory: one clip, its observations, and the bytes they refer to."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from biographer.state.clip import Clip
from biographer.state.description import Description, Undescribable
from biographer.state.heard import Heard
from biographer.state.observation import Embedding, Observation


@dataclass(frozen=True, slots=True, eq=False)
class Perceived:
    """One clip made ready to apply; `media` maps SHA-256 (hex) to the bytes of crops and of the kept clip file."""

    clip: Clip
    observations: tuple[Observation, ...] = ()
    media: Mapping[str, bytes] = field(default_factory=dict)
    texts: Mapping[str, Embedding] = field(default_factory=dict)
    """Vectors of the clip's texts (`wording`), of one text embedder; those that the memory has may be missing."""
    remarks: tuple[Description | Undescribable, ...] = ()
    """What was written about the observations before association, one each, known at the clip's end."""
    heard: Heard | None = None
    """What was said in it, where somebody listened before it was applied; without voices it has no lines."""
    told: Mapping[str, Embedding] = field(default_factory=dict)
    """Vectors of the texts of `remarks` and of `heard`."""

"""Episodes: a described stretch of time at one scale. A local episode is one clip (DESIGN section 6)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from biographer.state.clip import Clip
from biographer.state.line import Line
from biographer.state.observation import Observation

LOCAL = "local"
"""The scale of the episodes from which all coarser ones are made."""


@dataclass(frozen=True, slots=True)
class Episode:
    """What went on from `start_us` to `end_us`; `text` is what is known of it from `known_us` on."""

    number: int
    scale: str
    start_us: int
    end_us: int
    text: str
    known_us: int


def local_text(clip: Clip, observations: Sequence[Observation]) -> str:
    """Return the clip's lines in order of time, then what was seen, in words.

    An extractive text; GEB's episodes are captions of a model, which a later reader may add as a new version.
    """
    lines = sorted(clip.lines, key=lambda line: (line.start_us, line.end_us))
    spoken = "\n".join(_spoken(line) for line in lines)
    seen = ", ".join(sightings(observation.label for observation in observations))
    return "\n".join(part for part in (spoken, f"Seen: {seen}." if seen else "") if part)


def sightings(labels: Iterable[str]) -> tuple[str, ...]:
    """Return each label once, in order, with how often it was seen: two sightings may well be of one thing."""
    counted = sorted(Counter(labels).items())
    return tuple(f"{label} ({count} sightings)" if count > 1 else label for label, count in counted)


def _spoken(line: Line) -> str:
    return f"{line.speaker}: {line.text}" if line.speaker else line.text

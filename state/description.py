"""Descriptions: what a vision-language model wrote about one observation, grounded in its pictures (GEB section 3.3).

A description never changes; another prompt or model writes a further one. The fields are those of GEB's appendix.
"""

from dataclasses import dataclass
from enum import StrEnum

from biographer.state.authorship import Authorship


class Mode(StrEnum):
    """When observations are described: before association, or whenever the model answers."""

    INLINE = "inline"
    DEFERRED = "deferred"


class Confidence(StrEnum):
    """How sure the model says it is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Description:
    """What is said of the observation (clip, track); empty texts where there is nothing to say.

    `known_us` is the end of the latest input: the clip's end inline; deferred, the watermark at which the lines around
    it were complete.
    """

    clip: str
    track: int
    known_us: int
    mode: Mode
    author: Authorship
    name: str
    """What it is, at most 5 words; never a person's name."""
    is_person: bool
    appearance: str
    """At most 15 words."""
    location: str
    """Where it belongs."""
    action: str
    """What it does or is done to it; empty without evidence."""
    action_evidence: str
    """The picture or line that shows the action."""
    event: str
    """What goes on around it, at most 50 words."""
    summary: str
    """1 to 3 sentences, all about this subject: the text that is searched."""
    mark: str
    """Text, logo or scratch that tells it from another of its model."""
    lasting: str
    """What holds in every sighting of it."""
    sources: tuple[tuple[int, int], ...]
    """Start and end (microseconds) of the lines that were used."""
    confidence: Confidence

    @property
    def text(self) -> str:
        """Return what is embedded and searched: name and summary (GEB appendix)."""
        return f"{self.name}. {self.summary}"


@dataclass(frozen=True, slots=True)
class Undescribable:
    """No description of the observation (clip, track) can be had of this model by this prompt, and why."""

    clip: str
    track: int
    known_us: int
    mode: Mode
    author: Authorship
    reason: str

"""What the search index learns of one clip: names, times, texts and entities, without pixels, boxes and appearance."""

from collections.abc import Sequence
from dataclasses import dataclass

from biographer.state.change import Change
from biographer.state.line import Line
from biographer.state.membership import Membership
from biographer.state.texts import Vectors


@dataclass(frozen=True, slots=True)
class Seen:
    """One observation; `entity` is -1 where there is none."""

    label: str
    text: str
    start_us: int
    end_us: int
    entity: int
    track: int


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """One clip; `known_us` is its own, `watermark_us` the stream's after it."""

    name: str
    start_us: int
    end_us: int
    known_us: int
    watermark_us: int
    text: str
    lines: Sequence[Line]
    seen: Sequence[Seen]
    vectors: Vectors
    version: int
    """The one that the clip made."""
    ruled: Sequence[Membership] = ()
    """Further versions of what `seen` says of entities, by a user's word."""
    aparts: Sequence[tuple[int, int]] = ()
    """Pairs of observations that show two entities apart, rising."""
    rested: bool = False
    """Whether the stream came to rest before it."""

    @classmethod
    def of(cls, change: Change) -> "Learned":
        """Return what a change teaches."""
        entities = {one.observation: one.entity for one in change.memberships}
        seen = [
            Seen(one.label, one.text, one.start_us, one.end_us, entities.get(number, -1), one.track)
            for number, one in enumerate(change.observations, change.first_observation)
        ]
        clip = change.clip
        times = (clip.start_us, clip.end_us, change.known_us, change.watermark_us)
        aparts = sorted((one.low_observation, one.high_observation) for one in change.aparts)
        made = (change.vectors, change.version, change.ruled, aparts)
        return cls(clip.name, *times, change.episode.text, clip.lines, seen, *made)

"""A stretch of a recording that texts are written about, a local episode or a coarser window; and such texts too."""

from dataclasses import dataclass

from biographer.state.authorship import Authorship
from biographer.state.clip import Clip
from biographer.state.episode import LOCAL


@dataclass(frozen=True, slots=True)
class Stretch:
    """From `start_us` to `end_us` at one scale, known by (scale, start_us, version) and for a local one by its clip.

    `clips` names its local episodes in order of time. `known_us` is when all of it was there: a clip's end, or the
    watermark at which a window closed; a late clip makes a further version. Whatever is written about it is known from
    then on, however long a model takes: it read nothing later.
    """

    scale: str
    start_us: int
    end_us: int
    known_us: int
    clips: tuple[str, ...]
    version: int = 0

    @classmethod
    def of_clip(cls, clip: Clip) -> "Stretch":
        """Return the local episode of a clip."""
        return cls(LOCAL, clip.start_us, clip.end_us, clip.known_us, (clip.name,))

    @property
    def is_local(self) -> bool:
        """Whether it is one clip."""
        return self.scale == LOCAL


@dataclass(frozen=True, slots=True)
class AboutStretch:
    """What a model wrote about a stretch, whatever it is: known from when the stretch was there."""

    stretch: Stretch
    author: Authorship

    @property
    def known_us(self) -> int:
        """When its latest input ended."""
        return self.stretch.known_us

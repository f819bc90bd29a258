"""A stretch of a recording that texts are written about: a local episode, or a window of a coarser scale."""

from dataclasses import dataclass

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

    @property
    def is_local(self) -> bool:
        """Whether it is one clip."""
        return self.scale == LOCAL

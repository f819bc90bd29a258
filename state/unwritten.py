"""What a model could not write: kept, with the reason, so that it is neither asked for for ever nor silently absent."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from biographer.state.authorship import Authorship
from biographer.state.stretch import Stretch

Writing: TypeAlias = Literal["caption", "summary", "names", "relations", "chains", "cast", "profiles", "hearing"]


@dataclass(frozen=True, slots=True)
class Unwritten:
    """No text of this kind for this stretch."""

    writing: Writing
    stretch: Stretch
    author: Authorship
    reason: str

    @property
    def known_us(self) -> int:
        """When it was known that there is none: as the text would have been."""
        return self.stretch.known_us

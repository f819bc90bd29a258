"""Pieces of writing: each is one question that was asked once, about one unit, and what came of it is filed under it.

That a piece is there means that nobody is to be asked for it again, whether it brought anything or not.
"""

from dataclasses import dataclass

from biographer.state.stretch import Stretch

OBSERVATION = "observation"
"""The scale of what is written about one observation."""

ENDED = "end"
"""The writing of a piece that nobody is asked for: by a flush, that nothing came behind a clip for now."""


@dataclass(frozen=True, slots=True, order=True)
class Piece:
    """What was written (description, caption, names …), about what.

    `place` is the observation's number, the clip's number for a local episode, when a window starts (microseconds), or
    a count of its own for what is about none of these. `version` is the window's.
    """

    writing: str
    scale: str
    place: int
    version: int = 0

    @classmethod
    def of_observation(cls, writing: str, number: int) -> "Piece":
        """Return the piece about an observation."""
        return cls(writing, OBSERVATION, number)

    @classmethod
    def of_stretch(cls, writing: str, stretch: Stretch, clip: int) -> "Piece":
        """Return the piece about a stretch; `clip` is the number of its clip where it is a local episode."""
        return cls(writing, stretch.scale, clip if stretch.is_local else stretch.start_us, stretch.version)

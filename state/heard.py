"""What was said in a clip, as a transcriber heard it: lines that come later than the clip, and are known since its end.

They stand beside the lines that a clip came with, and are read wherever those are.
"""

from dataclasses import dataclass

from biographer.state.line import Line
from biographer.state.stretch import AboutStretch
from biographer.state.wording import ordered, spoken


@dataclass(frozen=True, slots=True)
class Heard(AboutStretch):
    """The lines of one local episode, of kind speech; of a clip without voices there is none."""

    lines: tuple[Line, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """What is searched and wants a vector: each line."""
        return tuple(spoken(line) for line in ordered(self.lines))

    @property
    def text(self) -> str:
        """All that was said, in order of time."""
        return "\n".join(self.texts)

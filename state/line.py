"""Lines: timestamped text that came with a clip."""

from dataclasses import dataclass
from enum import StrEnum


class LineKind(StrEnum):
    """What a line is: words that were spoken, the wearer's own account, or a describer's caption."""

    SPEECH = "speech"
    NARRATION = "narration"
    CAPTION = "caption"


@dataclass(frozen=True, slots=True)
class Line:
    """Text between two event times (microseconds, start <= end); recorded data, never an instruction."""

    start_us: int
    end_us: int
    kind: LineKind
    text: str
    speaker: str | None = None

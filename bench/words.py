"""Words of a recording that was never made: lines as often and as long as the EgoLife week's, descriptions as ours.

That week has 20 lines in a clip of 30 s, of 40 letters on average.
"""

from collections.abc import Sequence

import numpy as np

from biographer.models.coco import COCO_LABELS
from biographer.models.describer import spoken
from biographer.state.line import Line, LineKind
from biographer.state.times import SECOND_US

LINES_PER_CLIP = 20

_DONE = (
    "I pick up",
    "I put down",
    "I'm looking at",
    "I walked past",
    "She hands me",
    "He points to",
    "I'm holding",
    "We talk about",
)
_WHERE = ("on the table", "by the window", "next to the sink", "in the other room", "at the door", "for a while")
_SAID = ("Where did you leave", "Can you pass me", "I think we still need", "Look, that is", "Don't forget")
_WHO = ("Jake", "Alice", "Shure", "Tasha", "Katrina", "Lucia")
_COLOURS = ("red", "green", "blue", "grey", "black", "white", "brown", "yellow", "orange", "pink")
_SIZES = ("small in view", "of middle size in view", "large in view")
_PLACES = ("upper left of the view", "right of the view", "in the middle of the view", "lower middle of the view")


def lines(start_us: int, end_us: int, random: np.random.Generator) -> tuple[Line, ...]:
    """Return the lines of a clip, by time: two in three the wearer's account, the others speech."""
    step = (end_us - start_us) // LINES_PER_CLIP
    picks = random.integers(0, 1_000_000, (LINES_PER_CLIP, 4)).tolist()
    return tuple(_line(start_us + row * step, pick) for row, pick in enumerate(picks))


def heard(several: Sequence[Line]) -> tuple[str, ...]:
    """Return what a description quotes of the lines, for a subject that comes in at each of ten moments."""
    step = max(1, len(several) // 10)
    return tuple(" ".join(spoken(several[at : at + 3])) for at in range(0, len(several), step))


def looks(label: str, pick: int) -> str:
    """Return the first sentence of a description."""
    colours = f"{_COLOURS[pick % 10]} and {_COLOURS[pick // 10 % 10]}"
    return f"A {colours} {label}, {_SIZES[pick % 3]}, {_PLACES[pick % 4]}."


def _line(at_us: int, pick: Sequence[int]) -> Line:
    thing, where = COCO_LABELS[pick[0] % len(COCO_LABELS)], _WHERE[pick[1] % len(_WHERE)]
    if pick[2] % 3:
        return Line(at_us, at_us + SECOND_US, LineKind.NARRATION, f"{_DONE[pick[3] % len(_DONE)]} the {thing} {where}.")
    said = f"{_SAID[pick[3] % len(_SAID)]} the {thing} {where}?"
    return Line(at_us, at_us + SECOND_US, LineKind.SPEECH, said, _WHO[pick[0] % len(_WHO)])

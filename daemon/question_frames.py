"""The frames that an answering model is shown: moments of the evidence, within a bound, and their pictures.

Which moments is plain choice; their pictures are read from kept clips, and block.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from biographer.daemon.unit_names import clip_number, unit_name
from biographer.state.query import Item
from biographer.state.times import SECOND_US
from biographer.state.view import View

_EACH = 4

_ALIKE_US = SECOND_US // 2
"""Frames of a clip nearer than this show the same: an observation and its episode share most of theirs."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of a clip that items of evidence show, by name; `offset_us` counts from the clip's start."""

    names: tuple[str, ...]
    clip: int
    offset_us: int
    at_us: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A moment with its frame, as JPEG."""

    moment: Moment
    file: bytes


Frames = Callable[[Sequence[Moment]], Sequence[Shown]]
"""From moments to those of them whose frames are kept; blocks."""


def no_frames(_: Sequence[Moment]) -> Sequence[Shown]:
    """Return nothing: no pixels are kept."""
    return ()


def moments(view: View, items: Sequence[Item], most: int) -> list[Moment]:
    """Return at most so many moments, evenly over each item, those found first going first; windows show none.

    Items that would show nearly the same frame share the first one's.
    """
    found: list[Moment] = []
    shows = [(one, clip) for one in items if (clip := clip_number(view, one.unit)) is not None]
    each = min(_EACH, max(1, most // max(1, len(shows))))
    for one, clip in shows:
        began_us = int(view.starts[clip])
        for part in range(each):
            at_us = one.start_us + (2 * part + 1) * (one.end_us - one.start_us) // (2 * each)
            _show(found, Moment((unit_name(one.unit),), clip, max(0, at_us - began_us), at_us))
    return found[:most]


def _show(found: list[Moment], new: Moment) -> None:
    """Add a moment, or its name to one that shows the same."""
    for place, one in enumerate(found):
        if one.clip == new.clip and abs(one.at_us - new.at_us) < _ALIKE_US:
            found[place] = replace(one, names=tuple(dict.fromkeys((*one.names, *new.names))))
            return
    found.append(new)

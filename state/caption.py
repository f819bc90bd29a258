"""Captions: what a model wrote of a local episode from its pictures and lines, and of a window from those below it."""

from collections.abc import Mapping
from dataclasses import dataclass

from biographer.state.episode import LOCAL
from biographer.state.stretch import AboutStretch

MADE_FROM: Mapping[str, str] = {"3min": LOCAL, "10min": LOCAL, "1h": "10min"}
"""Which scale a window's summary is made from: the next below of which it holds a whole number.

3 does not divide 10: made from 3-minute texts, a 10-minute one would tell of what lies outside it, and know it before
it happened. 10 divides 60, and 6 texts are read in a tenth of the tokens that 120 take.
"""


@dataclass(frozen=True, slots=True)
class Caption(AboutStretch):
    """What went on in a stretch, in words."""

    text: str

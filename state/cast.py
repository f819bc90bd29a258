"""Casting: who the people of a clip were taken for, and what each of them wore on a day (GEB appendix, naming).

A casting names a sighting, never an entity: which name an entity bears follows from its sightings, and a user's word
stands over all of them.
"""

from dataclasses import dataclass

from biographer.state.authorship import Authorship
from biographer.state.name import name_key
from biographer.state.stretch import AboutStretch


@dataclass(frozen=True, slots=True)
class Casting(AboutStretch):
    """One person of a clip: the name is None where it was left open, which is the rule rather than the exception."""

    track: int
    name: str | None
    clothing: str
    evidence: str

    @property
    def clip(self) -> str:
        """The clip it was seen in."""
        return self.stretch.clips[0]


@dataclass(frozen=True, slots=True)
class Profile:
    """What a person wore on the day that starts at `day_us`, as far as was known by `known_us`; later ones replace it.

    `shared` is what of it somebody else wears as well: where it is all there is, the profile is ambiguous.
    """

    name: str
    day_us: int
    known_us: int
    author: Authorship
    clothing: str
    shared: str

    @property
    def key(self) -> str:
        """Whose it is."""
        return name_key(self.name)

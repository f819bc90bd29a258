"""How far a search index reaches at one version: what a reader is given to look at, while the writer goes on."""

from dataclasses import dataclass

from biographer.state.biographies import Sorted
from biographer.state.rulings import RulingsExtent
from biographer.state.told import ToldExtent


@dataclass(frozen=True, slots=True, eq=False)
class Extent:
    """How far every column reaches at one version, and which sorted biographies go with it."""

    version: int
    clips: int
    observations: int
    entities: int
    texts: int
    vectors: int
    phrases: int
    windows: int
    window_versions: int
    base: Sorted
    recent: Sorted
    told: ToldExtent
    rulings: RulingsExtent
    in_order: bool
    """Whether every clip so far became known after those before it: then what was known at a time is a prefix."""

    def same_but_told(self, other: "Extent") -> bool:
        """Whether all but what was written about it is as at another version."""
        own, others = ((one.clips, one.window_versions, one.rulings, one.told.castings) for one in (self, other))
        return own == others and self.base is other.base

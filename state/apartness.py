"""Which entities were ever seen apart: evidence that two of a kind are two (GEB section 3.4 and appendix A, reading).

Association vetoes a match by the same test; here its evidence is kept, for those whom somebody might take for one.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations

from biographer.state.association import Decision
from biographer.state.membership import Apart
from biographer.state.observation import Observation
from biographer.state.trail import Separation, Trail


class Apartness:
    """Pairs of entities (low < high) with visual evidence of separation."""

    def __init__(self) -> None:
        self._pairs: set[tuple[int, int]] = set()

    def __contains__(self, pair: tuple[int, int]) -> bool:
        """Whether two entities, in either order, were seen apart."""
        return (min(pair), max(pair)) in self._pairs

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self._pairs)

    def add(self, aparts: Iterable[Apart]) -> None:
        """Remember pairs."""
        self._pairs.update((apart.low, apart.high) for apart in aparts)

    def found(
        self,
        decisions: Sequence[Decision],
        observations: Sequence[Observation],
        first: int,
        separation: Separation,
        known_us: int,
    ) -> tuple[Apart, ...]:
        """Return the pairs that a clip newly shows apart: of one label, or vetoed though similar.

        The first evidence of a pair is kept. `first` is the number of the clip's first observation.
        """
        fresh: dict[tuple[int, int], Apart] = {}
        trails = [Trail(one.times_us, one.boxes) for one in observations]
        for left, right in combinations(decisions, 2):
            low, high = sorted((left, right), key=lambda one: one.entity)
            pair = (low.entity, high.entity)
            if low.entity == high.entity or pair in fresh or pair in self._pairs:
                continue
            one, other = low.observation - first, high.observation - first
            named_alike = observations[one].label == observations[other].label
            alike = named_alike or low.entity in high.vetoed or high.entity in low.vetoed
            if alike and separation.apart(trails[one], trails[other]):
                fresh[pair] = Apart(*pair, low.observation, high.observation, known_us)
        return tuple(fresh.values())

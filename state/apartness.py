"""Which entities were ever seen apart: evidence that two of a kind are two (GEB section 3.4 and appendix A, reading).

Association vetoes a match by the same test; here its evidence is kept, for those whom somebody might take for one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from biographer.state.association import Decision
from biographer.state.membership import Apart
from biographer.state.observation import Observation
from biographer.state.together import Together
from biographer.state.trail import Separation, Trail

_MOST_TESTS = 500_000
"""After so many tests of one clip the rest of its pairs stay unresolved: a thousand alike in one view, a second of
work. That depends on the clip alone, so a replay decides alike."""

_PLAIN_COST = 10
"""A pair whose trails share no clock takes so many times as long."""


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

        The first evidence of a pair is kept; of more than `_MOST_TESTS` pairs the last are not tested. `first` is the
        number of the clip's first observation.
        """
        fresh: dict[tuple[int, int], Apart] = {}
        apart, cost = _tester([Trail(one.times_us, one.boxes) for one in observations], separation)
        tests = 0
        for place, left in enumerate(decisions):
            if tests > _MOST_TESTS:
                break
            rights = [
                right
                for right in _alike(left, decisions[place + 1 :], observations, first)
                if _pair(left, right) not in fresh and _pair(left, right) not in self._pairs
            ]
            tests += cost * len(rights)
            others = np.array([right.observation - first for right in rights], np.intp)
            lower = np.array([right.entity < left.entity for right in rights], np.bool_)
            for right, is_apart in zip(rights, apart(left.observation - first, others, lower).tolist(), strict=True):
                if is_apart:
                    low, high = sorted((left, right), key=lambda one: one.entity)
                    found = Apart(low.entity, high.entity, low.observation, high.observation, known_us)
                    fresh.setdefault(_pair(left, right), found)
        return tuple(fresh.values())


def _alike(
    left: Decision, rights: Sequence[Decision], observations: Sequence[Observation], first: int
) -> Iterator[Decision]:
    """Yield those whom somebody might take for the same as `left`, and that are not."""
    label, vetoed = observations[left.observation - first].label, frozenset(left.vetoed)
    for right in rights:
        named_alike = observations[right.observation - first].label == label
        if right.entity != left.entity and (
            named_alike or right.entity in vetoed or (right.vetoed and left.entity in right.vetoed)
        ):
            yield right


def _pair(left: Decision, right: Decision) -> tuple[int, int]:
    return (left.entity, right.entity) if left.entity < right.entity else (right.entity, left.entity)


_Tester = Callable[[int, NDArray[np.intp], NDArray[np.bool_]], NDArray[np.bool_]]
"""From a row, others, and which of these go before it, to whether each of them is apart from it."""


def _tester(trails: Sequence[Trail], separation: Separation) -> tuple[_Tester, int]:
    """Return the quick test, where the trails share a clock, else the plain one; and what a pair costs."""
    try:
        together = Together(trails, separation)
    except ValueError:
        return lambda row, others, lower: _plainly(trails, separation, row, others, lower), _PLAIN_COST
    return lambda row, others, _: together.apart(row, others), 1


def _plainly(
    trails: Sequence[Trail], separation: Separation, row: int, others: NDArray[np.intp], lower: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    pairs = [(one, row) if before else (row, one) for one, before in zip(others, lower, strict=True)]
    return np.array([separation.apart(trails[left], trails[right]) for left, right in pairs], np.bool_)

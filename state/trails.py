"""The trails of recent observations, kept at hand; those of older ones are asked of the store (apart tests only)."""

from collections.abc import Callable

from biographer.state.trail import Trail

TrailSource = Callable[[int], Trail]
"""From an observation number to its trail."""

_KEPT = 4096


class Trails:
    """Trails by observation number: the last few thousand in memory, the rest from `older`."""

    def __init__(self, older: TrailSource) -> None:
        self._older = older
        self._recent: dict[int, Trail] = {}

    def __getitem__(self, observation: int) -> Trail:
        """Return the trail of a known observation."""
        trail = self._recent.get(observation)
        return self._older(observation) if trail is None else trail

    def add(self, observation: int, trail: Trail) -> None:
        """Keep the trail of the newest observation; forget the one that came longest ago over the limit."""
        self._recent[observation] = trail
        if len(self._recent) > _KEPT:
            del self._recent[next(iter(self._recent))]

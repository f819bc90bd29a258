"""The association rule's numbers: GEB section 3.3 and appendix A."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from biographer.state.errors import RefusedError
from biographer.state.trail import Separation


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Cosines in -1..1 that every reference (`similar_to_all`, theta_cons) and one (`similar_to_one`) must reach."""

    similar_to_all: float
    similar_to_one: float

    def __post_init__(self) -> None:
        """Refuse thresholds that can't be met or are out of order; NaN is never in order."""
        if not -1 <= self.similar_to_all < self.similar_to_one <= 1:
            raise RefusedError(
                f"thresholds similar_to_all={self.similar_to_all}, similar_to_one={self.similar_to_one}: "
                "the first must lie below the second, both in -1..1"
            )


@dataclass(frozen=True, slots=True)
class Rule:
    """Everything that association is told besides the embedder's own thresholds."""

    references: int = 10
    separation: Separation = field(default_factory=Separation)
    anchor_iou: float = 0.6
    anchor_gap_us: int = 500_000
    """A box counts as staying in place across a cut only if both clips show it this close to the cut."""
    thresholds: Mapping[str, Thresholds] = field(default_factory=lambda: {"": Thresholds(0.60, 0.75)})
    """By embedder; "" stands for embedders that are not named."""

    def __post_init__(self) -> None:
        """Refuse an empty reference set."""
        if self.references < 1:
            raise RefusedError(f"references={self.references}: an entity needs at least one reference")

    def thresholds_of(self, embedder: str) -> Thresholds:
        """Return the embedder's thresholds, or the fallback's."""
        found = self.thresholds.get(embedder) or self.thresholds.get("")
        if found is None:
            raise RefusedError(f"embedder {embedder!r} has no thresholds; calibrate it or set the fallback ''")
        return found

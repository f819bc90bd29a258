"""Everything that ranking can be told, with where each number comes from; RANKING.md says what was tried."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from biographer.state.ablation import Ablation
from biographer.state.errors import RefusedError


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Settings of a search; the defaults are what found the most evidence on the handed questions."""

    score: Literal["sum", "geb", "magic"] = "sum"
    """How a unit is scored: ours (relevance + walk), GEB's rank x cosine, or MAGIC-Video's rank x (1 + cosine)/2."""
    lexical: float = 1.5
    """Weight of BM25 as the share of what the question's words could give at most, 0..1."""
    segment: float = 1.0
    """Weight of the cosine with a clip's best segment."""
    line: float = 1.0
    """Weight of the cosine with a clip's best line; an observation's one text counts as both."""
    neighbour: float = 0.15
    """Share of the relevance of the episode before and of the one after that an episode gains."""
    hour: float = 0.3
    """Share of the best relevance within its hour, by the clock, that an episode gains: what surrounds it counts."""
    recency: float = 0.1
    """What is taken off per log(1 + hours) before the watermark."""
    walk: float = 0.3
    """Weight of the walk's score relative to the most of its kind."""
    damping: float = 0.85
    """The walk's damping (both papers)."""
    residual: float = 3e-6
    """Where the walk stops: relative to a node's degree."""
    seeds: int = 5
    """Seeds a channel (MAGIC-Video)."""
    seed_text: float = 0.7
    seed_lexical: float = 0.3
    seed_visual: float = 0.3
    """Shares of the channels in the reset vector: x cosine, x BM25/most, x cosine (MAGIC-Video)."""
    seed_names: float = 0.3
    """Share of the names that a question holds whole, x the share of its words that they are."""
    episodes: float = 1.0
    """Share of a search's units that may be local episodes; 0 searches sightings alone."""
    observations: float = 6 / 16
    """Share of a search's units that may be observations (GEB: 6 of 16)."""
    per_entity: int = 3
    """Observations of one entity in a search (GEB)."""
    windows: Mapping[str, float] = field(default_factory=dict)
    """Share of windows of a scale at most, 0 for one not named (MAGIC-Video: 4/16, 3/16, 0): long for evidence."""
    without: frozenset[Ablation] = frozenset()
    """What is left out, for an experiment."""

    def __post_init__(self) -> None:
        """Refuse what no search could mean."""
        if not 0 < self.damping < 1 or not 0 < self.residual < 1:
            raise RefusedError(f"damping={self.damping}, residual={self.residual}: both lie between 0 and 1")
        if self.seeds < 1 or self.per_entity < 1:
            raise RefusedError(f"seeds={self.seeds}, per_entity={self.per_entity}: each is at least 1")

"""Which boxes of a detector count; the same three questions for every detector."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DetectorSettings:
    """At least `score`; no two of one label with an IoU over `overlap`; at most `limit` a frame, the best."""

    score: float = 0.4
    overlap: float = 0.55
    limit: int = 100

"""Rows that a reader lists: records put together for people, each traceable to clip, entity and crop."""

from dataclasses import dataclass

from biographer.state.observation import Crop


@dataclass(frozen=True, slots=True)
class StreamRow:
    """One stream in numbers; times are None while it is empty."""

    stream: str
    version: int
    start_us: int | None
    watermark_us: int | None
    clips: int
    late: int
    observations: int
    entities: int
    unidentified: int
    timezone: str
    """The IANA name of its zone."""


@dataclass(frozen=True, slots=True)
class EntityRow:
    """One entity: its usual label, how often and when it was seen, and whom it was seen apart from."""

    entity: int
    label: str
    observations: int
    clips: int
    first_us: int
    last_us: int
    apart: tuple[int, ...]
    name: str | None = None
    """What a user or, where none did, castings call it."""


@dataclass(frozen=True, slots=True)
class ObservationRow:
    """One observation with its clip, its entity (None without evidence of identity) and its crops."""

    observation: int
    clip: str
    track: int
    entity: int | None
    label: str
    score: float
    start_us: int
    end_us: int
    known_us: int
    similarity: float | None
    cause: str | None
    flaw: str | None
    text: str
    crops: tuple[Crop, ...]


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """One episode with the clip it tells of, "" for a coarser one."""

    episode: int
    scale: str
    clip: str
    start_us: int
    end_us: int
    known_us: int
    late: bool
    text: str

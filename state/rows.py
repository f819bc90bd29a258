"""Records to table rows: what of a change goes into which table, and in which form."""

from collections.abc import Iterator, Sequence

import msgpack
import numpy as np

from biographer.state.change import Change
from biographer.state.membership import Membership
from biographer.state.observation import Observation

Row = tuple[object, ...]


def rows_of(change: Change) -> Iterator[tuple[str, list[Row]]]:
    """Yield (table, rows) for everything that a change adds."""
    clip, number, first = change.clip, change.clip_number, change.first_observation
    numbered = list(enumerate(change.observations, first))
    yield "clip", [_clip(change)]
    yield (
        "line",
        [
            (number, n, line.start_us, line.end_us, line.kind.value, line.text, line.speaker)
            for n, line in enumerate(clip.lines)
        ],
    )
    yield "observation", [_observation(change, n, one) for n, one in numbered]
    yield "entity", [(one.number, one.embedder, one.known_us) for one in change.entities]
    yield "membership", membership_rows(change.memberships)
    yield (
        "apart",
        [
            (one.low, one.high, one.low_observation, one.high_observation, one.known_us)
            for one in sorted(change.aparts, key=lambda one: (one.low, one.high))
        ],
    )
    episode = change.episode
    span = (episode.start_us, episode.end_us)
    yield "episode", [(episode.number, 0, episode.scale, *span, episode.text, episode.known_us)]
    yield (
        "crop",
        [
            (n, k, crop.at_us, *map(_real, crop.box), crop.sha256)
            for n, one in numbered
            for k, crop in enumerate(one.crops)
        ],
    )
    yield "vector", list(_vectors(number, numbered))
    yield "words", _words(change)
    yield "trail", [_trail(number, change.observations)] if numbered else []


def membership_rows(memberships: Sequence[Membership]) -> list[Row]:
    """Return the rows of memberships."""
    return [
        (one.observation, one.version, one.entity, one.known_us, _real(one.similarity), one.cause.value)
        for one in memberships
    ]


def _real(value: float) -> float:
    """Return a number as the store will give it back, which knows no negative zero: its digest is taken of that."""
    return float(value) + 0.0


def _clip(change: Change) -> Row:
    clip = change.clip
    known = (change.known_us, change.watermark_us, int(change.late), change.version)
    return (change.clip_number, clip.name, clip.start_us, clip.end_us, *known, clip.media, clip.media_type, clip.extra)


def _observation(change: Change, number: int, one: Observation) -> Row:
    embedder = None if one.embedding is None else one.embedding.embedder
    span = (one.start_us, one.end_us, change.known_us)
    return (number, change.clip_number, one.track, one.label, _real(one.score), *span, embedder, one.flaw, one.text)


def _vectors(clip: int, numbered: Sequence[tuple[int, Observation]]) -> Iterator[Row]:
    embedded = [(number, one.embedding) for number, one in numbered if one.embedding is not None]
    for embedder in sorted({embedding.embedder for _, embedding in embedded}):
        rows = [(number, one.vector) for number, one in embedded if one.embedder == embedder]
        numbers = np.array([number for number, _ in rows], "<i4")
        matrix = np.stack([vector for _, vector in rows]).astype("<f4")
        yield clip, embedder, numbers.tobytes(), matrix.tobytes()


def _words(change: Change) -> list[Row]:
    vectors = change.vectors
    if not vectors.texts:
        return []
    arrays = (vectors.codes.tobytes(), vectors.scales.astype("<f4").tobytes())
    return [(change.clip_number, vectors.embedder, msgpack.packb(vectors.texts), *arrays)]


def _trail(clip: int, observations: Sequence[Observation]) -> Row:
    counts = np.array([len(one.times_us) for one in observations], "<i4")
    times = np.concatenate([one.times_us for one in observations]).astype("<i8")
    boxes = np.concatenate([one.boxes for one in observations]).astype("<f4")
    return clip, counts.tobytes(), times.tobytes(), boxes.tobytes()

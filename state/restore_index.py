"""What the search index has to learn again after a start, read from the store clip by clip."""

from collections import defaultdict
from collections.abc import Iterator

import msgpack
import numpy as np
from numpy.typing import NDArray

from biographer.state.learned import Learned, Seen
from biographer.state.line import Line, LineKind
from biographer.state.store import Store
from biographer.state.texts import Vectors


def learned_clips(store: Store, entity_of: NDArray[np.int32]) -> Iterator[Learned]:
    """Yield every clip in order of its number, as it was learned when it was applied."""
    lines, seen = _lines(store), _seen(store, entity_of)
    vectors = _vectors(store)
    clips = store.select(
        "SELECT c.number, c.name, c.start_us, c.end_us, c.known_us, c.watermark_us, e.text FROM clip c "
        "JOIN episode e ON e.number = c.number AND e.version = 0 ORDER BY c.number"
    )
    for number, name, start_us, end_us, known_us, watermark_us, text in clips:
        times = (start_us, end_us, known_us, watermark_us)
        yield Learned(name, *times, text, lines[number], seen[number], vectors.get(number, Vectors()))


def _lines(store: Store) -> dict[int, list[Line]]:
    found: dict[int, list[Line]] = defaultdict(list)
    for clip, start_us, end_us, kind, text, speaker in store.select(
        "SELECT clip, start_us, end_us, kind, text, speaker FROM line ORDER BY clip, n"
    ):
        found[clip].append(Line(start_us, end_us, LineKind(kind), text, speaker))
    return found


def _seen(store: Store, entity_of: NDArray[np.int32]) -> dict[int, list[Seen]]:
    found: dict[int, list[Seen]] = defaultdict(list)
    entities = entity_of.tolist()
    for number, clip, label, text, start_us, end_us in store.select(
        "SELECT number, clip, label, text, start_us, end_us FROM observation ORDER BY number"
    ):
        found[clip].append(Seen(label, text, start_us, end_us, entities[number]))
    return found


def _vectors(store: Store) -> dict[int, Vectors]:
    found = {}
    for clip, embedder, packed, codes, scales in store.select("SELECT clip, embedder, texts, codes, scales FROM words"):
        texts = tuple(msgpack.unpackb(packed))
        matrix = np.frombuffer(codes, np.int8).reshape(len(texts), -1)
        found[clip] = Vectors(embedder, texts, matrix, np.frombuffer(scales, "<f4"))
    return found

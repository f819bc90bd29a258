"""A memory rebuilt from its store: galleries, reference sets and graph are derived, in seconds for a week.

The result equals the memory that grew clip by clip; `verify` checks it and the tests hold it.
"""

from collections.abc import Callable
from pathlib import Path

import msgpack
import numpy as np
from numpy.typing import NDArray

from biographer.state.errors import FatalError
from biographer.state.membership import Apart
from biographer.state.memory import NO_ENTITY, Memory
from biographer.state.posted_shelf import PostedShelf
from biographer.state.restore_index import learned_clips, learned_pieces, learned_rulings
from biographer.state.restore_vectors import restore_vectors
from biographer.state.rule import Rule
from biographer.state.ruling_rows import rulings
from biographer.state.semantic_graph import semantic_remarks
from biographer.state.shelf import Shelf
from biographer.state.store import Store, unpack_trails
from biographer.state.tokens import Tokens
from biographer.state.trail import Trail

_TRAILS_BACK_CLIPS = 64
"""The trails of so many clips are read at once; older ones when an apart test asks."""

LEARNED = 3
"""Raised by whoever changes what a clip teaches the index: a shelf of another is learned anew."""

_CHOSEN = "SELECT observation, entity FROM membership WHERE version = 0"


def restore(
    store: Store,
    stream: str,
    rule: Rule,
    older_trail: Callable[[int], Trail] | None = None,
    shelf: Path | None = None,
) -> Memory:
    """Return the memory that the store's records make; raises FatalError where they do not fit together.

    `shelf` is where what the search index learns is kept; without, nothing is.
    """
    memory = Memory(stream, rule, older_trail or store.trail, store.database.zone)
    try:
        memory.galleries.update(restore_vectors(store.database.path, stream, rule.references))
        clip_of = _restore_records(memory, store)
        _restore_graph(memory, clip_of)
        _restore_semantics(memory, store)
        _restore_references(memory, store)
        _restore_recent(memory, store, clip_of)
    except (IndexError, KeyError, ValueError) as error:
        raise FatalError(
            f"{store.database.path}: the records of stream {stream!r} do not fit together ({error!r}); "
            "restore it from a snapshot or feed the log again"
        ) from error
    for embedder, packed in store.select("SELECT embedder, texts FROM words ORDER BY clip"):
        memory.worded.learn(embedder, msgpack.unpackb(packed))
    if memory.clips or shelf:
        made = f"{LEARNED} {Tokens.fingerprint()} {store.database.zone}"
        path = store.database.path
        kept = Shelf(shelf, path, stream, made) if shelf else None
        memory.learning.later(
            lambda first: learned_clips(path, stream, first),
            len(memory.clips),
            kept,
            lambda after, before_clip: learned_pieces(path, stream, after, before_clip),
            lambda: learned_rulings(path, stream),
            PostedShelf(shelf, path, stream, made) if shelf else None,
        )
    return memory


def _restore_records(memory: Memory, store: Store) -> NDArray[np.int64]:
    for number, name, start_us, end_us, known_us, watermark_us, version in store.select(
        "SELECT number, name, start_us, end_us, known_us, watermark_us, version FROM clip ORDER BY number"
    ):
        memory.clips[name] = number
        memory.clip_spans.append(start_us, end_us)
        memory.watermark_us, memory.version = watermark_us, version
        memory.known_us = max(memory.known_us, known_us, watermark_us)
    ((amended,),) = store.select("SELECT coalesce(max(made), 0) FROM piece")
    memory.version = max(memory.version, amended)
    rows = store.fetch("SELECT start_us, end_us, clip FROM observation ORDER BY number")
    spans = np.array(rows, np.int64).reshape(-1, 3)
    memory.spans.starts.extend(spans[:, 0])
    memory.spans.ends.extend(spans[:, 1])
    entities = np.full(len(spans), NO_ENTITY, np.int32)
    members = np.array(
        store.fetch("SELECT observation, entity FROM membership ORDER BY observation, version"), np.int64
    ).reshape(-1, 2)
    entities[members[:, 0]] = members[:, 1]
    memory.entity_of.extend(entities)
    _restore_rulings(memory, store)
    ((memory.entity_count,),) = store.select("SELECT count(*) FROM entity")
    memory.apartness.add(Apart(*row) for row in store.select("SELECT * FROM apart"))
    return spans[:, 2]


def _restore_rulings(memory: Memory, store: Store) -> None:
    """Restore what users said, and whose looks each observation stands for: what association chose, but for splits."""
    # Whoever restores may be within a transaction.
    memory.standing = rulings(store.database.connection.cursor())
    chosen = np.array(store.fetch(_CHOSEN), np.int64).reshape(-1, 2)
    ((made,),) = store.fetch("SELECT coalesce(max(made), 0) FROM ruling")
    memory.version = max(memory.version, made)
    looks = memory.entity_of[:].copy()
    looks[chosen[:, 0]] = chosen[:, 1]
    looks[list(memory.standing.looks)] = list(memory.standing.looks.values())
    memory.look_of.extend(looks)


def _restore_references(memory: Memory, store: Store) -> None:
    embedders = dict(store.fetch("SELECT number, embedder FROM entity"))
    entities, sets = reference_table(memory)
    owners = np.array([embedders[entity] for entity in entities.tolist()], object)
    for embedder in sorted(set(owners)):
        mine = owners == embedder
        memory.galleries[embedder].restore_references(entities[mine], sets[mine])


def reference_table(memory: Memory) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return every entity that observations stand for the looks of, and its references: (n,) and (n, references).

    The references are its last observations by (start, end, number), oldest first, padded with -1 behind.
    """
    members = memory.look_of[:]
    order = np.lexsort((np.arange(len(members)), memory.spans.ends[:], memory.spans.starts[:], members))
    order = order[members[order] != NO_ENTITY]
    entities, firsts, counts = np.unique(members[order], return_index=True, return_counts=True)
    kept = np.minimum(counts, memory.rule.references)
    places = (firsts + counts - kept)[:, None] + np.arange(memory.rule.references)
    used = np.arange(memory.rule.references) < kept[:, None]
    sets = np.full(used.shape, NO_ENTITY, np.int64)
    sets[used] = order[places[used]]
    return entities.astype(np.int64), sets


def reference_sets(memory: Memory) -> list[tuple[int, list[int]]]:
    """Return each entity with its references, oldest first, as its biography says."""
    entities, sets = reference_table(memory)
    rows = zip(entities.tolist(), sets.tolist(), strict=True)
    return [(entity, [number for number in row if number >= 0]) for entity, row in rows]


def _restore_graph(memory: Memory, clip_of: NDArray[np.int64]) -> None:
    memory.graph.grow(len(memory.clips), memory.entity_count, clip_of, memory.entity_of[:])
    for number in range(len(memory.clips)):
        span = memory.clip_spans[number]
        memory.graph.place_episode(number, *span)
        memory.graph.place_in_windows(number, memory.windows.holding(span[0]))


def _restore_semantics(memory: Memory, store: Store) -> None:
    memory.semantics.grow(semantic_remarks(store.select), memory.clips)
    memory.semantics.bear(memory.standing.names)


def _restore_recent(memory: Memory, store: Store, clip_of: NDArray[np.int64]) -> None:
    recent = max(0, len(memory.clips) - _TRAILS_BACK_CLIPS)
    query = f"SELECT clip, counts, times_us, boxes FROM trail WHERE clip >= {recent} ORDER BY clip"  # noqa: S608 - a number
    trails = {clip: unpack_trails(*arrays) for clip, *arrays in store.select(query)}
    for clip in range(recent, len(memory.clips)):
        first, last = np.searchsorted(clip_of, [clip, clip + 1])
        for number, trail in enumerate(trails.get(clip, ()), int(first)):
            memory.trails.add(number, trail)
        memory.note_clip(memory.clip_spans[clip][1], range(int(first), int(last)))

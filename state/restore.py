"""A memory rebuilt from its store: galleries, reference sets and graph are derived, in seconds for a week.

The result equals the memory that grew clip by clip; `verify` checks it and the tests hold it.
"""

from collections.abc import Callable
from datetime import UTC, tzinfo

import numpy as np
from numpy.typing import NDArray

from biographer.state.errors import FatalError
from biographer.state.gallery import Gallery
from biographer.state.graph import CONTEXT, MEMBERSHIP, PROVENANCE, Node, NodeKind
from biographer.state.membership import Apart
from biographer.state.memory import NO_ENTITY, Memory
from biographer.state.restore_index import learned_clips
from biographer.state.rule import Rule
from biographer.state.store import Store, unpack_trails
from biographer.state.trail import Trail

_TRAILS_BACK_CLIPS = 64
"""The trails of so many clips are read at once; older ones when an apart test asks."""


def restore(
    store: Store, stream: str, rule: Rule, older_trail: Callable[[int], Trail] | None = None, zone: tzinfo = UTC
) -> Memory:
    """Return the memory that the store's records make; raises FatalError where they do not fit together."""
    memory = Memory(stream, rule, older_trail or store.trail, zone)
    try:
        clip_of = _restore_records(memory, store)
        _restore_galleries(memory, store)
        _restore_graph(memory, clip_of)
        _restore_recent(memory, store, clip_of)
        for learned in learned_clips(store, memory.entity_of[:]):
            memory.index.grow(learned)
    except (IndexError, KeyError, ValueError) as error:
        raise FatalError(
            f"{store.database.path}: the records of stream {stream!r} do not fit together ({error!r}); "
            "restore it from a snapshot or feed the log again"
        ) from error
    return memory


def _restore_records(memory: Memory, store: Store) -> NDArray[np.int64]:
    for number, name, start_us, end_us, watermark_us, version in store.select(
        "SELECT number, name, start_us, end_us, watermark_us, version FROM clip ORDER BY number"
    ):
        memory.clips[name] = number
        memory.clip_spans.append(start_us, end_us)
        memory.watermark_us, memory.version = watermark_us, version
    rows = list(store.select("SELECT start_us, end_us, clip FROM observation ORDER BY number"))
    spans = np.array(rows, np.int64).reshape(-1, 3)
    memory.spans.starts.extend(spans[:, 0])
    memory.spans.ends.extend(spans[:, 1])
    entities = np.full(len(spans), NO_ENTITY, np.int32)
    members = np.array(
        list(store.select("SELECT observation, entity FROM membership ORDER BY observation, version")), np.int64
    ).reshape(-1, 2)
    entities[members[:, 0]] = members[:, 1]
    memory.entity_of.extend(entities)
    ((memory.entity_count,),) = store.select("SELECT count(*) FROM entity")
    memory.apartness.add(Apart(*row) for row in store.select("SELECT * FROM apart"))
    return spans[:, 2]


def _restore_galleries(memory: Memory, store: Store) -> None:
    for embedder, packed, matrix in store.select("SELECT embedder, observations, matrix FROM vector ORDER BY clip"):
        observations = np.frombuffer(packed, "<i4")
        vectors = np.frombuffer(matrix, "<f4").reshape(len(observations), -1)
        gallery = memory.galleries.setdefault(embedder, Gallery(vectors.shape[1], memory.rule.references))
        gallery.add_vectors(observations.tolist(), vectors)
    embedders = dict(store.select("SELECT number, embedder FROM entity"))
    for entity, numbers in reference_sets(memory):
        memory.galleries[embedders[entity]].set_references(entity, numbers)


def reference_sets(memory: Memory) -> list[tuple[int, list[int]]]:
    """Return the last `references` observations of every entity, by (start, end, number)."""
    entities = memory.entity_of[:]
    numbers = np.arange(len(entities))
    order = np.lexsort((numbers, memory.spans.ends[:], memory.spans.starts[:], entities))
    order = order[entities[order] != NO_ENTITY]
    cuts = np.flatnonzero(np.diff(entities[order])) + 1
    groups = np.split(order, cuts) if len(order) else []
    return [(int(entities[group[0]]), group[-memory.rule.references :].tolist()) for group in groups]


def _restore_graph(memory: Memory, clip_of: NDArray[np.int64]) -> None:
    clips = range(len(memory.clips))
    observations = [Node(NodeKind.OBSERVATION, number) for number in range(len(memory.spans))]
    clip_nodes = [Node(NodeKind.CLIP, number) for number in clips]
    episodes = [Node(NodeKind.EPISODE, number) for number in clips]
    entities = [Node(NodeKind.ENTITY, number) for number in range(memory.entity_count)]
    clip_list, entity_list = clip_of.tolist(), memory.entity_of[:].tolist()
    edges = [(episodes[number], clip_nodes[number], PROVENANCE) for number in clips]
    edges += [(one, episodes[clip], CONTEXT) for one, clip in zip(observations, clip_list, strict=True)]
    edges += [(one, clip_nodes[clip], PROVENANCE) for one, clip in zip(observations, clip_list, strict=True)]
    edges += [
        (one, entities[entity], MEMBERSHIP)
        for one, entity in zip(observations, entity_list, strict=True)
        if entity != NO_ENTITY
    ]
    kinds = {NodeKind.CLIP: clips, NodeKind.EPISODE: clips}
    kinds |= {NodeKind.ENTITY: range(memory.entity_count), NodeKind.OBSERVATION: range(len(memory.spans))}
    memory.graph.grow(kinds, edges)
    for number in clips:
        memory.graph.place_episode(number, *memory.clip_spans[number])


def _restore_recent(memory: Memory, store: Store, clip_of: NDArray[np.int64]) -> None:
    recent = max(0, len(memory.clips) - _TRAILS_BACK_CLIPS)
    query = f"SELECT clip, counts, times_us, boxes FROM trail WHERE clip >= {recent} ORDER BY clip"  # noqa: S608 - a number
    trails = {clip: unpack_trails(*arrays) for clip, *arrays in store.select(query)}
    for clip in range(recent, len(memory.clips)):
        first, last = np.searchsorted(clip_of, [clip, clip + 1])
        for number, trail in enumerate(trails.get(clip, ()), int(first)):
            memory.trails.add(number, trail)
        memory.note_clip(memory.clip_spans[clip][1], range(int(first), int(last)))

"""Whether a stream's store, galleries, biographies and graph agree, record by record."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from biographer.state.agreement import disagreements
from biographer.state.database import meaning
from biographer.state.graph import Node, NodeKind
from biographer.state.membership import Cause
from biographer.state.memory import NO_ENTITY, Memory
from biographer.state.restore import reference_sets, restore
from biographer.state.rule import Rule
from biographer.state.semantic_graph import semantic_remarks
from biographer.state.semantic_numbers import SEMANTIC_EDGES, SemanticNumbers, Tie, ends_of
from biographer.state.state_hash import state_hash, words_hash
from biographer.state.store import Store
from biographer.state.windows import SCALES

_MOST = 20
"""So many faults are named; one is enough to act on."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Hashes of records and of what was written about them, counts, and all disagreements in words; none: sound."""

    stream: str
    version: int
    hash: str
    words_hash: str
    counts: dict[str, int]
    faults: tuple[str, ...]


def verify(store: Store, stream: str, rule: Rule) -> Verdict:
    """Rebuild the memory from the store and compare everything that is derived with the records."""
    memory = restore(store, stream, rule)
    return verdict(store, memory)


def verdict(store: Store, memory: Memory) -> Verdict:
    """Compare a memory at hand, live or rebuilt, with its store."""
    found: list[str] = []
    for check in (_numbers, _memberships, _records, _vectors, _galleries, _graph, _semantics):
        found += check(store, memory)
    hashes = (state_hash(store), words_hash(store))
    return Verdict(memory.stream, memory.version, *hashes, memory.graph.counts(), tuple(found[:_MOST]))


def _numbers(store: Store, memory: Memory) -> Iterator[str]:
    expected = {"clip": len(memory.clips), "observation": len(memory.spans), "entity": memory.entity_count}
    for table, count in expected.items():
        ((rows, last),) = store.select(f"SELECT count(*), coalesce(max(number), -1) FROM {table}")  # noqa: S608 - ours
        if not rows == last + 1 == count:
            yield f"{table}: {rows} rows up to number {last} in the store, {count} in memory"
    ((orphans,),) = store.select("SELECT count(*) FROM observation WHERE clip NOT IN (SELECT number FROM clip)")
    if orphans:
        yield f"observation: {orphans} of clips that do not exist"


def _memberships(store: Store, memory: Memory) -> Iterator[str]:
    ((missing,),) = store.select(
        "SELECT count(*) FROM observation LEFT JOIN membership ON number = observation "
        "WHERE embedder IS NOT NULL AND entity IS NULL"
    )
    if missing:
        yield f"membership: {missing} observations with an embedding belong to no entity"
    ((empty,),) = store.select(
        "SELECT count(*) FROM entity WHERE number NOT IN (SELECT entity FROM membership WHERE cause IN (?, ?))",
        (Cause.NEW.value, Cause.RULING.value),
    )
    if empty:
        yield f"entity: {empty} that no observation began"
    latest = store.select("SELECT observation, entity, max(version) FROM membership GROUP BY observation")
    for observation, entity, _ in latest:
        if memory.entity_of[observation] != entity:
            yield f"observation {observation} is of entity {entity} in the store, not in memory"
    if not np.array_equal(memory.standing.owned(memory.look_of[:]), memory.entity_of[:]):
        yield "membership: observations are not of the entities that the rulings say"


def _records(store: Store, _: Memory) -> Iterator[str]:
    with meaning(store.database.path):
        yield from disagreements(store)


def _vectors(store: Store, memory: Memory) -> Iterator[str]:
    for clip, embedder, matrix in store.select("SELECT clip, embedder, matrix FROM vector"):
        gallery = memory.galleries.get(embedder)
        vectors = np.frombuffer(matrix, "<f4").reshape(-1, gallery.dim if gallery else 1)
        if not bool(np.all(np.abs(np.linalg.norm(vectors, axis=1) - 1) < 1e-3)):
            yield f"clip {clip}: vectors of {embedder} are not all of length one"


def _galleries(_: Store, memory: Memory) -> Iterator[str]:
    embedder_of = {
        int(entity): name for name, gallery in memory.galleries.items() for entity in gallery.entities.view()
    }
    looks = memory.look_of[:]
    missing = set(looks[looks != NO_ENTITY].tolist()) - embedder_of.keys()
    if missing or len(embedder_of) > memory.entity_count:
        yield f"galleries hold {len(embedder_of)} entities of {memory.entity_count}, and lack {len(missing)}"
    for entity, expected in reference_sets(memory):
        known = memory.galleries[embedder_of[entity]].references_of(entity).observations
        if list(known) != expected:
            yield f"entity {entity}: references {known}, its biography says {expected}"


def _graph(_: Store, memory: Memory) -> Iterator[str]:
    counts = memory.graph.counts()
    members = int(np.count_nonzero(memory.entity_of[:] != NO_ENTITY))
    observations, clips = len(memory.spans), len(memory.clips)
    expected = {
        "clip": clips,
        "episode": clips,
        "window": len(memory.windows),
        "observation": observations,
        "entity": memory.entity_count,
        "membership": members,
        "context": observations,
        "provenance": observations,
        "co_clip": clips,
        "containment": len(SCALES) * clips,
    }
    for kind, count in expected.items():
        if counts[kind] != count:
            yield f"graph: {counts[kind]} x {kind}, the records say {count}"
    for observation, entity in enumerate(memory.entity_of[:].tolist()):
        linked = entity == NO_ENTITY or memory.graph.linked(
            Node(NodeKind.OBSERVATION, observation), Node(NodeKind.ENTITY, entity)
        )
        if not linked:
            yield f"graph: observation {observation} is not linked to its entity {entity}"


def _semantics(store: Store, memory: Memory) -> Iterator[str]:
    """Compare names, facts and what they are tied to with what the remarks say."""
    numbers, ties = SemanticNumbers(), set[Tie]()
    for remark, _ in semantic_remarks(store.select):
        ties.update(numbers.ties(remark, memory.clips))
    ties.update(numbers.borne(memory.standing.names))
    counts, edges = memory.graph.counts(), Counter(tie.kind.edge for tie in ties)
    for kind, count in [*numbers.counts().items(), *((edge, edges[edge]) for edge in SEMANTIC_EDGES)]:
        if counts[str(kind)] != count:
            yield f"graph: {counts[str(kind)]} x {kind}, the remarks say {count}"
    for tie in sorted(ties):
        left, right = ends_of(tie)
        if not memory.graph.linked(left, right):
            yield f"graph: {left.kind} {left.number} is not tied to {right.kind} {right.number}"

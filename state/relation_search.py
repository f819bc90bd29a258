"""Searching relations strict-to-relaxed (EGAgent, appendix C): exact first, then one constraint less each time.

The question is a record that our code fills in, never a query that a model writes; what may be seen is the view's, so
as-of is in the search itself. The paper's relations end at names; here a party may be an observation, and through it
its entity as of the view, so that a name or a merge that a user gave later finds what was written before.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from biographer.state.graph import NodeKind
from biographer.state.name import name_key
from biographer.state.observation import Embedding
from biographer.state.relation import PartyKind, Relation, RelationKind
from biographer.state.relations import KIND_NUMBERS, PARTY_NUMBERS, Parties
from biographer.state.times import SECOND_US
from biographer.state.tokens import Tokens
from biographer.state.view import View

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]

WIDENED_US = 3600 * SECOND_US
"""How far a time is widened on both sides: the paper's graph finds little within two minutes, much within an hour."""


class Constraint(StrEnum):
    """What is relaxed: time, then kind, direction, parties, names, any time. Each step keeps those before it."""

    TIME = "time"
    """An hour on both sides more."""
    KIND = "kind"
    """Any relation."""
    DIRECTION = "direction"
    """Source and target may be the other way round."""
    PARTIES = "parties"
    """Whatever the parties are."""
    NAMES = "names"
    """Names that share their words."""
    ANY_TIME = "any time"


@dataclass(frozen=True, slots=True)
class RelationQuery:
    """What is looked for; whatever is None is not asked. `entity` is at either end; `text` and `vector` only rank.

    `between_us` (start, end) is met by what overlaps it. `enough` rows end the relaxing; at most `limit` are returned.
    """

    source: str | None = None
    target: str | None = None
    kind: RelationKind | None = None
    source_kind: PartyKind | None = None
    target_kind: PartyKind | None = None
    entity: int | None = None
    between_us: tuple[int, int] | None = None
    text: str = ""
    vector: Embedding | None = None
    limit: int = 16
    enough: int = 5
    without: frozenset[int] = frozenset()
    """Clips, by number, whose relations are not wanted: they were returned before."""


@dataclass(frozen=True, slots=True)
class FoundRelation:
    """One relation, its clip by number, the entities at its ends where they are known, and what was relaxed for it."""

    number: int
    relation: Relation
    clip: int
    source_entity: int | None
    target_entity: int | None
    relaxed: tuple[Constraint, ...]
    fit: float


def find_relations(view: View, query: RelationQuery) -> list[FoundRelation]:
    """Return relations, the strictest matches first; among equals by the text, then in order of time."""
    seen = _Seen(view)
    taken = np.zeros(seen.count, np.bool_)
    fits = seen.fits(query)
    if query.without:
        taken |= np.isin(seen.clips, list(query.without))
    found: list[FoundRelation] = []
    for relaxed in _steps(query):
        mask = seen.visible & ~taken & seen.matching(query, frozenset(relaxed))
        taken |= mask
        numbers = np.flatnonzero(mask)
        order = np.lexsort((numbers, seen.starts[numbers], -fits[numbers]))
        found += [seen.found(int(number), relaxed, float(fits[number])) for number in numbers[order][: query.limit]]
        if len(found) >= min(query.enough, query.limit):
            break
    return found[: query.limit]


def _steps(query: RelationQuery) -> Iterator[tuple[Constraint, ...]]:
    """Yield what is relaxed: nothing, then one constraint more each time, of those that the query has."""
    asked = {
        Constraint.TIME: query.between_us is not None,
        Constraint.KIND: query.kind is not None,
        Constraint.DIRECTION: _directed(query),
        Constraint.PARTIES: query.source_kind is not None or query.target_kind is not None,
        Constraint.NAMES: query.source is not None or query.target is not None,
        Constraint.ANY_TIME: query.between_us is not None,
    }
    relaxed: tuple[Constraint, ...] = ()
    yield relaxed
    for constraint in Constraint:
        if asked[constraint]:
            relaxed = (*relaxed, constraint)
            yield relaxed


def _directed(query: RelationQuery) -> bool:
    ends = (query.source, query.target, query.source_kind, query.target_kind)
    return any(one is not None for one in ends)


class _Seen:
    """The relations that a view shows, as arrays, with the entities at their ends."""

    def __init__(self, view: View) -> None:
        self._view, self._relations = view, view.index.told.relations
        self.count = view.extent.told.relations
        self.starts: Numbers = self._relations.starts[: self.count]
        self._ends: Numbers = self._relations.ends[: self.count]
        self.clips: Numbers = self._relations.clips[: self.count]
        self.visible = np.ones(self.count, np.bool_)
        if view.as_of_us is not None:
            self.visible = self._relations.known[: self.count] <= view.as_of_us
        self._entities = (self._entities_of(self._relations.sources), self._entities_of(self._relations.targets))

    def matching(self, query: RelationQuery, relaxed: frozenset[Constraint]) -> Mask:
        """Return which relations meet a query but for what is relaxed."""
        mask = self._in_time(query, relaxed)
        if query.kind is not None and Constraint.KIND not in relaxed:
            mask &= self._relations.kinds[: self.count] == KIND_NUMBERS[query.kind]
        if query.entity is not None:
            mask &= (self._entities[0] == query.entity) | (self._entities[1] == query.entity)
        sources, targets = self._relations.sources, self._relations.targets
        ends = self._end(query, relaxed, sources, targets)
        if Constraint.DIRECTION in relaxed:
            ends |= self._end(query, relaxed, targets, sources)
        return mask & ends

    def fits(self, query: RelationQuery) -> NDArray[np.float64]:
        """Return how well each one's words fit the text: its share of BM25, and cosine; 0 without a text."""
        told, visible = self._view.index.told, self._view.told[NodeKind.EPISODE]
        documents = self._relations.documents[: self.count]
        if not query.text.strip() or not self.count:
            return np.zeros(self.count)
        terms = Tokens().asked(query.text)
        lexical, most = told.documents[NodeKind.EPISODE].postings.scores(terms, visible)
        texts = told.documents[NodeKind.EPISODE].texts[: visible.count][documents]
        extent = self._view.extent.told
        cosines = told.texts.cosines(query.vector, extent.texts, extent.vectors)[texts]
        fits: NDArray[np.float64] = lexical[documents] / (most or 1.0) + np.maximum(0, cosines.astype(np.float64))
        return fits

    def found(self, number: int, relaxed: tuple[Constraint, ...], fit: float) -> FoundRelation:
        """Return one relation."""
        source, target = (int(one[number]) for one in self._entities)
        ends = (None if source < 0 else source, None if target < 0 else target)
        return FoundRelation(number, self._relations.records[number], int(self.clips[number]), *ends, relaxed, fit)

    def _in_time(self, query: RelationQuery, relaxed: frozenset[Constraint]) -> Mask:
        if query.between_us is None or Constraint.ANY_TIME in relaxed:
            return np.ones(self.count, np.bool_)
        wider = WIDENED_US if Constraint.TIME in relaxed else 0
        start, end = query.between_us[0] - wider, query.between_us[1] + wider
        met: Mask = (self._ends >= start) & (self.starts <= end)
        return met

    def _end(self, query: RelationQuery, relaxed: frozenset[Constraint], sources: Parties, targets: Parties) -> Mask:
        return self._party(query.source, query.source_kind, relaxed, sources) & self._party(
            query.target, query.target_kind, relaxed, targets
        )

    def _party(self, name: str | None, kind: PartyKind | None, relaxed: frozenset[Constraint], end: Parties) -> Mask:
        mask = np.ones(self.count, np.bool_)
        if kind is not None and Constraint.PARTIES not in relaxed:
            mask &= end.kinds[: self.count] == PARTY_NUMBERS[kind]
        if name is not None:
            loose = Constraint.NAMES in relaxed
            numbers = self._relations.alike(name) if loose else [self._relations.named(name)]
            entities = self._entities[0 if end is self._relations.sources else 1]
            mask &= np.isin(end.names[: self.count], numbers) | np.isin(entities, self._called(name, loose=loose))
        return mask

    def _called(self, name: str, *, loose: bool) -> list[int]:
        """Return the entities that users gave a name, or one with the same words."""
        wanted = name_key(name)
        return [
            entity
            for entity, given in self._view.standing.names.items()
            if name_key(given) == wanted or (loose and set(wanted.split()) & set(name_key(given).split()))
        ]

    def _entities_of(self, end: Parties) -> Numbers:
        """Return the entity at one end of each relation, -1 where none is known."""
        observations = end.observations[: self.count]
        inside = (observations >= 0) & (observations < len(self._view.entity_of))
        found = np.full(self.count, -1, np.int64)
        found[inside] = self._view.entity_of[observations[inside]]
        return found

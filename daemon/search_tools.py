"""The tools that search what every memory has: the graph, the lines, the sightings, the times, one biography.

Each is a query of the search core on the question's view; relations are in `relation_tool`.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from biographer.daemon.relation_tool import RelationTool
from biographer.daemon.tool_arguments import EntityName, When, between, known_entity
from biographer.daemon.tools import Arguments, Bounds, Found, Pair, Reach, Tool
from biographer.daemon.unit_names import shown
from biographer.state.ablation import Ablation
from biographer.state.errors import RefusedError
from biographer.state.graph import NodeKind
from biographer.state.items import item
from biographer.state.query import Query, Unit
from biographer.state.search import search
from biographer.state.search_settings import SearchSettings
from biographer.state.times import SECOND_US, parse_time

Words = Annotated[str, Meta(max_length=2000, description="What to look for, in plain words.")]
SightingName = Annotated[str, Meta(pattern=r"^o[0-9]{1,15}$", description="A sighting, such as o12.")]
Label = Annotated[str, Meta(max_length=200, description="Only things of this label, such as cup.")]


class SearchMemory(Arguments, frozen=True, kw_only=True, tag="memory"):
    """Search everything by meaning and by words, along the graph of who was seen where: the first choice."""

    text: Words
    begin: When | None = None
    until: When | None = None
    label: Label | None = None
    entity: EntityName | None = None


class SearchTranscript(Arguments, frozen=True, kw_only=True, tag="transcript"):
    """Search what was said or narrated, by meaning and by words; by one speaker if named."""

    text: Words
    speaker: Annotated[str, Meta(max_length=200)] | None = None
    begin: When | None = None
    until: When | None = None


class SearchSightings(Arguments, frozen=True, kw_only=True, tag="visual"):
    """Search what was seen: people and things by how they are described, or by looking like a sighting, say o12."""

    text: Words = ""
    like: SightingName | None = None
    label: Label | None = None
    begin: When | None = None
    until: When | None = None


class ReadTime(Arguments, frozen=True, kw_only=True, tag="time"):
    """Read out what was recorded in a stretch of time, in order; tells where nothing was recorded."""

    begin: When
    until: When


class ReadBiography(Arguments, frozen=True, kw_only=True, tag="biography"):
    """Read one entity's encounters in order of time: when this very thing or person was seen."""

    entity: EntityName
    begin: When | None = None
    until: When | None = None


@dataclass(frozen=True, slots=True)
class MemoryTool:
    """Graph retrieval (GEB section 3.4): the search that the API has."""

    arguments: type[Arguments] = SearchMemory

    def search(self, reach: Reach, call: SearchMemory, bounds: Bounds) -> Found:
        """Return units of all kinds, best first."""
        query = _query(reach, call.text, bounds, between(reach, call.begin, call.until))
        entity = None if call.entity is None else int(call.entity[1:])
        return _searched(reach, replace(query, label=call.label or None, entity=entity), reach.settings)


@dataclass(frozen=True, slots=True)
class TranscriptTool:
    """Lines alone (EGAgent's transcript search): no walk, no surroundings, no sightings."""

    arguments: type[Arguments] = SearchTranscript

    def search(self, reach: Reach, call: SearchTranscript, bounds: Bounds) -> Found:
        """Return local episodes by their best line."""
        query = _query(reach, call.text, bounds, between(reach, call.begin, call.until))
        settings = replace(reach.settings, observations=0.0, walk=0.0, hour=0.0, neighbour=0.0, windows={})
        return _searched(reach, replace(query, speaker=call.speaker or None), settings)


@dataclass(frozen=True, slots=True)
class VisualTool:
    """Sightings alone (EGAgent's visual search: by meaning, and by attribute)."""

    arguments: type[Arguments] = SearchSightings

    def search(self, reach: Reach, call: SearchSightings, bounds: Bounds) -> Found:
        """Return observations, best first."""
        query = _query(reach, call.text, bounds, between(reach, call.begin, call.until))
        settings = replace(reach.settings, episodes=0.0, observations=1.0, windows={})
        return _searched(reach, replace(query, label=call.label or None), settings, self._looks(reach, call.like))

    def _looks(self, reach: Reach, like: str | None) -> NDArray[np.float64] | None:
        if not like:
            return None
        looks = reach.looks(int(like[1:])) if shown(reach.view, like) else None
        if looks is None:
            raise RefusedError(f"sighting {like} is not in this memory, or has no looks; describe it in words")
        return looks


@dataclass(frozen=True, slots=True)
class TimeTool:
    """A time read-out (GEB, appendix B)."""

    arguments: type[Arguments] = ReadTime

    def search(self, reach: Reach, call: ReadTime, bounds: Bounds) -> Found:
        """Return the local episodes then, in order; a stretch without any is a gap."""
        then = (parse_time(call.begin), parse_time(call.until))
        query = Query(limit=bounds.limit, between_us=then, exclude=bounds.exclude)
        return _searched(reach, query, reach.settings)


@dataclass(frozen=True, slots=True)
class BiographyTool:
    """What the line "seen n more times" of an excerpt points to (GEB section 3.4)."""

    arguments: type[Arguments] = ReadBiography

    def search(self, reach: Reach, call: ReadBiography, bounds: Bounds) -> Found:
        """Return an entity's observations in order of time."""
        if Ablation.BIOGRAPHIES in reach.settings.without:
            raise RefusedError("biographies are left out; search by words")
        view = reach.view
        members, _ = view.members(np.array([known_entity(reach, call.entity)]))
        begin, until = between(reach, call.begin, call.until) or (0, 2**62)
        starts, ends = view.index.observations.starts[members], view.index.observations.ends[members]
        chosen = members[(ends >= begin) & (starts <= until)]
        ordered = sorted(chosen.tolist(), key=lambda number: (int(view.index.observations.starts[number]), number))
        units = [Unit(NodeKind.OBSERVATION, number) for number in ordered]
        fresh = [unit for unit in units if unit not in bounds.exclude]
        items = tuple(item(view, unit, 0.0, ("time",)) for unit in fresh[: bounds.limit])
        return Found(items, None if items else "empty", len(fresh) - len(items))


def search_tools() -> tuple[Tool[Any], ...]:
    """Return one of each."""
    return MemoryTool(), TranscriptTool(), VisualTool(), TimeTool(), BiographyTool(), RelationTool()


def _query(reach: Reach, text: str, bounds: Bounds, between: Pair | None) -> Query:
    vector = reach.embed(text) if text.strip() else None
    return Query(text=text, vector=vector, limit=bounds.limit, between_us=between, exclude=bounds.exclude)


def _searched(reach: Reach, query: Query, settings: SearchSettings, looks: NDArray[np.float64] | None = None) -> Found:
    evidence = search(reach.view, query, settings, looks)
    gap = query.between_us if query.between_us is not None and not _recorded(reach, query.between_us) else None
    return Found(evidence.items, evidence.reason, evidence.further, gap)


def _recorded(reach: Reach, between: Pair) -> bool:
    """Whether anything at all was recorded then; a moment where one clip ends and the next begins is no gap."""
    view, (begin, until) = reach.view, between
    meets = (view.starts <= until + SECOND_US) & (view.ends >= begin - SECOND_US)
    return bool((meets if view.clips.mask is None else meets & view.clips.mask).any())

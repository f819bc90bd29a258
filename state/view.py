"""A view: what one reader may see of the index, fixed at one version and, if asked, as of one event time.

Immutable, and made of slices of append-only columns, so that it is cheap and the writer goes on meanwhile. Whatever is
counted (degrees, sightings of an entity, neighbours in time) is counted over what is visible.
"""

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from biographer.state.ablation import Ablation
from biographer.state.adjacency import adjacency
from biographer.state.cast_people import CastPeople
from biographer.state.graph import NodeKind
from biographer.state.index import Index
from biographer.state.seen_members import SeenMembers
from biographer.state.semantics import SeenSemantics
from biographer.state.standing import Standing
from biographer.state.visible import Visible, known_by
from biographer.state.weights import Weights

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


class View:
    """Clips, observations, entities and windows as of `as_of_us` (None: all of the version)."""

    def __init__(self, index: Index, as_of_us: int | None = None) -> None:
        extent = index.extent
        self.index, self.extent, self.as_of_us = index, extent, as_of_us
        self.version = extent.version
        self.clips = known_by(index.known[: extent.clips], as_of_us, in_order=extent.in_order)
        count = self.clips.count
        self.starts, self.ends = index.clips.starts[:count], index.clips.ends[:count]
        self.known = index.known[:count]
        self.first_observation: Numbers = index.first_observation[: count + 1]
        self.observations = self._of_clips(self.first_observation)
        self.clip_of: NDArray[np.int32] = index.clip_of[: self.observations.count]
        self.phrase_of: Numbers = index.phrase_of[: self.observations.count]

    @cached_property
    def membership(self) -> SeenMembers:
        """Which observations are of which entity."""
        return SeenMembers(self.index, self.extent, self.as_of_us, self.observations)

    @cached_property
    def entity_of(self) -> Numbers:
        """The entity of each observation, -1 where it has none or is not to be seen."""
        return self.membership.entity_of

    @cached_property
    def standing(self) -> Standing:
        """What users said about who is who, and whom castings name."""
        return replace(self.membership.ruled, people=self.membership.people)

    def cast(self, _: object) -> CastPeople:
        """Return whom castings name, for who reads the records of the same state beside this."""
        return self.membership.people

    @cached_property
    def watermark_us(self) -> int | None:
        """Event time up to which there is something to see; None where there is nothing."""
        ends = self.ends if self.clips.mask is None else self.ends[self.clips.mask]
        return int(ends.max()) if len(ends) else None

    @cached_property
    def all_known_us(self) -> int:
        """Since when all of this was known."""
        members = self.index.member_known[: self.observations.count]
        windows = self.index.windows.known[: self.extent.window_versions]
        known = max(int(one.max(initial=0)) for one in (self.known, members, windows))
        return max(known, self.extent.rulings.known_us, self.index.told.all_known_us(self.extent.told))

    @cached_property
    def told(self) -> dict[NodeKind, Visible]:
        """What was written about units, by their kind: the documents to be seen."""
        return self.index.told.visible(self.extent.told, self.as_of_us)

    @cached_property
    def told_units(self) -> dict[NodeKind, tuple[Numbers, Numbers]]:
        """By kind, the units of which something was written, rising, and the place among them of each document's."""
        return {kind: self.index.told.documents[kind].units_of(visible) for kind, visible in self.told.items()}

    @cached_property
    def semantics(self) -> SeenSemantics:
        """Names and facts that were written, and what they are tied to."""
        extent = self.extent.told.semantics
        return SeenSemantics(self.index.told.semantics, extent, self.as_of_us, self.standing.names)

    @cached_property
    def phrases(self) -> Visible:
        """The distinct texts of observations: those of visible ones."""
        count = int(self.index.first_phrase[self.clips.count])
        if self.observations.mask is None:
            return Visible(count)
        return Visible(count, np.bincount(self.phrase_of[self.observations.mask], minlength=count).astype(np.bool_))

    @cached_property
    def newest_of_phrase(self) -> Numbers:
        """The newest visible observation of each phrase, -1 where there is none."""
        newest = np.full(self.phrases.count, -1)
        numbers = self.observations.numbers()
        # Numbers rise, and the last of several values assigned to one place stays.
        newest[self.phrase_of[numbers]] = numbers
        return newest

    @cached_property
    def sightings(self) -> Numbers:
        """How many visible observations each entity has."""
        return np.bincount(self.entity_of + 1, minlength=self.extent.entities + 1)[1:]

    @cached_property
    def order(self) -> Numbers:
        """The visible local episodes in order of time."""
        numbers = self.clips.numbers()
        starts, ends = self.starts[numbers], self.ends[numbers]
        if len(numbers) < 2 or bool(np.all(np.diff(starts) > 0)):
            return numbers
        result: Numbers = numbers[np.lexsort((numbers, ends, starts))]
        return result

    @cached_property
    def adjacency(self) -> tuple[Numbers, Numbers, Floats]:
        """Return, by local episode, the one before and after it (-1: none) and the weight of the edge to the next."""
        return adjacency(self.order, self.starts, self.ends, self.clips.count)

    @cached_property
    def hours(self) -> Numbers:
        """The hour of each local episode, counted from 0 over those there are."""
        return np.unique(self.index.hours[: self.clips.count], return_inverse=True)[1]

    @cached_property
    def windows(self) -> Numbers:
        """The visible windows: the number of each one's last visible version, rising by window."""
        versions = np.arange(self.extent.window_versions)
        if self.as_of_us is not None:
            versions = versions[self.index.windows.known[: len(versions)] <= self.as_of_us]
        latest = np.full(self.extent.windows, -1)
        # Versions of a window rise, and the last of several values assigned to one place stays.
        latest[self.index.windows.numbers[versions]] = versions
        return latest[latest >= 0]

    @cached_property
    def window_numbers(self) -> Numbers:
        """The number of each visible window."""
        numbers: Numbers = self.index.windows.numbers[self.windows].astype(np.int64)
        return numbers

    @cached_property
    def window_scales(self) -> Numbers:
        """The scale's number of each visible window."""
        scales: Numbers = self.index.windows.scales[self.windows].astype(np.int64)
        return scales

    @cached_property
    def window_spans(self) -> tuple[Numbers, Numbers]:
        """Starts and ends of the visible windows."""
        spans = self.index.windows.spans
        return spans.starts[self.windows], spans.ends[self.windows]

    @cached_property
    def window_adjacency(self) -> tuple[Numbers, Numbers, Floats]:
        """As `adjacency`, for windows, each scale by itself."""
        starts, ends = self.window_spans
        before, after, weights = (np.full(len(starts), fill) for fill in (-1, -1, 0.0))
        for scale in range(3):
            chosen = np.flatnonzero(self.window_scales == scale)
            chosen = chosen[np.argsort(starts[chosen], kind="stable")]
            found = adjacency(chosen, starts, ends, len(starts))
            before[chosen], after[chosen], weights[chosen] = (array[chosen] for array in found)
        return before, after, weights

    @cached_property
    def parents(self) -> NDArray[np.int64]:
        """The place in `windows` of each local episode's windows, shape (3, clips); -1 where none is visible."""
        joined = self.index.windows.joined[: self.clips.count].T.astype(np.int64)
        place_of = np.full(self.extent.windows, -1)
        place_of[self.window_numbers] = np.arange(len(self.windows))
        places = np.append(place_of[self.index.windows.numbers[: self.extent.window_versions]], -1)
        places[:-1][np.arange(len(places) - 1) > np.append(self.windows, 0)[places[:-1]]] = -1
        inside = (joined >= 0) & (joined < self.extent.window_versions)
        found: NDArray[np.int64] = places[np.where(inside, joined, -1)]
        if self.clips.mask is not None:
            found[:, ~self.clips.mask] = -1
        return found

    @cached_property
    def children(self) -> tuple[Numbers, Numbers]:
        """Local episodes by window: those of place w are the first array's [second[w]:second[w + 1]], rising."""
        flat = self.parents.ravel()
        order = np.argsort(flat, kind="stable")
        order = order[np.searchsorted(flat[order], 0) :]
        starts = np.searchsorted(flat[order], np.arange(len(self.windows) + 1))
        return order % max(1, self.clips.count), starts

    @cached_property
    def weights(self) -> Weights:
        """The degrees of the graph that the records imply."""
        return self.weighed(self.sightings, 1.0)

    @cached_property
    def grounds(self) -> dict[frozenset[Ablation], Weights]:
        """Graphs for the walk that were found so far, by what they leave out; `ground` finds them."""
        return {}

    def weighed(self, sightings: Numbers, timeline: float) -> Weights:
        """Return the degrees with so many sightings of each entity, and with the observations' timeline or without."""
        arrays = (self.adjacency, self.parents, self.window_adjacency, np.diff(self.children[1]))
        return Weights.of(sightings, self.entity_of, self.first_observation, *arrays, timeline)

    def label(self, observation: int) -> str:
        """Return an observation's label."""
        return self.index.label_names[int(self.index.label_of[observation])]

    def members(self, entities: Numbers) -> tuple[NDArray[np.int32], Numbers]:
        """Return (visible observations of the entities, the place in `entities` of each one's)."""
        return self.membership.of_entities(entities)

    def _of_clips(self, first: Numbers) -> Visible:
        count = int(first[-1])
        if self.clips.mask is None:
            return Visible(count)
        return Visible(count, np.repeat(self.clips.mask, np.diff(first)))

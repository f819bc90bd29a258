"""The memory of one stream: what is remembered, and how one clip changes it. Plain calls, no I/O.

`plan` decides and changes nothing; `adopt` makes a planned change visible. Between the two the store writes it, so a
write that fails leaves the memory as it was.
"""

from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, tzinfo

import numpy as np

from biographer.state.amendment import Amended
from biographer.state.apartness import Apartness
from biographer.state.association import anchors
from biographer.state.change import Change
from biographer.state.column import Column
from biographer.state.draft import Draft
from biographer.state.episode import LOCAL, Episode, local_text
from biographer.state.errors import RefusedError
from biographer.state.gallery import Gallery
from biographer.state.graph import MemoryGraph, NodeKind
from biographer.state.index import Index
from biographer.state.learned import Learned
from biographer.state.learning import Learning
from biographer.state.membership import Cause, Membership
from biographer.state.perceived import Perceived
from biographer.state.rule import Rule
from biographer.state.ruling import Ruled
from biographer.state.semantic_graph import SemanticGraph
from biographer.state.spans import Spans
from biographer.state.standing import Standing
from biographer.state.trail import Trail
from biographer.state.trails import Trails
from biographer.state.windows import Windows
from biographer.state.worded import Worded

NO_ENTITY = -1
"""The entity of an observation without evidence of identity."""

_RECENT_CLIPS = 16
"""How many clips back the one before a cut is looked for."""


class Memory:
    """One stream's records in columns, its galleries, and its graph.

    Clips, observations, episodes and entities are numbered from 0 in order of application and never re-used.
    """

    def __init__(self, stream: str, rule: Rule, older_trail: Callable[[int], Trail], zone: tzinfo = UTC) -> None:
        self.stream = stream
        self.rule = rule
        self.version = 0
        self.watermark_us: int | None = None
        self.known_us = 0
        """Since when everything so far is known; behind the watermark only where a line outlasts its clip."""
        self.clips: dict[str, int] = {}
        self.clip_spans = Spans()
        self.spans = Spans()
        self.entity_of = Column(np.int32)
        self.look_of = Column(np.int32)
        """The entity whose looks each observation stands for in the gallery: another than its own by a ruling alone."""
        self.entity_count = 0
        self.standing = Standing()
        self.galleries: dict[str, Gallery] = {}
        self.apartness = Apartness()
        self.graph = MemoryGraph()
        self.semantics = SemanticGraph(self.graph)
        self.windows = Windows(zone)
        self.trails = Trails(older_trail)
        self.worded = Worded()
        self.learning = Learning(lambda: Index(zone))
        self._recent_clips: deque[tuple[int, range]] = deque(maxlen=_RECENT_CLIPS)

    @property
    def index(self) -> Index:
        """What search reads; after a restart the first to ask waits until it is learned."""
        return self.learning.index

    def plan(self, perceived: Perceived) -> Change:
        """Decide what a clip adds. Raises RefusedError where it belongs elsewhere or is known already."""
        clip = perceived.clip
        self._refuse_foreign(perceived)
        observations = tuple(sorted(perceived.observations, key=lambda one: (one.start_us, one.end_us, one.track)))
        draft = Draft(self, clip.start_us, observations)
        decisions = draft.decide()
        late = self.watermark_us is not None and clip.end_us <= self.watermark_us
        watermark_us = max(clip.end_us, self.watermark_us or clip.end_us)
        known_us = max(clip.known_us, watermark_us, self.known_us)
        memberships = tuple(
            Membership(one.observation, one.entity, known_us, one.similarity, one.cause) for one in decisions
        )
        number = len(self.clips)
        return Change(
            version=self.version + 1,
            clip_number=number,
            clip=clip,
            late=late,
            known_us=clip.known_us,
            watermark_us=watermark_us,
            first_observation=len(self.spans),
            observations=observations,
            entities=draft.entities(decisions, known_us),
            memberships=memberships,
            aparts=self.apartness.found(decisions, observations, len(self.spans), self.rule.separation, known_us),
            episode=Episode(number, LOCAL, clip.start_us, clip.end_us, local_text(clip, observations), clip.known_us),
            reference_sets=draft.reference_sets,
            hits=draft.hits,
            vetoes=sum(len(one.vetoed) for one in decisions),
            vectors=self.worded.fresh(perceived.texts),
            ruled=self._by_ruling(memberships),
        )

    def adopt(self, change: Change) -> None:
        """Make a planned change part of the memory; it must be the next one."""
        if change.version != self.version + 1:
            raise RefusedError(f"change {change.version} does not follow version {self.version}; plan it again")
        self.clips[change.clip.name] = change.clip_number
        self.clip_spans.append(change.clip.start_us, change.clip.end_us)
        self._adopt_observations(change)
        for embedder, entity, observations in self._reference_sets(change):
            self.galleries[embedder].set_references(entity, observations)
        self.entity_count += len(change.entities)
        self.apartness.add(change.aparts)
        self._grow_graph(change)
        if change.vectors.texts:
            self.worded.learn(change.vectors.embedder, change.vectors.texts)
        self.learning.grow(change.clip_number, Learned.of(change))
        self.watermark_us = change.watermark_us
        self.known_us = max(self.known_us, change.known_us, change.watermark_us)
        self.version = change.version

    def amend(self, amended: Amended) -> None:
        """Make what an amendment adds part of the memory; it must be the next change."""
        if amended.version != self.version + 1:
            raise RefusedError(f"change {amended.version} does not follow version {self.version}; file it again")
        remarks = [(one.remark, piece.known_us) for piece in amended.pieces for one in piece.remarks]
        self.semantics.grow(remarks, self.clips)
        self.semantics.bear(self.standing.names)
        self.learning.amend(amended)
        self.version = amended.version

    def obey(self, ruled: Ruled) -> None:
        """Make what a ruling changes part of the memory; it must be the next change."""
        if ruled.version != self.version + 1:
            raise RefusedError(f"change {ruled.version} does not follow version {self.version}; say it again")
        self.standing = self.standing.after(ruled.ruling)
        self.entity_count += len(ruled.entities)
        self.graph.add_nodes(NodeKind.ENTITY, len(ruled.entities))
        if ruled.looks:
            self.look_of.put(np.fromiter(ruled.looks, np.int64), list(ruled.looks.values()))
        for entity, observations in ruled.reference_sets.items():
            self._gallery_of(entity, observations).set_references(entity, observations)
        for one in ruled.memberships:
            self.graph.rejoin(one.observation, int(self.entity_of[one.observation]), one.entity)
            self.entity_of.set(one.observation, one.entity)
        self.semantics.bear(self.standing.names)
        self.learning.obey(ruled)
        self.version = ruled.version

    def gallery(self, embedder: str, dim: int) -> Gallery:
        """Return the embedder's gallery, new where there is none; raises RefusedError for vectors of another length."""
        gallery = self.galleries.get(embedder) or Gallery(dim, self.rule.references)
        if gallery.dim != dim:
            raise RefusedError(
                f"embedder {embedder!r} gave {dim} numbers where this stream has {gallery.dim}: name the new one anew"
            )
        return gallery

    def references_of(self, entity: int) -> tuple[int, ...]:
        """Return the reference observations of an entity, oldest first, whichever gallery it lives in."""
        for gallery in self.galleries.values():
            if gallery.row_of(entity) is not None:
                return gallery.references_of(entity).observations
        return ()

    def _gallery_of(self, entity: int, observations: Sequence[int]) -> Gallery:
        """Return the gallery that an entity lives in, or is to live in, by its observations."""
        for gallery in self.galleries.values():
            if gallery.row_of(entity) is not None or (observations and gallery.holds(observations[0])):
                return gallery
        raise RefusedError(f"entity e{entity} has no looks in any gallery of stream {self.stream!r}")

    def _by_ruling(self, memberships: tuple[Membership, ...]) -> tuple[Membership, ...]:
        owner = self.standing.owner
        return tuple(
            Membership(one.observation, owner(one.entity), one.known_us, 1.0, Cause.RULING, version=1)
            for one in memberships
            if owner(one.entity) != one.entity
        )

    def note_clip(self, end_us: int, observations: range) -> None:
        """Remember a clip's end and its observations' numbers, for the cut to the one that follows."""
        self._recent_clips.append((end_us, observations))

    def _refuse_foreign(self, perceived: Perceived) -> None:
        clip = perceived.clip
        if clip.stream != self.stream:
            raise RefusedError(f"clip {clip.name!r} of stream {clip.stream!r} came to the memory of {self.stream!r}")
        if clip.name in self.clips:
            raise RefusedError(f"clip {clip.name!r} of stream {self.stream!r} is known already")
        tracks = [observation.track for observation in perceived.observations]
        if len(set(tracks)) != len(tracks):
            raise RefusedError(f"clip {clip.name!r} has two observations of one track; number them apart")
        embeddings = [one.embedding for one in perceived.observations if one.embedding is not None]
        lengths = {(one.embedder, len(one.vector)) for one in embeddings}
        if len(lengths) > len({embedder for embedder, _ in lengths}):
            raise RefusedError(f"clip {clip.name!r}: vectors of {sorted(lengths)}; one embedder yields one length")

    def _adopt_observations(self, change: Change) -> None:
        looks, entities = {one.observation: one.entity for one in change.memberships}, change.chosen
        vectors: dict[str, list[int]] = {}
        for number, observation in enumerate(change.observations, change.first_observation):
            self.spans.append(observation.start_us, observation.end_us)
            self.look_of.append(looks.get(number, NO_ENTITY))
            self.entity_of.append(entities.get(number, NO_ENTITY))
            self.trails.add(number, Trail(observation.times_us, observation.boxes))
            if observation.embedding is not None:
                vectors.setdefault(observation.embedding.embedder, []).append(number)
        for embedder, numbers in vectors.items():
            rows = [change.observations[number - change.first_observation].embedding for number in numbers]
            matrix = np.stack([row.vector for row in rows if row is not None])
            self.galleries.setdefault(embedder, self.gallery(embedder, matrix.shape[1])).add_vectors(numbers, matrix)
        self.note_clip(change.clip.end_us, range(change.first_observation, len(self.spans)))

    def _reference_sets(self, change: Change) -> list[tuple[str, int, tuple[int, ...]]]:
        embedder_of = {
            number: observation.embedding.embedder
            for number, observation in enumerate(change.observations, change.first_observation)
            if observation.embedding is not None
        }
        member = {one.entity: embedder_of[one.observation] for one in change.memberships}
        return [(member[entity], entity, observations) for entity, observations in change.reference_sets.items()]

    def _grow_graph(self, change: Change) -> None:
        episode, count = change.episode, len(change.observations)
        self.graph.grow(
            clips=1,
            entities=len(change.entities),
            clip_of=np.full(count, change.clip_number),
            entity_of=self.entity_of[change.first_observation : change.first_observation + count],
        )
        self.graph.place_episode(episode.number, episode.start_us, episode.end_us)
        self.graph.place_in_windows(episode.number, self.windows.holding(episode.start_us))

    def anchors(self, start_us: int, trails: Sequence[Trail]) -> dict[int, int]:
        """Return {row of trails: entity by looks} for boxes that stay in place across the cut from the clip before.

        That is the one, of the last few applied, that ends nearest to `start_us`; a late clip does not stand between.
        """
        near = [(abs(start_us - end_us), numbers) for end_us, numbers in reversed(self._recent_clips) if numbers]
        gap, before = min(near, key=lambda one: one[0], default=(0, range(0)))
        if not before or gap > self.rule.anchor_gap_us:
            return {}
        found = anchors([self.trails[number] for number in before], trails, start_us, self.rule)
        entities = {row: int(self.look_of[before[old]]) for row, old in found.items()}
        return {row: entity for row, entity in entities.items() if entity != NO_ENTITY}

"""Large memories in bulk: changes as association would have made them, written by the code that ingest writes with.

Who is seen when comes from `population`, vectors from `vectors`, words from `words`; here they become clips. A clip
can be had as perceived, for the memory to decide, or as a change with the truth as its decisions, for seeding.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biographer.bench.population import Population, population
from biographer.bench.report import Say, paced
from biographer.bench.sample import Sample
from biographer.bench.vectors import Vectors
from biographer.bench.words import heard, lines, looks
from biographer.models.catalogue import MODELS
from biographer.models.coco import COCO_LABELS
from biographer.state.change import Change, Entity
from biographer.state.clip import Clip
from biographer.state.episode import LOCAL, Episode, local_text
from biographer.state.membership import Apart, Cause, Membership
from biographer.state.observation import Crop, Embedding, Observation
from biographer.state.perceived import Perceived
from biographer.state.rule import Rule, Thresholds
from biographer.state.store import Store
from biographer.state.times import SECOND_US
from biographer.state.trail import Separation, Trail

STREAM = "bench"
CLIP_US = 30 * SECOND_US
_BEGAN_US = 1_777_593_600 * SECOND_US
_STEP_US = SECOND_US // 5
_TRAILS = 512
_CROPS = 4
_BATCH_CLIPS = 32


@dataclass(frozen=True, slots=True, eq=False)
class _Path:
    """A trail that sightings share, in microseconds from the start of their clip."""

    offsets_us: NDArray[np.int64]
    boxes: NDArray[np.float32]


class Recording:
    """A recording of `clips` clips; every clip follows from the seed and its number alone."""

    def __init__(self, sample: Sample, clips: int, seed: int, per_clip: int) -> None:
        random = np.random.default_rng(seed)
        self.embedder = sample.embedder
        self.people: Population = population(clips, random, per_clip)
        self.vectors = Vectors(sample, self.people.entity_count, random)
        self._seed = seed
        self._paths = _paths(random)
        self._spans = [(int(one.offsets_us[0]), int(one.offsets_us[-1])) for one in self._paths]
        self._apart: dict[tuple[int, int], bool] = {}

    @property
    def rule(self) -> Rule:
        """The rule that the daemon has by default."""
        return default_rule(self.embedder)

    def perceived(self, clip: int) -> Perceived:
        """Return a clip as perception would."""
        random = np.random.default_rng((self._seed, clip))
        start_us = _BEGAN_US + clip * CLIP_US
        spoken = lines(start_us, start_us + CLIP_US, random)
        whole = Clip(STREAM, f"clip-{clip:06}", start_us, start_us + CLIP_US, spoken)
        entities, spells = self.people.entities[clip], self.people.spells[clip]
        rows = self.vectors.sightings(entities, spells, random)
        rows.setflags(write=False)
        picks = random.integers(0, 1_000, len(entities)).tolist()
        quotes = heard(spoken)
        observations = tuple(
            self._observation(clip, slot, path, Embedding(self.embedder, rows[slot]), pick, quotes)
            for slot, (path, pick) in enumerate(zip(self._slots(clip), picks, strict=True))
        )
        return Perceived(whole, observations)

    def change(self, clip: int, entities_before: int, aparts: set[tuple[int, int]]) -> Change:
        """Return a clip as a change; `aparts` holds the pairs known before and is added to."""
        perceived = self.perceived(clip)
        end_us, first = perceived.clip.end_us, clip * self.people.entities.shape[1]
        members = self.people.entities[clip].tolist()
        new = [entity >= entities_before for entity in members]
        return Change(
            version=clip + 1,
            clip_number=clip,
            clip=perceived.clip,
            late=False,
            known_us=end_us,
            watermark_us=end_us,
            first_observation=first,
            observations=perceived.observations,
            entities=tuple(
                Entity(one, self.embedder, end_us) for one, is_new in zip(members, new, strict=True) if is_new
            ),
            memberships=tuple(
                Membership(first + slot, one, end_us, 1.0 if is_new else 0.8, Cause.NEW if is_new else Cause.MATCH)
                for slot, (one, is_new) in enumerate(zip(members, new, strict=True))
            ),
            aparts=self._aparts(clip, first, end_us, aparts),
            episode=Episode(
                clip,
                LOCAL,
                perceived.clip.start_us,
                end_us,
                local_text(perceived.clip, perceived.observations),
                end_us,
            ),
        )

    def _slots(self, clip: int) -> list[int]:
        """Return the path of each observation of a clip, in order of time: the order in which they are decided."""
        random = np.random.default_rng((self._seed, clip, 1))
        drawn = random.integers(0, len(self._paths), self.people.entities.shape[1:]).tolist()
        return sorted(drawn, key=self._spans.__getitem__)

    def _observation(
        self, clip: int, slot: int, path: int, embedding: Embedding, pick: int, quotes: tuple[str, ...]
    ) -> Observation:
        along, start_us = self._paths[path], _BEGAN_US + clip * CLIP_US
        label = COCO_LABELS[self.vectors.kinds[self.people.entities[clip, slot]]]
        times_us = along.offsets_us + start_us
        number = (clip * self.people.entities.shape[1] + slot) * _CROPS
        box = along.boxes[0]
        place = (float(box[0]), float(box[1]), float(box[2]), float(box[3]))
        crops = tuple(
            Crop(int(times_us[k * len(times_us) // _CROPS]), place, f"{number + k:064x}") for k in range(_CROPS)
        )
        text = f"{looks(label, pick)} {quotes[pick % len(quotes)]}"
        return Observation(slot + 1, label, 0.5, times_us, along.boxes, embedding, text, crops)

    def _aparts(self, clip: int, first: int, end_us: int, known: set[tuple[int, int]]) -> tuple[Apart, ...]:
        entities, slots = self.people.entities[clip].tolist(), self._slots(clip)
        by_kind: dict[int, list[int]] = {}
        for slot, entity in enumerate(entities):
            by_kind.setdefault(int(self.vectors.kinds[entity]), []).append(slot)
        found = []
        for alike in by_kind.values():
            for at, left in enumerate(alike):
                for right in alike[at + 1 :]:
                    low, high = sorted((left, right), key=entities.__getitem__)
                    pair = (entities[low], entities[high])
                    if pair not in known and self._are_apart(slots[low], slots[high]):
                        known.add(pair)
                        found.append(Apart(*pair, first + low, first + high, end_us))
        return tuple(found)

    def _are_apart(self, left: int, right: int) -> bool:
        key = (min(left, right), max(left, right))
        if key not in self._apart:
            one, other = (Trail(self._paths[path].offsets_us, self._paths[path].boxes) for path in key)
            self._apart[key] = Separation().apart(one, other)
        return self._apart[key]


def seed(store: Store, recording: Recording, clips: int, speak: Say) -> None:
    """Write the first `clips` clips of a recording into an empty store, many in a transaction."""
    batch: list[Change] = []
    for change in paced(_changes(recording, clips), clips, "clips seeded", speak):
        batch.append(change)
        if len(batch) == _BATCH_CLIPS:
            store.commit(batch, None)
            batch.clear()
    if batch:
        store.commit(batch, None)


def default_rule(embedder: str) -> Rule:
    """Return the rule with the catalogue's thresholds for an embedder."""
    model = MODELS.get(embedder)
    if model is None or model.similar_to_all is None or model.similar_to_one is None:
        return Rule()
    return Rule(thresholds={embedder: Thresholds(model.similar_to_all, model.similar_to_one), **Rule().thresholds})


def _changes(recording: Recording, clips: int) -> Iterator[Change]:
    entities, aparts = 0, set[tuple[int, int]]()
    for clip in range(clips):
        change = recording.change(clip, entities, aparts)
        entities += len(change.entities)
        yield change


def _paths(random: np.random.Generator) -> list[_Path]:
    """Draw trails as long as those of real clips at 5 frames a second: 10 to 150 frames, 22 in the middle."""
    frames = np.clip(random.lognormal(np.log(22), 0.7, _TRAILS), 10, 150).astype(int)
    made = []
    for count in frames.tolist():
        start = int(random.integers(0, 151 - count))
        middle, half = random.uniform(0.1, 0.9, 2), random.uniform(0.03, 0.2, 2)
        drift = np.cumsum(random.normal(0, 0.01, (count, 2)), axis=0)
        corners = np.concatenate([middle + drift - half, middle + drift + half], axis=1)
        boxes = np.clip(corners, 0, 1).astype(np.float32)
        boxes.setflags(write=False)
        made.append(_Path((start + np.arange(count, dtype=np.int64)) * _STEP_US, boxes))
    return made

"""All entities that a reader may list, in arrays: a week has 78 thousand, and a page of them must come at once.

The usual label of an entity is that of most of its observations; of several, the first by the alphabet.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biographer.state.recalled_entities import Known, folded
from biographer.state.view import View

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class EntityTable:
    """One row an entity, by rising number; `labels` are places in `names`, which rise."""

    names: tuple[str, ...]
    entities: Numbers
    labels: Numbers
    observations: Numbers
    clips: Numbers
    first_us: Numbers
    last_us: Numbers
    last_observation: Numbers

    @classmethod
    def of_view(cls, view: View) -> "EntityTable":
        """List what a view shows."""
        seen = np.flatnonzero(view.entity_of >= 0)
        entity = view.entity_of[seen].astype(np.int64)
        spans = view.index.observations
        count = int(entity.max(initial=-1)) + 1
        first, last, newest = np.full(count, 2**62), np.full(count, -1), np.full(count, -1)
        np.minimum.at(first, entity, spans.starts[seen])
        np.maximum.at(last, entity, spans.ends[seen])
        # Of several values assigned to one place the last stays, and numbers rise.
        newest[entity] = seen
        names, labels = _labels(view, seen, entity, count)
        known = np.flatnonzero(newest >= 0)
        observations, clips = np.bincount(entity, minlength=count), _clips(view, seen, entity, count)
        columns = (labels, observations, clips, first, last, newest)
        return cls(names, known, *(column[known] for column in columns))

    @classmethod
    def of_known(cls, known: Sequence[Known]) -> "EntityTable":
        """List what was read from the records."""
        names = tuple(sorted({one.label for one in known}))
        places = {name: place for place, name in enumerate(names)}
        rows = [
            (
                one.entity,
                places[one.label],
                one.observations,
                one.clips,
                one.first_us,
                one.last_us,
                one.last_observation,
            )
            for one in sorted(known, key=lambda one: one.entity)
        ]
        return cls(names, *np.array(rows, np.int64).reshape(-1, 7).T)

    def __len__(self) -> int:
        """Count the entities."""
        return len(self.entities)

    def row(self, place: int) -> Known:
        """Return one entity."""
        columns = (self.observations, self.clips, self.first_us, self.last_us, self.last_observation)
        numbers = (int(column[place]) for column in columns)
        return Known(int(self.entities[place]), self.names[self.labels[place]], *numbers)

    def labelled(self, label: str) -> Mask:
        """Return which entities usually bear a label, whatever its case."""
        wanted = folded(label)
        return self._of_names([folded(name) == wanted for name in self.names])

    def called(self, name: str) -> Mask:
        """Return which entities have all words of a name in theirs; as long as they have none, in their label."""
        words = set(folded(name).split())
        return self._of_names([words <= set(folded(known).split()) for known in self.names])

    def described(self, view: View, text: str) -> Mask:
        """Return which entities have an observation that is described with these words, whatever their case."""
        wanted, strings = folded(text), view.index.texts.strings
        phrases = view.index.phrase_texts[: view.phrases.count].tolist()
        told = np.fromiter((wanted in folded(strings[number]) for number in phrases), np.bool_, len(phrases))
        seen = np.flatnonzero((view.entity_of >= 0) & told[view.phrase_of])
        return np.isin(self.entities, view.entity_of[seen])

    def ordered(self, places: Numbers, sort: str) -> Numbers:
        """Return places of the table, ordered: by `seen` most often, `first` seen, `last` seen, or `entity`."""
        keys = {"seen": -self.observations, "first": self.first_us, "last": -self.last_us, "entity": self.entities}
        order: Numbers = places[np.argsort(keys[sort][places], kind="stable")]
        return order

    def counted(self) -> list[tuple[str, int]]:
        """Return the labels with how many entities bear each, the most frequent first."""
        counts = np.bincount(self.labels, minlength=len(self.names)).tolist()
        found = [(name, count) for name, count in zip(self.names, counts, strict=True) if count]
        return sorted(found, key=lambda one: (-one[1], one[0]))

    def _of_names(self, chosen: list[bool]) -> Mask:
        mask: Mask = np.array(chosen, np.bool_)[self.labels] if chosen else np.zeros(len(self), np.bool_)
        return mask


def _labels(view: View, seen: Numbers, entity: Numbers, count: int) -> tuple[tuple[str, ...], Numbers]:
    known = view.index.label_names[:]
    order = sorted(range(len(known)), key=lambda number: known[number])
    rank = np.empty(len(known), np.int64)
    rank[order] = np.arange(len(known))
    width = len(known) + 1
    pairs, times = np.unique(entity * width + rank[view.index.label_of[seen]], return_counts=True)
    best = np.zeros(count, np.int64)
    np.maximum.at(best, pairs // width, times * width + (width - 1 - pairs % width))
    return tuple(known[number] for number in order), width - 1 - best % width


def _clips(view: View, seen: Numbers, entity: Numbers, count: int) -> Numbers:
    width = view.clips.count + 1
    pairs = np.unique(entity * width + view.clip_of[seen])
    return np.bincount(pairs // width, minlength=count)

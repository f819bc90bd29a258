"""All entities that a reader may list, in arrays: a week has 78 thousand, and a page of them must come at once.

The usual label of an entity is that of most of its observations; of several, the first by the alphabet.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from biographer.state.biographies import Sorted
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
    given: Mapping[int, str] = field(default_factory=dict)
    """By entity, the name that users or castings gave it."""

    @classmethod
    def of_view(cls, view: View) -> "EntityTable":
        """List what a view shows."""
        known = _sorted(view)
        entities = np.flatnonzero(np.diff(known.starts))
        members, starts = known.members.astype(np.int64), known.starts[entities]
        if not len(members):
            return cls.of_known((), {})
        spans, clips = view.index.observations, view.clip_of[members]
        # An entity's members rise, and so do their clips: one counts where it differs from the one before.
        fresh = np.append(True, clips[1:] != clips[:-1])
        fresh[starts] = True
        ends = np.append(starts[1:], len(members))
        names, labels = _labels(view, members, starts, ends)
        return cls(
            names,
            entities,
            labels,
            ends - starts,
            np.add.reduceat(fresh, starts, dtype=np.int64),
            np.minimum.reduceat(spans.starts[members], starts),
            np.maximum.reduceat(spans.ends[members], starts),
            members[ends - 1],
            view.standing.names,
        )

    @classmethod
    def of_known(cls, known: Sequence[Known], given: Mapping[int, str]) -> "EntityTable":
        """List what was read from the records, with the names that users and castings gave."""
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
        entities, labels, *counted = np.array(rows, np.int64).reshape(-1, 7).T
        observations, clips, first_us, last_us, last_observation = counted
        return cls(names, entities, labels, observations, clips, first_us, last_us, last_observation, given)

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
        found = self._of_names([words <= set(folded(known).split()) for known in self.names])
        for entity, known in self.given.items():
            found[self.entities == entity] = words <= set(folded(known).split())
        return found

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


def _sorted(view: View) -> Sorted:
    base = view.extent.base
    whole = base.last == view.observations.count and view.as_of_us is None and not view.membership.moved
    return base if whole else Sorted.of(view.entity_of, 0)


def _labels(view: View, members: Numbers, starts: Numbers, ends: Numbers) -> tuple[tuple[str, ...], Numbers]:
    """Return the names of labels, rising, and each entity's place in them; members are grouped from `starts` on."""
    known = view.index.label_names[:]
    order = sorted(range(len(known)), key=lambda number: known[number])
    rank = np.empty(len(known), np.int64)
    rank[order] = np.arange(len(known))
    ranks = rank[view.index.label_of[members]]
    labels = np.minimum.reduceat(ranks, starts)
    for place in np.flatnonzero(labels != np.maximum.reduceat(ranks, starts)).tolist():
        labels[place] = np.argmax(np.bincount(ranks[starts[place] : ends[place]]))
    return tuple(known[number] for number in order), labels

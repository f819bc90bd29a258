"""Reading: selected observations by entity, and what else of each biography to look at (GEB section 3.4).

Selected encounters are told in order of time; those not selected are summed up by times and counts. Entities of one
name are annotated: seen apart, or unresolved, for different numbers alone prove nothing.
"""

from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from biographer.state.ablation import Ablation
from biographer.state.graph import NodeKind
from biographer.state.query import Item
from biographer.state.times import SECOND_US, format_time
from biographer.state.view import View
from biographer.state.wording import quoted

PRECEDENCE = "Where an observation and its episode conflict, the episode has precedence."

_SPELL_US = 600 * SECOND_US
"""Sightings closer together than this are told as one stretch of time."""

_MOST_SPELLS = 12


@dataclass(frozen=True, slots=True)
class Spell:
    """A stretch of time with so many observations that were not selected."""

    start_us: int
    end_us: int
    count: int


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What is read of one entity: `entity` is None for observations without identity."""

    entity: int | None
    label: str
    start_us: int
    end_us: int
    selected: tuple[Item, ...]
    unseen: int
    spells: tuple[Spell, ...]
    name: str | None = None
    """What a user called the entity."""

    @property
    def times(self) -> str:
        """When it was seen: from and to, of one sighting; of several, which may lie far apart, between what times."""
        begin, end = format_time(self.start_us), format_time(self.end_us)
        return f"between {begin} and {end}" if len(self.selected) + self.unseen > 1 else f"{begin} to {end}"


@dataclass(frozen=True, slots=True)
class Note:
    """Two entities of one name: `apart` with visual evidence that they are two, else unresolved."""

    label: str
    low: int
    high: int
    apart: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """Biography excerpts, in the order in which their first items were ranked, episodes in order of time, and notes."""

    excerpts: tuple[Excerpt, ...]
    episodes: tuple[Item, ...]
    notes: tuple[Note, ...]


def read(
    view: View,
    items: Sequence[Item],
    apart: Container[tuple[int, int]],
    without: frozenset[Ablation] = frozenset(),
) -> Reading:
    """Arrange a search's items for reading; `apart` holds pairs of entities (low, high) as of the view's time.

    Without biographies nothing is told of encounters that were not selected.
    """
    selected: dict[int | None, list[Item]] = defaultdict(list)
    for one in items:
        if one.unit.kind == NodeKind.OBSERVATION:
            selected[one.entity].append(one)
    alone = Ablation.BIOGRAPHIES in without
    excerpts = tuple(_excerpt(view, entity, chosen, alone=alone) for entity, chosen in selected.items())
    episodes = sorted(
        (one for one in items if one.unit.kind != NodeKind.OBSERVATION), key=lambda one: (one.start_us, one.end_us)
    )
    return Reading(excerpts, tuple(episodes), tuple(_notes(excerpts, apart)))


def written(reading: Reading) -> str:
    """Return a reading as plain text, for a reader or a language model; recorded words stand in it as quotations."""
    parts = [_written(excerpt) for excerpt in reading.excerpts]
    parts += [
        f"Note: e{one.low} and e{one.high} share the name {one.label!r}; "
        + (
            "they were seen apart in the same frames: two things."
            if one.apart
            else "whether they are one is unresolved."
        )
        for one in reading.notes
    ]
    parts += [f"Episode, {_time(one)}, clip {one.clip or one.scale}:\n{quoted(one.text)}" for one in reading.episodes]
    return "\n\n".join([*parts, PRECEDENCE] if reading.excerpts else parts)


def _excerpt(view: View, entity: int | None, chosen: list[Item], *, alone: bool) -> Excerpt:
    ordered = tuple(sorted(chosen, key=lambda one: (one.start_us, one.end_us, one.unit.number)))
    label = max({one.label or "" for one in ordered}, key=lambda name: sum(one.label == name for one in ordered))
    if entity is None or alone:
        name = None if entity is None else view.standing.names.get(entity)
        return Excerpt(entity, label, ordered[0].start_us, max(one.end_us for one in ordered), ordered, 0, (), name)
    members, _ = view.members(np.array([entity]))
    taken = {one.unit.number for one in ordered}
    starts, ends = view.index.observations.starts[members], view.index.observations.ends[members]
    others = sorted(
        (int(start), int(end))
        for number, start, end in zip(members.tolist(), starts, ends, strict=True)
        if number not in taken
    )
    spells, name = tuple(_spells(others)[:_MOST_SPELLS]), view.standing.names.get(entity)
    return Excerpt(entity, label, int(starts.min()), int(ends.max()), ordered, len(others), spells, name)


def _spells(spans: Sequence[tuple[int, int]]) -> list[Spell]:
    """Join spans that follow each other soon; return the stretches with the most sightings first."""
    found: list[Spell] = []
    for start, end in spans:
        if found and start - found[-1].end_us <= _SPELL_US:
            last = found.pop()
            found.append(Spell(last.start_us, max(last.end_us, end), last.count + 1))
        else:
            found.append(Spell(start, end, 1))
    return sorted(found, key=lambda spell: (-spell.count, spell.start_us))


def _notes(excerpts: Sequence[Excerpt], apart: Container[tuple[int, int]]) -> list[Note]:
    """Entities of one label, but for those that users gave different names; and those of one given name."""
    known = sorted((one.label.casefold(), one.entity, at) for at, one in enumerate(excerpts) if one.entity is not None)
    notes = []
    for (_, one, left), (_, other, right) in combinations(known, 2):
        if (shared := _shared_name(excerpts[left], excerpts[right])) is not None:
            low, high = min(one, other), max(one, other)
            notes.append(Note(shared, low, high, (low, high) in apart))
    return notes


def _shared_name(left: Excerpt, right: Excerpt) -> str | None:
    named = left.name is not None and right.name is not None
    one, other = (left.name or "", right.name or "") if named else (left.label, right.label)
    return one if one.casefold() == other.casefold() else None


def _written(excerpt: Excerpt) -> str:
    who = "Without identity" if excerpt.entity is None else f"{excerpt.label} (e{excerpt.entity})"
    who += f' called "{excerpt.name}"' if excerpt.name else ""
    lines = [f"{who}, seen {excerpt.times}"]
    lines += [f"- {_time(one)}, clip {one.clip}: {quoted(one.text)}" for one in excerpt.selected]
    if excerpt.unseen:
        first, last = min(one.start_us for one in excerpt.spells), max(one.end_us for one in excerpt.spells)
        lines.append(f"Seen {excerpt.unseen} more times, between {format_time(first)} and {format_time(last)}:")
        lines += [f"- {format_time(one.start_us)} to {format_time(one.end_us)}: {one.count}" for one in excerpt.spells]
    return "\n".join(lines)


def _time(one: Item) -> str:
    return f"{format_time(one.start_us)} to {format_time(one.end_us)}"

"""The chains of a memory as a list for reading: all of them, or those of one name, page by page. No question is asked.

Which chains a question is shown is in `chain_reading`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

from biographer.state.chains import ChainKind, Link
from biographer.state.name import name_key
from biographer.state.view import View

MOST_LINKS = 500
"""So many links a page holds at most, over all of its chains; of one chain no more can be asked for."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How many facts and steps a list is made of: the first ones, so that later ones change no page of it."""

    facts: int
    steps: int

    @classmethod
    def of(cls, view: View) -> "Reach":
        """Return how far a view reaches."""
        return cls(view.extent.told.facts, view.extent.told.steps)

    def within(self, other: "Reach") -> bool:
        """Whether another has all of this."""
        return 0 <= self.facts <= other.facts and 0 <= self.steps <= other.steps


@dataclass(frozen=True, slots=True)
class ListedChain:
    """A chain: its latest links in order of time, and how many came before them; `entity` is who goes by its title."""

    kind: ChainKind
    title: str
    entity: int | None
    links: tuple[Link, ...]
    further: int


@dataclass(frozen=True, slots=True)
class ListedChains:
    """Some chains of a list, how many that has, and the place of the first behind these; None where these end it."""

    chains: list[ListedChain]
    total: int
    next: int | None


def chains_told(
    view: View,
    name: str | None,
    bearers: Mapping[str, int],
    reach: Reach,
    *,
    first: int = 0,
    most: int,
    links: int,
) -> ListedChains:
    """Return chains from a place on: those extended last first, at most `most`, each with its last `links`.

    A name has the topic that goes by it, and the events in whose title or steps it occurs. A page ends early before
    the chain that would take it over MOST_LINKS. `bearers` has the entity of each name's key.
    """
    found = [*_of_kind(view, "topic", reach.facts, name), *_of_kind(view, "event", reach.steps, name)]
    found.sort(key=lambda one: (-one.last_us, one.kind, one.number))
    shown = found[first : first + most]
    counts = accumulate(min(links, len(one.records)) for one in shown)
    shown = shown[: max(1, sum(count <= MOST_LINKS for count in counts))]
    behind = first + len(shown)
    more = behind if shown and behind < len(found) else None
    return ListedChains([_listed(one, bearers, links) for one in shown], len(found), more)


@dataclass(frozen=True, slots=True)
class _Found:
    kind: ChainKind
    number: int
    title: str
    records: tuple[Link, ...]
    last_us: int


def _of_kind(view: View, kind: ChainKind, count: int, name: str | None) -> Iterator[_Found]:
    chains = view.index.told.chains
    titles, rows = chains.titles(kind), chains.links(kind)
    for number, members in rows.parted(count, view.as_of_us):
        records = tuple(rows.records[n] for n in members.tolist())
        if name is None or _is_of(kind, titles[number], records, name):
            yield _Found(kind, number, titles[number], records, max(one.end_us for one in records))


def _is_of(kind: ChainKind, title: str, records: tuple[Link, ...], name: str) -> bool:
    key = name_key(name)
    if kind == "topic":
        return name_key(title) == key
    word = re.compile(rf"(?<!\w){re.escape(key)}(?!\w)")
    return bool(key) and any(word.search(text.casefold()) for text in (title, *(one.text for one in records)))


def _listed(one: _Found, bearers: Mapping[str, int], links: int) -> ListedChain:
    ordered = sorted(one.records, key=lambda link: (link.start_us, link.end_us))
    entity = bearers.get(name_key(one.title)) if one.kind == "topic" else None
    return ListedChain(one.kind, one.title, entity, tuple(ordered[-links:]), max(0, len(ordered) - links))

"""The chains of a memory as a list for reading: all of them, or those of one name. As of a view; no question is asked.

Which chains a question is shown is in `chain_reading`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from biographer.state.chains import Link, Links
from biographer.state.name import name_key
from biographer.state.view import View

Kind = Literal["topic", "event"]


@dataclass(frozen=True, slots=True)
class ListedChain:
    """A chain: its latest links in order of time, and how many came before them; `entity` is who goes by its title."""

    kind: Kind
    title: str
    entity: int | None
    links: tuple[Link, ...]
    further: int


def chains_told(view: View, name: str | None = None, *, most: int, links: int) -> tuple[list[ListedChain], int]:
    """Return chains and how many there are: those extended last first, at most `most`, with the last `links` of each.

    A name has the topic that goes by it, and the events in whose title or steps it occurs.
    """
    owners = {name_key(given): entity for entity, given in sorted(view.standing.names.items(), reverse=True)}
    found = [*_of_kind(view, "topic", name), *_of_kind(view, "event", name)]
    found.sort(key=lambda one: (-one.last_us, one.kind, one.number))
    return [_listed(one, owners, links) for one in found[:most]], len(found)


@dataclass(frozen=True, slots=True)
class _Found:
    kind: Kind
    number: int
    title: str
    records: tuple[Link, ...]
    last_us: int


def _of_kind(view: View, kind: Kind, name: str | None) -> Iterator[_Found]:
    chains, extent = view.index.told.chains, view.extent.told
    topics = kind == "topic"
    titles = chains.topics if topics else chains.events
    rows = chains.facts if topics else chains.steps
    visible = _visible(view, rows, extent.facts if topics else extent.steps)
    for number, members in _parted(rows.chains[: len(visible)], visible):
        records = tuple(rows.records[n] for n in members)
        if name is None or _is_of(kind, titles[number], records, name):
            yield _Found(kind, number, titles[number], records, max(one.end_us for one in records))


def _parted(owners: NDArray[np.int32], visible: NDArray[np.bool_]) -> Iterator[tuple[int, list[int]]]:
    """Yield each chain with its links, in one pass: to look for each chain's among all took 0.8 s for a month's."""
    shown = np.flatnonzero(visible)
    shown = shown[np.argsort(owners[shown], kind="stable")]
    numbers, firsts = np.unique(owners[shown], return_index=True)
    # Nothing is split into one part, of no chain.
    for number, members in zip(numbers.tolist(), np.split(shown, firsts[1:]), strict=False):
        yield number, members.tolist()


def _visible(view: View, rows: Links, count: int) -> NDArray[np.bool_]:
    known = rows.known[:count]
    return np.ones(count, np.bool_) if view.as_of_us is None else known <= view.as_of_us


def _is_of(kind: Kind, title: str, records: tuple[Link, ...], name: str) -> bool:
    key = name_key(name)
    if kind == "topic":
        return name_key(title) == key
    word = re.compile(rf"(?<!\w){re.escape(key)}(?!\w)")
    return bool(key) and any(word.search(text.casefold()) for text in (title, *(one.text for one in records)))


def _listed(one: _Found, owners: dict[str, int], links: int) -> ListedChain:
    ordered = sorted(one.records, key=lambda link: (link.start_us, link.end_us))
    entity = owners.get(name_key(one.title)) if one.kind == "topic" else None
    return ListedChain(one.kind, one.title, entity, tuple(ordered[-links:]), max(0, len(ordered) - links))

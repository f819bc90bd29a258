"""The chains of a memory as a list for reading: all of them, or those of one name. As of a view; no question is asked.

Which chains a question is shown is in `chain_reading`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from biographer.state.chains import ChainKind, Link
from biographer.state.name import name_key
from biographer.state.view import View


@dataclass(frozen=True, slots=True)
class ListedChain:
    """A chain: its latest links in order of time, and how many came before them; `entity` is who goes by its title."""

    kind: ChainKind
    title: str
    entity: int | None
    links: tuple[Link, ...]
    further: int


def chains_told(view: View, name: str | None = None, *, most: int, links: int) -> tuple[list[ListedChain], int]:
    """Return chains and how many there are: those extended last first, at most `most`, with the last `links` of each.

    A name has the topic that goes by it, and the events in whose title or steps it occurs.
    """
    found = [*_of_kind(view, "topic", name), *_of_kind(view, "event", name)]
    found.sort(key=lambda one: (-one.last_us, one.kind, one.number))
    return [_listed(one, view.standing.bearers, links) for one in found[:most]], len(found)


@dataclass(frozen=True, slots=True)
class _Found:
    kind: ChainKind
    number: int
    title: str
    records: tuple[Link, ...]
    last_us: int


def _of_kind(view: View, kind: ChainKind, name: str | None) -> Iterator[_Found]:
    chains = view.index.told.chains
    titles, rows = chains.titles(kind), chains.links(kind)
    for number, members in rows.parted(view.extent.told.links(kind), view.as_of_us):
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

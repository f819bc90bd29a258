"""Which chains a question is shown: those that it names, then those about the like (MAGIC-Video, tiers 1 and 2).

A topic by which users call an entity is that entity's: its biography is the natural chain, and the facts extend it.
What lies close to an episode that was returned anyway is left out. All of it as of the view: later links do not count.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from biographer.state.ablation import Ablation
from biographer.state.chains import ChainKind, Link
from biographer.state.graph import NodeKind
from biographer.state.name import name_key
from biographer.state.query import Item, Query
from biographer.state.times import SECOND_US, format_time
from biographer.state.tokens import Tokens
from biographer.state.view import View
from biographer.state.wording import quoted

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ChainSettings:
    """How many chains and links are shown, how alike a link must be (cosine), and how near an episode is close."""

    chains: int = 4
    links: int = 8
    similar: float = 0.5
    close_us: int = 30 * SECOND_US


@dataclass(frozen=True, slots=True)
class Chain:
    """A chain for reading: some of its links in order of time, and how many more there are.

    `entity` is whose biography it extends. `admitted` is by name, or by likeness.
    """

    kind: ChainKind
    title: str
    entity: int | None
    admitted: Literal["name", "likeness"]
    links: tuple[Link, ...]
    further: int


@dataclass(frozen=True, slots=True)
class _Candidate:
    kind: ChainKind
    number: int
    title: str
    by_name: bool
    fit: float
    members: Numbers


def chains_for(
    view: View,
    query: Query,
    items: Sequence[Item],
    settings: ChainSettings = ChainSettings(),
    without: frozenset[Ablation] = frozenset(),
) -> tuple[Chain, ...]:
    """Return the chains to be read beside a search's items; none where nobody wrote any, or where they are left out."""
    if Ablation.CHAINS in without or not query.text.strip() or not (view.extent.told.facts or view.extent.told.steps):
        return ()
    reading = _Reading(view, query, items, settings, associated=Ablation.ASSOCIATION not in without)
    found = [*reading.candidates("topic"), *reading.candidates("event")]
    ordered = sorted(found, key=lambda one: (not one.by_name, -one.fit, one.kind == "event", one.number))
    chains = (reading.chain(one) for one in ordered)
    return tuple(chain for chain in chains if chain.links)[: settings.chains]


def chains_written(chains: Sequence[Chain]) -> str:
    """Return chains as plain text for a reader or a language model; all that was written stands in it as quotations."""
    return "\n\n".join(_written(chain) for chain in chains)


def _written(chain: Chain) -> str:
    what = "Facts about a topic" if chain.kind == "topic" else "Steps of an event"
    whose = "" if chain.entity is None else f", of e{chain.entity}"
    rows = [f"{what}{whose}, in order of time:", quoted(chain.title)]
    for link in chain.links:
        rows += [f"- {format_time(link.start_us)} to {format_time(link.end_us)}:", quoted(link.text)]
    return "\n".join([*rows, f"({chain.further} more)"] if chain.further else rows)


class _Reading:
    """One question's look at the chains of a view."""

    def __init__(
        self, view: View, query: Query, items: Sequence[Item], settings: ChainSettings, *, associated: bool
    ) -> None:
        told, extent = view.index.told, view.extent.told
        self._view, self._settings, self._chains = view, settings, told.chains
        self._tokens = Tokens()
        self._asked = set(self._tokens.asked(query.text))
        kinds: tuple[ChainKind, ...] = ("topic", "event")
        texts = {kind: self._chains.links(kind).texts[: extent.links(kind)] for kind in kinds}
        self._fits = {
            kind: np.maximum(told.texts.cosines_of(query.vector, numbers), 0.0) for kind, numbers in texts.items()
        }
        self._items = [(one.start_us, one.end_us) for one in items if one.unit.kind == NodeKind.EPISODE]
        self._bearers = view.standing.bearers if associated else {}

    def candidates(self, kind: ChainKind) -> list[_Candidate]:
        """Return the chains of a kind that are admitted: by name, or by their likest link."""
        titles, fits, found = self._chains.titles(kind), self._fits[kind], []
        for number, members in self._chains.links(kind).parted(len(fits), self._view.as_of_us):
            named = self._is_named(titles[number])
            fit = float(fits[members].max())
            if named or fit >= self._settings.similar:
                found.append(_Candidate(kind, number, titles[number], named, fit, members))
        return found

    def chain(self, one: _Candidate) -> Chain:
        """Return a chain with the links that fit best and that nothing returned is close to, in order of time."""
        links, fits = self._chains.links(one.kind), self._fits[one.kind]
        starts, ends = links.starts[: len(fits)], links.ends[: len(fits)]
        apart = [n for n in one.members.tolist() if not self._is_close(int(starts[n]), int(ends[n]))]
        best = sorted(apart, key=lambda n: (-fits[n], -int(starts[n]), n))[: self._settings.links]
        shown = sorted(best, key=lambda n: (int(starts[n]), int(ends[n]), n))
        entity = self._bearers.get(name_key(one.title)) if one.kind == "topic" else None
        admitted: Literal["name", "likeness"] = "name" if one.by_name else "likeness"
        told = tuple(links.records[n] for n in shown)
        return Chain(one.kind, one.title, entity, admitted, told, len(apart) - len(shown))

    def _is_named(self, title: str) -> bool:
        words = set(self._tokens.asked(title))
        return bool(words) and words <= self._asked

    def _is_close(self, start_us: int, end_us: int) -> bool:
        near = self._settings.close_us
        return any(start_us <= end + near and start - near <= end_us for start, end in self._items)

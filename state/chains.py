"""The narrative chains of a memory: dated facts by topic, and dated steps by event (MAGIC-Video's narrative memory).

The paper builds them once over the whole video. Here they grow by what each closing window adds, in the order in which
it was written, so that a memory that is learned again has the same. Which of them a question is shown is in
`chain_reading`.
"""

from collections.abc import Iterator
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from biographer.state.chain import EventStep, TopicFact
from biographer.state.column import Column
from biographer.state.name import name_key

ChainKind: TypeAlias = Literal["topic", "event"]

Link = TopicFact | EventStep
"""One link of a chain; it has a time, or it is none."""


class Links:
    """Links in their order, in append-only columns: the chain of each, its text by number, since when it is known."""

    def __init__(self) -> None:
        self.records: list[Link] = []
        self.chains = Column(np.int32)
        self.texts = Column(np.int32)
        self.starts, self.ends = Column(np.int64), Column(np.int64)
        self.known = Column(np.int64)

    def __len__(self) -> int:
        """Count the links that readers may take."""
        return len(self.known)

    def add(self, link: Link, chain: int, text: int) -> None:
        """Add the next link."""
        self.records.append(link)
        self.chains.append(chain)
        self.texts.append(text)
        self.starts.append(link.start_us)
        self.ends.append(link.end_us)
        # Last, for readers count these.
        self.known.append(link.known_us)

    def parted(self, count: int, as_of_us: int | None) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield each chain with its links, rising, of the first `count` that were known by a time (None: all of them).

        In one pass: to look for each chain's among all took 0.8 s for a month's.
        """
        links = np.arange(count) if as_of_us is None else np.flatnonzero(self.known[:count] <= as_of_us)
        links = links[np.argsort(self.chains[links], kind="stable")]
        numbers, firsts = np.unique(self.chains[links], return_index=True)
        # Nothing is split into one part, of no chain.
        yield from zip(numbers.tolist(), np.split(links, firsts[1:]), strict=False)


class Chains:
    """Topics and events numbered from 0 in the order in which they began; one writer, any number of readers."""

    def __init__(self) -> None:
        self.topics: list[str] = []
        """The words for each topic, as they came first."""
        self.events: list[str] = []
        """The title of each event."""
        self.facts, self.steps = Links(), Links()
        self._topics: dict[str, int] = {}
        self._begun: dict[tuple[str, int, int, str], int] = {}

    def add(self, link: Link, text: int) -> None:
        """Extend the chain that a link belongs to, or begin it; what cites no clip has no time, and is left out."""
        if not link.clips or link.end_us < link.start_us:
            return
        if isinstance(link, TopicFact):
            self.facts.add(link, self._topic(link), text)
        else:
            self.steps.add(link, self._event(link), text)

    def links(self, kind: ChainKind) -> Links:
        """Return the links of topics, or of events."""
        return self.facts if kind == "topic" else self.steps

    def titles(self, kind: ChainKind) -> list[str]:
        """Return what topics are called, or events, by number."""
        return self.topics if kind == "topic" else self.events

    def _topic(self, fact: TopicFact) -> int:
        number = self._topics.setdefault(fact.key, len(self.topics))
        if number == len(self.topics):
            self.topics.append(fact.topic)
        return number

    def _event(self, step: EventStep) -> int:
        """Return the event that a step continues; steps of one window under one title begin the same one."""
        if step.event is not None and 0 <= step.event < len(self.events):
            return step.event
        stretch = step.stretch
        key = (stretch.scale, stretch.start_us, stretch.version, name_key(step.title))
        number = self._begun.setdefault(key, len(self.events))
        if number == len(self.events):
            self.events.append(step.title)
        return number

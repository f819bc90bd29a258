"""What remarks name and state, in append-only columns of the search index, and what one reader sees of it.

A name or a fact is there for a reader as soon as something ties it that he may see. Which numbers nodes have, and what
ties them, is in `semantic_numbers`; who bears a name is the reader's own time's to say.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biographer.state.graph import EdgeKind, Node, NodeKind
from biographer.state.name import name_key
from biographer.state.remark import Remark
from biographer.state.semantic_numbers import BORNE, WRITTEN, SemanticNumbers, Tie, TieKind, ends_of
from biographer.state.ties import Numbers, Tied, Ties
from biographer.state.tokens import Tokens
from biographer.state.wordings import Worded, Wordings

Joint = tuple[Node, EdgeKind, int | None]
"""A neighbour, what the edge to it says, and since when it is known; None: with what its ends are called."""


@dataclass(frozen=True, slots=True)
class SemanticsExtent:
    """How far names, facts, ties (in the order of `WRITTEN`) and wordings reach at one version."""

    names: int = 0
    facts: int = 0
    ties: tuple[int, ...] = (0,) * len(WRITTEN)
    wordings: int = 0


class Semantics:
    """One stream's names and facts; one writer, any number of readers."""

    def __init__(self) -> None:
        self.numbers = SemanticNumbers()
        self.keys: list[str] = []
        """What each name is known by."""
        self.stated: list[str] = []
        """And each fact."""
        self.ties: Mapping[TieKind, Ties] = {kind: Ties() for kind in WRITTEN}
        self.wordings = Wordings()
        self._words: list[int] = []
        """Of how many words each name is."""
        self._named: dict[str, list[int]] = {}
        self._tokens = Tokens()

    def grow(self, remark: Remark, known_us: int, clips: Mapping[str, int]) -> None:
        """Add what a remark names and states; `clips` are numbers by name."""
        for one in self.numbers.wordings(remark):
            self.wordings.add(one, known_us)
            if one.kind == NodeKind.NAME and one.number == len(self.keys):
                self._add_name(name_key(one.text))
            elif one.kind == NodeKind.FACT and one.number == len(self.stated):
                self.stated.append(" ".join(next(reversed(self.numbers.facts))))
        for tie in self.numbers.ties(remark, clips):
            self.ties[tie.kind].add(tie.left, tie.right, known_us)

    def called(self, terms: Iterable[str], count: int) -> dict[int, int]:
        """Return the names, of the first `count`, all of whose terms are among these, and how many that are."""
        asked = set(terms)
        met = Counter(name for term in asked for name in list(self._named.get(term, ())) if name < count)
        return {name: words for name, words in met.items() if words == self._words[name]}

    def extent(self) -> SemanticsExtent:
        """Return how far all of it reaches."""
        ties = tuple(len(self.ties[kind]) for kind in WRITTEN)
        return SemanticsExtent(len(self.numbers.names), len(self.numbers.facts), ties, len(self.wordings))

    def _add_name(self, key: str) -> None:
        terms = set(self._tokens.asked(key))
        self.keys.append(key)
        self._words.append(len(terms))
        for term in terms:
            self._named.setdefault(term, []).append(len(self.keys) - 1)


class SeenSemantics:
    """Names and facts within an extent that were known by a time (None: all of them)."""

    def __init__(
        self, semantics: Semantics, extent: SemanticsExtent, as_of_us: int | None, names: Mapping[int, str]
    ) -> None:
        """Look at what is there; `names` are what entities are called, as of the same time."""
        self.extent = extent
        self._semantics, self._as_of_us, self._names = semantics, as_of_us, names

    @cached_property
    def borne(self) -> Collection[Tie]:
        """Who bears which name, of the names that are there to be seen."""
        borne, names, wordings = self._semantics.numbers.borne(self._names), self.extent.names, self.extent.wordings
        spoken = self._semantics.wordings.spoken_of(NodeKind.NAME, names, wordings, self._as_of_us)
        return [tie for tie in borne if tie.left < names and spoken[tie.left]]

    def tied(self, counts: Mapping[NodeKind, int]) -> dict[TieKind, Tied]:
        """Return all ties; `counts` tells of other kinds of nodes how many there are to see."""
        return {kind: Tied.of(*self._ends(kind), *self._counts(kind, counts)) for kind in (*WRITTEN, BORNE)}

    def called(self, terms: Iterable[str]) -> dict[int, int]:
        """Return the names all of whose words are among these terms, and how many that are."""
        return self._semantics.called(terms, self.extent.names)

    def key(self, node: Node) -> str:
        """Return what a name or fact is known by, however it is numbered."""
        keys = self._semantics.keys if node.kind == NodeKind.NAME else self._semantics.stated
        return keys[node.number]

    def holds(self, node: Node) -> bool:
        """Whether a name or fact is there to be seen."""
        return self.worded(node) is not None

    def worded(self, node: Node) -> Worded | None:
        """Return how a name or fact is worded, None where it is not there."""
        return self._semantics.wordings.of(node, self.extent.wordings, self._as_of_us)

    def beside(self, node: Node) -> list[Joint]:
        """Return what words tie a node of any kind to."""
        found: list[Joint] = []
        for kind, count in zip(WRITTEN, self.extent.ties, strict=True):
            for ours, theirs, left in ((kind.left, kind.right, True), (kind.right, kind.left, False)):
                if ours == node.kind:
                    ties = self._semantics.ties[kind].beside(node.number, count, self._as_of_us, left=left)
                    found += [(Node(theirs, other), kind.edge, known_us) for other, known_us in ties.items()]
        for ends in map(ends_of, self.borne):
            if node in ends:
                found.append((ends[1] if node == ends[0] else ends[0], BORNE.edge, None))
        return found

    def _ends(self, kind: TieKind) -> tuple[Numbers, Numbers]:
        if kind == BORNE:
            ends = np.array([tie[1:] for tie in self.borne], np.int64).reshape(-1, 2)
            return ends[:, 0], ends[:, 1]
        return self._semantics.ties[kind].seen(self.extent.ties[WRITTEN.index(kind)], self._as_of_us)

    def _counts(self, kind: TieKind, counts: Mapping[NodeKind, int]) -> tuple[int, int]:
        own = {NodeKind.NAME: self.extent.names, NodeKind.FACT: self.extent.facts, **counts}
        return own[kind.left], own[kind.right]

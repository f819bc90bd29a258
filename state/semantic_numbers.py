"""Names and facts as nodes: what each remark names and states, by numbers, and to which other nodes that ties them.

MAGIC-Video's entity and semantic nodes. Both are consolidated by their keys alone: a name however it is written, a fact
however often it is told. Numbers count up in the order in which remarks were added, and are never re-used. What a
reader sees of it is in `semantics`; the graph that grows by it in `semantic_graph`.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from biographer.state.cast import Casting
from biographer.state.graph import EdgeKind, Node, NodeKind
from biographer.state.name import Mention, name_key
from biographer.state.relation import Party, Relation
from biographer.state.remark import Remark
from biographer.state.triple import Triple


class TieKind(NamedTuple):
    """Between which kinds of nodes, and what it says."""

    left: NodeKind
    right: NodeKind
    edge: EdgeKind


MENTIONED = TieKind(NodeKind.NAME, NodeKind.EPISODE, EdgeKind.MENTIONED_IN)
STATED = TieKind(NodeKind.FACT, NodeKind.EPISODE, EdgeKind.MENTIONED_IN)
PROPERTY = TieKind(NodeKind.FACT, NodeKind.NAME, EdgeKind.HAS_PROPERTY)
APPEARED = TieKind(NodeKind.NAME, NodeKind.CLIP, EdgeKind.APPEARED_IN)
"""Who bears the name was pointed at there: as a party of a relation, or cast."""
BORNE = TieKind(NodeKind.NAME, NodeKind.ENTITY, EdgeKind.APPEARED_IN)
"""The entity is called so; by users' words or by castings, and so as a reader's time has them: never in a column."""

SEMANTIC_EDGES = (EdgeKind.MENTIONED_IN, EdgeKind.APPEARED_IN, EdgeKind.HAS_PROPERTY)

WRITTEN = (MENTIONED, STATED, PROPERTY, APPEARED)
"""What remarks tie, each since it is known."""


class Tie(NamedTuple):
    """One pair of nodes, by number."""

    kind: TieKind
    left: int
    right: int


def ends_of(tie: Tie) -> tuple[Node, Node]:
    """Return the nodes that are tied."""
    return Node(tie.kind.left, tie.left), Node(tie.kind.right, tie.right)


class Wording(NamedTuple):
    """How a remark words a node, and the event time (microseconds) from which on it speaks of it."""

    kind: NodeKind
    number: int
    text: str
    start_us: int


TELLING = "kind IN ('mention', 'triple', 'relation', 'casting')"
"""Which remarks name or state something, for who reads them from the store."""


class SemanticNumbers:
    """The numbers of all names and facts so far."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.facts: dict[tuple[str, str, str], int] = {}

    def counts(self) -> dict[NodeKind, int]:
        """Count the nodes by kind."""
        return {NodeKind.NAME: len(self.names), NodeKind.FACT: len(self.facts)}

    def wordings(self, remark: Remark) -> Iterator[Wording]:
        """Yield the nodes that a remark words, numbering those that are new."""
        match remark:
            case Mention():
                yield self._worded(remark.name, remark.start_us)
            case Triple():
                yield Wording(NodeKind.FACT, self.fact(remark), remark.text, remark.start_us)
                yield self._worded(remark.subject, remark.start_us)
                yield self._worded(remark.object, remark.start_us)
            case Relation():
                yield self._worded(remark.source.name, remark.start_us)
                yield self._worded(remark.target.name, remark.start_us)
            case Casting() if remark.name is not None:
                yield self._worded(remark.name, remark.stretch.start_us)

    def ties(self, remark: Remark, clips: Mapping[str, int]) -> Iterator[Tie]:
        """Yield what a remark ties, numbering the nodes that are new; `clips` are numbers by name."""
        match remark:
            case Mention():
                name = self.name(remark.name)
                yield from (Tie(MENTIONED, name, clips[clip]) for clip in remark.clips)
            case Triple():
                subject, _, thing = key = remark.key
                fact = self.facts.setdefault(key, len(self.facts))
                yield from (Tie(STATED, fact, clips[clip]) for clip in remark.clips)
                yield Tie(PROPERTY, fact, self.names.setdefault(subject, len(self.names)))
                yield Tie(PROPERTY, fact, self.names.setdefault(thing, len(self.names)))
            case Relation():
                for party in (remark.source, remark.target):
                    yield from self._party(party, clips[remark.clip])
            case Casting() if remark.name is not None:
                yield Tie(APPEARED, self.name(remark.name), clips[remark.clip])

    def name(self, name: str) -> int:
        """Return the number of a name, a new one where it is new."""
        return self.names.setdefault(name_key(name), len(self.names))

    def fact(self, triple: Triple) -> int:
        """Return the number of the fact that a triple tells, a new one where it is new."""
        return self.facts.setdefault(triple.key, len(self.facts))

    def borne(self, names: Mapping[int, str]) -> Iterator[Tie]:
        """Yield what entities are tied to by what they are called; a name that is no node ties nothing."""
        for entity, name in sorted(names.items()):
            if (number := self.names.get(name_key(name))) is not None:
                yield Tie(BORNE, number, entity)

    def _worded(self, name: str, start_us: int) -> Wording:
        return Wording(NodeKind.NAME, self.name(name), name, start_us)

    def _party(self, party: Party, clip: int) -> Iterator[Tie]:
        name = self.name(party.name)
        yield Tie(MENTIONED, name, clip)
        if party.track is not None:
            yield Tie(APPEARED, name, clip)

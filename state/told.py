"""What the search index learns of remarks: which texts are documents of which unit, with vectors, authors and times.

Derived from the records like the index itself; read after a start before anybody asks.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biographer.state.amendment import FiledPiece, FiledRemark
from biographer.state.authorship import Authorship
from biographer.state.caption import Caption
from biographer.state.cast import Casting
from biographer.state.castings import Castings
from biographer.state.chain import EventStep, TopicFact
from biographer.state.chains import ChainKind, Chains
from biographer.state.column import Column
from biographer.state.description import Description
from biographer.state.documents import NO_AUTHOR, Documents
from biographer.state.graph import NodeKind
from biographer.state.heard import Heard
from biographer.state.postings import Posted
from biographer.state.relation import Relation
from biographer.state.relations import Relations, Sighting
from biographer.state.remark import Remark
from biographer.state.semantics import Semantics, SemanticsExtent
from biographer.state.texts import Texts, Vectors
from biographer.state.triple import Triple
from biographer.state.visible import Visible

_NEVER_US = 2**62

_DOCUMENTED = (NodeKind.EPISODE, NodeKind.OBSERVATION, NodeKind.WINDOW, NodeKind.FACT)
"""What texts are written of; those of facts seed the walk, and are never shown by themselves."""

WindowNumber = Callable[[str, int], int | None]
"""From a scale and a start to the window's number, None where there is no such window."""


@dataclass(frozen=True, slots=True)
class ToldExtent:
    """How far documents of each kind, texts, relations, chains, castings and semantics reach at one version."""

    episodes: int = 0
    observations: int = 0
    windows: int = 0
    texts: int = 0
    vectors: int = 0
    relations: int = 0
    facts: int = 0
    steps: int = 0
    castings: int = 0
    heard: int = 0
    triples: int = 0
    semantics: SemanticsExtent = SemanticsExtent()  # noqa: RUF009 - immutable

    def of(self, kind: NodeKind) -> int:
        """Return how many documents there are of units of a kind."""
        counts = {NodeKind.EPISODE: self.episodes, NodeKind.OBSERVATION: self.observations}
        return (counts | {NodeKind.WINDOW: self.windows, NodeKind.FACT: self.triples})[kind]

    def links(self, kind: ChainKind) -> int:
        """Return how many links chains of a kind have."""
        return self.facts if kind == "topic" else self.steps


class Told:
    """Documents by kind of unit; `last_piece` is the number of the piece that was learned last."""

    def __init__(self) -> None:
        self.texts = Texts()
        self.authors: list[Authorship] = []
        self.documents = {kind: Documents() for kind in _DOCUMENTED}
        self.relations, self.chains, self.castings = Relations(), Chains(), Castings()
        self._heard: dict[int, tuple[int, Heard]] = {}
        """By clip, what was heard in it, numbered in the order in which that came."""
        self.semantics = Semantics()
        self.last_piece = -1
        self._numbers: dict[Authorship, int] = {}
        self._clips: dict[str, int] = {}

    def grow(self, piece: FiledPiece, window: WindowNumber, sighting: Sighting, names: Sequence[str]) -> None:
        """Learn one piece, the next in number; `names` are those of the clips so far, by number."""
        self.texts.learn(self._unknown(piece.vectors))
        for number in range(len(self._clips), len(names)):
            self._clips[names[number]] = number
        for one in piece.remarks:
            self.semantics.grow(one.remark, piece.known_us, self._clips)
            for kind, unit, text, author in self._documents(one, piece.clip, window):
                shown = NO_AUTHOR if author is None else self._author(author)
                since = (piece.known_us, piece.piece.version)
                self.documents[kind].add(unit, self.texts.number(text), text, shown, *since)
            self._keep(one, piece, sighting)
        self.last_piece = piece.number

    def refill(self, terms: Sequence[Mapping[str, Posted]]) -> None:
        """Take the terms of the first pieces, by kind, before these pieces are learned again.

        Raises ValueError or IndexError where they do not fit together.
        """
        for kind, documents in self.documents.items():
            parts = [one[kind] for one in terms if kind in one]
            if parts:
                documents.postings.refill(parts)

    def taken(self) -> dict[str, Posted]:
        """Return the terms, by kind, of what was added since this was last asked."""
        return {kind.value: documents.postings.taken() for kind, documents in self.documents.items()}

    @property
    def is_whole(self) -> bool:
        """Whether every document has its own terms."""
        return all(documents.is_whole for documents in self.documents.values())

    def extent(self) -> ToldExtent:
        """Return how far all of it reaches."""
        episodes, observations, windows, triples = (len(one) for one in self.documents.values())
        chains = (len(self.chains.facts), len(self.chains.steps), len(self.castings), len(self._heard))
        reach = (len(self.texts), len(self.texts.codes), len(self.relations), *chains)
        return ToldExtent(episodes, observations, windows, *reach, triples, self.semantics.extent())

    def visible(self, extent: ToldExtent, as_of_us: int | None) -> dict[NodeKind, Visible]:
        """Return, by kind, the documents within an extent that were known by a time (None: all of them)."""
        return {kind: one.visible(extent.of(kind), as_of_us) for kind, one in self.documents.items()}

    def heard(self, extent: ToldExtent, as_of_us: int | None, clip: int) -> str:
        """Return what was heard in a clip, as far as that was known by a time; "" where nothing was."""
        number, heard = self._heard.get(clip, (extent.heard, None))
        if heard is None or number >= extent.heard or (as_of_us is not None and heard.known_us > as_of_us):
            return ""
        return heard.text

    def known_since(self, extent: ToldExtent) -> int:
        """Return since when the first of what came behind an extent is known; far away where nothing did."""
        return min(int(known[count:].min(initial=_NEVER_US)) for known, count in self._known(extent))

    def all_known_us(self, extent: ToldExtent) -> int:
        """Return since when all that is within an extent is known; 0 where nothing is."""
        return max(int(known[:count].max(initial=0)) for known, count in self._known(extent))

    def _known(self, extent: ToldExtent) -> Iterator[tuple[Column[np.int64], int]]:
        """Yield since when all that was learned is known, and how far an extent reaches; all else is documents."""
        for kind, documents in self.documents.items():
            yield documents.known, extent.of(kind)
        yield self.chains.facts.known, extent.facts
        yield self.chains.steps.known, extent.steps
        yield self.castings.known, extent.castings
        yield self.semantics.wordings.known, extent.semantics.wordings

    def _keep(self, one: FiledRemark, piece: FiledPiece, sighting: Sighting) -> None:
        """Add what a remark is besides documents, names and facts."""
        match one.remark:
            case TopicFact() | EventStep() as link:
                self.chains.add(link, self.texts.number(link.text))
            case Casting(name=str(name)):
                self.castings.add(one.observation, name, piece.known_us)
            case Heard() as heard:
                self._heard[piece.clip] = len(self._heard), heard
            case Relation() as relation:
                # Its document was the last to come.
                self.relations.add(relation, piece.clip, len(self.documents[NodeKind.EPISODE]) - 1, sighting)

    def _documents(
        self, one: FiledRemark, clip: int, window: WindowNumber
    ) -> Iterator[tuple[NodeKind, int, str, Authorship | None]]:
        """Yield (kind, unit, text, author) of what a remark says of units; no author where it is only searched."""
        remark = one.remark
        match remark:
            case Description():
                yield NodeKind.OBSERVATION, one.observation, remark.text, remark.author
            case Caption() if remark.stretch.is_local:
                yield NodeKind.EPISODE, clip, remark.text, remark.author
            case Caption():
                number = window(remark.stretch.scale, remark.stretch.start_us)
                if number is not None:
                    yield NodeKind.WINDOW, number, remark.text, remark.author
            case Heard():
                yield from ((NodeKind.EPISODE, clip, text, None) for text in remark.texts)
            case Relation():
                yield NodeKind.EPISODE, clip, remark.text, None
            case Triple():
                for name in remark.clips:
                    yield NodeKind.EPISODE, self._clips[name], remark.text, None
                yield NodeKind.FACT, self.semantics.numbers.fact(remark), remark.text, None

    def _unknown(self, vectors: Vectors) -> Vectors:
        """Return the vectors of texts that have none yet, of the embedder that compares with the others."""
        if self.texts.embedder not in (None, vectors.embedder):
            return Vectors()
        fresh = [row for row, text in enumerate(vectors.texts) if not self.texts.has_vector(text)]
        texts = tuple(vectors.texts[row] for row in fresh)
        return Vectors(vectors.embedder, texts, vectors.codes[fresh], vectors.scales[fresh])

    def _author(self, author: Authorship) -> int:
        number = self._numbers.setdefault(author, len(self.authors))
        if number == len(self.authors):
            self.authors.append(author)
        return number


def texts_of(remark: Remark) -> tuple[str, ...]:
    """Return the texts of a remark that are searched and want a vector."""
    if isinstance(remark, Heard):
        return remark.texts
    searched = Description | Caption | Relation | Triple | TopicFact | EventStep
    return (remark.text,) if isinstance(remark, searched) else ()

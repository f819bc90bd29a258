"""Further documents of units: texts that were written about episodes, observations and windows after they were applied.

Append-only columns beside the index's own, so that each reader takes of them what was known at its time. Which
remarks make documents, and of what, is in `told`.
"""

import numpy as np
from numpy.typing import NDArray

from biographer.state.column import Column
from biographer.state.postings import Postings
from biographer.state.tokens import Tokens
from biographer.state.visible import Visible

NO_AUTHOR = -1


class Documents:
    """Documents of units of one kind, numbered from 0 in order of `add`; one writer, any number of readers."""

    def __init__(self) -> None:
        self.postings = Postings()
        self.units = Column(np.int64)
        self.texts = Column(np.int32)
        self.authors = Column(np.int32)
        """Whose text is to be shown as the unit's; NO_AUTHOR for one that is only searched."""
        self.versions = Column(np.int32)
        """Of the piece of each: of several that are known since the same time, the latest is of the highest."""
        self.known = Column(np.int64)
        self._tokens = Tokens()

    def __len__(self) -> int:
        """Count the documents that readers may take."""
        return len(self.known)

    def visible(self, count: int, as_of_us: int | None) -> Visible:
        """Return which of the first `count` were known by a time (None: all of them)."""
        return Visible(count) if as_of_us is None else Visible(count, self.known[:count] <= as_of_us)

    def units_of(self, visible: Visible) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the units of documents, each once and rising, and the place among them of each document's."""
        units, places = np.unique(self.units[: visible.count][visible.numbers()], return_inverse=True)
        return units, places

    @property
    def is_whole(self) -> bool:
        """Whether all documents whose terms are here are; not so only while they are filled in again."""
        return len(self.postings) == len(self.units)

    def add(self, unit: int, number: int, words: str, author: int, known_us: int, version: int) -> None:
        """Add a text, by its number and words, as a document of a unit; its terms may be there already."""
        if self.is_whole:
            terms = self._tokens.terms(words)
            self.postings.add(terms, self._tokens.length(terms))
        self.units.append(unit)
        self.texts.append(number)
        self.authors.append(author)
        self.versions.append(version)
        # Last, for readers count these.
        self.known.append(known_us)

"""What is shown of a unit in place of its own words: the newest text that was written about it, and by whom."""

from dataclasses import dataclass

import numpy as np

from biographer.state.authorship import Authorship
from biographer.state.documents import NO_AUTHOR
from biographer.state.graph import NodeKind
from biographer.state.view import View


@dataclass(frozen=True, slots=True)
class Shown:
    """A text and its author; known since `known_us`."""

    text: str
    author: Authorship
    known_us: int


def shown(view: View, kind: NodeKind, number: int) -> Shown | None:
    """Return the newest text that the view shows of a unit, None where nobody wrote one; windows go by their number."""
    documents, visible = view.index.told.documents[kind], view.told[kind]
    # A unit has few documents of a week's many: all else is asked of these alone.
    rows = np.flatnonzero(documents.units[: visible.count] == number)
    rows = rows[documents.authors[rows] != NO_AUTHOR]
    rows = rows if visible.mask is None else rows[visible.mask[rows]]
    if not len(rows):
        return None
    newest = int(rows[np.lexsort((rows, documents.versions[rows], documents.known[rows]))[-1]])
    told = view.index.told
    text = told.texts.strings[int(documents.texts[newest])]
    return Shown(text, told.authors[int(documents.authors[newest])], int(documents.known[newest]))

"""Names and facts as a cut shows them: read from the remarks, as the search index learned them."""

from biographer.state.cut import Cut
from biographer.state.remark import remark_of
from biographer.state.semantic_numbers import TELLING
from biographer.state.semantics import SeenSemantics, Semantics

_REMARKS = f"""
SELECT r.kind, r.body, r.known_us FROM remark r JOIN piece p ON p.number = r.piece
WHERE r.{TELLING} AND p.made <= :v ORDER BY r.piece, r.n
"""  # noqa: S608 - our own

_CLIPS = "SELECT name, number FROM clip"


def semantics_of(cut: Cut) -> SeenSemantics:
    """Return what a view of the cut would show; reads all that was named and stated, and so wants to be kept."""
    semantics, rows = Semantics(), cut.rows(_REMARKS)
    clips = dict(cut.rows(_CLIPS)) if rows else {}
    # Those known later too, for numbers count over all.
    for kind, body, known_us in rows:
        semantics.grow(remark_of(kind, body), known_us, clips)
    return SeenSemantics(semantics, semantics.extent(), cut.snapshot.as_of_us, cut.standing.names)

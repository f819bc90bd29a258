"""How well the names that users gave fit a query: whoever is asked for by name is found, however it is labelled."""

import numpy as np

from biographer.state.said import Said
from biographer.state.tokens import Tokens
from biographer.state.view import View


def named(view: View, terms: list[str]) -> Said | None:
    """Return the observations of entities all words of whose names are among a query's terms; None where none is.

    A name covers as much of the query as it has words of it; it is known since it was given. Of both only the words
    count that say what is looked for: a query for "my arms" has lost its "my".
    """
    names, asked = view.standing.names, set(terms)
    if not names:
        return None
    tokens = Tokens()
    parts = {entity: set(tokens.asked(name)) for entity, name in names.items()}
    called = np.array(sorted(entity for entity, words in parts.items() if words and words <= asked), np.int64)
    members, places = view.members(called)
    if not len(members):
        return None
    shares = np.array([len(parts[entity]) / len(asked) for entity in called.tolist()])
    order = np.argsort(members)
    coverage = shares[places[order]]
    return Said(members[order].astype(np.int64), coverage, np.zeros(len(coverage)))


def both(left: Said | None, right: Said | None) -> Said | None:
    """Return what either says of a unit, the best of each."""
    if left is None or right is None:
        return left or right
    units = np.union1d(left.units, right.units)
    coverage, cosine = np.zeros(len(units)), np.zeros(len(units))
    for one in (left, right):
        at = np.searchsorted(units, one.units)
        coverage[at], cosine[at] = np.maximum(coverage[at], one.coverage), np.maximum(cosine[at], one.cosine)
    return Said(units, coverage, cosine)

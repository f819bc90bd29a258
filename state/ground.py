"""The graph that a walk goes over: what records imply and words tie, without the edges that an experiment leaves out.

Records are a matter of `weights`, words of `semantics`; where nobody wrote anything this is the records' graph itself.
"""

from collections.abc import Mapping

import numpy as np

from biographer.state.ablation import EDGES, IDENTITY, Ablation
from biographer.state.graph import NodeKind
from biographer.state.semantic_numbers import BORNE, TieKind
from biographer.state.ties import Tied
from biographer.state.view import View
from biographer.state.weights import Weights


def ground(view: View, without: frozenset[Ablation] = frozenset()) -> Weights:
    """Return degrees and edges as a view shows them; found once for each view and set of edges."""
    parts = without & EDGES
    if parts not in view.grounds:
        weights = _of_records(view, parts)
        ties = _tied(view, weights) if view.semantics.extent.names or view.semantics.extent.facts else {}
        view.grounds[parts] = weights.tied(ties) if any(map(len, ties.values())) else weights
    return view.grounds[parts]


def _of_records(view: View, parts: frozenset[Ablation]) -> Weights:
    if not parts:
        return view.weights
    # An entity that nothing was seen of is no node.
    sightings = np.zeros_like(view.sightings) if parts & IDENTITY else view.sightings
    return view.weighed(sightings, 0.0 if Ablation.TIMELINE in parts else 1.0)


def _tied(view: View, weights: Weights) -> Mapping[TieKind, Tied]:
    counts = {NodeKind.EPISODE: view.clips.count, NodeKind.CLIP: view.clips.count}
    ties = view.semantics.tied(counts | {NodeKind.ENTITY: view.extent.entities})
    # An entity that is no node bears no name either.
    nodes = weights.degrees.entities > 0
    return ties | {BORNE: ties[BORNE].among(nodes)}

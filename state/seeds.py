"""Seeds: where a query meets the memory, by text, by words and by looks, mixed into one reset vector (MAGIC-Video).

Observation and episode texts are indexed together (GEB section 3.4): a channel's few best are taken over all kinds.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from biographer.state.eligible import Eligible
from biographer.state.graph import Node, NodeKind
from biographer.state.ground import ground
from biographer.state.nodes import Nodes
from biographer.state.query import Unit
from biographer.state.relevance import Relevance
from biographer.state.said import Said
from biographer.state.search_settings import SearchSettings
from biographer.state.view import View

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Seed:
    """A unit (windows by place in the view), the channel that found it, and how well it fits, 0..1."""

    unit: Unit
    channel: str
    fit: float


def seeds(view: View, relevance: Relevance, eligible: Eligible, settings: SearchSettings) -> list[Seed]:
    """Return the best few of each channel; none where nothing fits at all."""
    episodes, phrases, windows = relevance.episodes, relevance.phrases, relevance.windows
    said = relevance.said
    text = _channel(view, eligible, "text", settings.seeds, episodes.cosine, phrases.cosine, windows.cosine)
    shares = [fit.lexical / max(1e-9, _most(fit.lexical)) for fit in (episodes, phrases, windows)]
    lexical = _channel(view, eligible, "lexical", settings.seeds, *shares)
    if said is not None:
        text = _joined(text, "text", said, said.cosine, eligible, settings.seeds)
        share = said.coverage / max(1e-9, _most(said.coverage), _most(phrases.coverage))
        lexical = _joined(lexical, "lexical", said, share, eligible, settings.seeds)
    if relevance.facts is not None:
        text = _with_facts(view, text, relevance.facts, "text", settings.seeds)
        lexical = _with_facts(view, lexical, relevance.facts, "lexical", settings.seeds)
    return text + lexical + _looks(relevance.looks, eligible, settings.seeds) + _names(view, relevance, settings.seeds)


def reset_vector(view: View, found: list[Seed], settings: SearchSettings) -> Nodes:
    """Return the seeds' shares of the walk's restart, summing to 1."""
    reset = ground(view, settings.without).degrees.zeros()
    share = {
        "text": settings.seed_text,
        "lexical": settings.seed_lexical,
        "visual": settings.seed_visual,
        "names": settings.seed_names,
    }
    arrays = {
        NodeKind.EPISODE: reset.episodes,
        NodeKind.OBSERVATION: reset.observations,
        NodeKind.WINDOW: reset.windows,
        NodeKind.NAME: reset.names,
        NodeKind.FACT: reset.facts,
    }
    total = sum(share[seed.channel] * seed.fit for seed in found) or 1.0
    for seed in found:
        arrays[seed.unit.kind][seed.unit.number] += share[seed.channel] * seed.fit / total
    return reset


def _channel(
    view: View, eligible: Eligible, name: str, most: int, episodes: Floats, phrases: Floats, windows: Floats
) -> list[Seed]:
    found = [Seed(Unit(NodeKind.EPISODE, n), name, fit) for n, fit in top(episodes, eligible.episodes, most)]
    found += [Seed(Unit(NodeKind.WINDOW, n), name, fit) for n, fit in top(windows, eligible.windows, most)]
    for phrase, fit in top(phrases, np.ones(len(phrases), np.bool_), most):
        if (newest := _newest(view, eligible, phrase)) is not None:
            found.append(Seed(Unit(NodeKind.OBSERVATION, newest), name, fit))
    return sorted(found, key=lambda seed: -seed.fit)[:most]


def _joined(found: list[Seed], name: str, said: Said, fits: Floats, eligible: Eligible, most: int) -> list[Seed]:
    """Return a channel's best with those of what was written about observations; of one unit the better seed."""
    allowed = eligible.observations[said.units]
    numbers = [(int(said.units[place]), fit) for place, fit in top(fits, allowed, most)]
    more = [Seed(Unit(NodeKind.OBSERVATION, number), name, fit) for number, fit in numbers]
    better: dict[Unit, Seed] = {}
    for seed in sorted([*found, *more], key=lambda seed: -seed.fit):
        better.setdefault(seed.unit, seed)
    return list(better.values())[:most]


def _with_facts(view: View, found: list[Seed], facts: Said, name: str, most: int) -> list[Seed]:
    """Return a channel's best with facts among them (MAGIC-Video); of several that fit alike the first by its words."""
    fits = facts.cosine if name == "text" else facts.coverage
    # No better than what was found already is not among the best.
    places = np.flatnonzero(fits > (found[-1].fit if len(found) == most else 0.0))
    if len(places) > 4 * most:
        least = np.partition(fits[places], -most)[-most]
        places = places[fits[places] >= least]
    nodes = [(Node(NodeKind.FACT, int(facts.units[place])), float(fits[place])) for place in places]
    return sorted([*found, *_first(view, nodes, name, most)], key=lambda seed: -seed.fit)[:most]


def _names(view: View, relevance: Relevance, most: int) -> list[Seed]:
    """Return the names that the question holds whole, those of most words first."""
    nodes = [(Node(NodeKind.NAME, number), share) for number, share in relevance.names.items()]
    return _first(view, [one for one in nodes if view.semantics.holds(one[0])], "names", most)


def _first(view: View, fits: list[tuple[Node, float]], name: str, most: int) -> list[Seed]:
    """Return the best; numbers follow the order in which models answered, and so decide nothing."""
    ordered = sorted(fits, key=lambda one: (-one[1], view.semantics.key(one[0])))
    return [Seed(Unit(node.kind, node.number), name, fit) for node, fit in ordered[:most]]


def _newest(view: View, eligible: Eligible, phrase: int) -> int | None:
    """Return the newest of the observations that are described alike: it stands for all, and leads to the others."""
    newest = int(view.newest_of_phrase[phrase])
    if newest < 0:
        return None
    if eligible.observations[newest]:
        return newest
    alike = np.flatnonzero((view.phrase_of == phrase) & eligible.observations)
    return int(alike[-1]) if len(alike) else None


def _looks(looks: Floats | None, eligible: Eligible, most: int) -> list[Seed]:
    if looks is None:
        return []
    return [Seed(Unit(NodeKind.OBSERVATION, n), "visual", fit) for n, fit in top(looks, eligible.observations, most)]


def _most(values: Floats) -> float:
    return float(values.max(initial=0.0))


def top(values: Floats, allowed: NDArray[np.bool_], most: int) -> list[tuple[int, float]]:
    """Return (number, value) of the greatest positive values that are allowed, greatest first, ties by number."""
    chosen = np.where(allowed, values, 0.0)
    numbers = np.flatnonzero(chosen > 0)
    if len(numbers) > 4 * most:
        least = np.partition(chosen[numbers], -most)[-most]
        numbers = numbers[chosen[numbers] >= least]
    order = np.lexsort((numbers, -chosen[numbers]))[:most]
    return [(int(numbers[at]), float(chosen[numbers[at]])) for at in order]

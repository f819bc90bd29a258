"""The reference solver against one that shares nothing with it, and the walk against the reference.

Qiskit/rustworkx#1575: PageRank that stops at the start vector on large sparse graphs.
"""

import numpy as np
import pytest
from recordings import WORDS, remembered, told
from remarks import amend, named, related

from biographer.bench.exact import Edges, Exact, edges, flat, overlap
from biographer.state.ground import ground
from biographer.state.push import walk
from biographer.state.ruling import Act, Ruled, Ruling
from biographer.state.view import View

igraph = pytest.importorskip("igraph")


@pytest.mark.parametrize("nodes", [2_000, 50_000, pytest.param(250_000, marks=pytest.mark.slow)])
def test_the_reference_is_right_on_large_sparse_graphs(nodes):
    """Qiskit/rustworkx#1575: L1 within 1e-6 of an independent solver."""
    random = np.random.default_rng(nodes)
    # A ring besides: no node of a memory's graph is without an edge, and solvers differ in what becomes of those.
    left = np.concatenate([np.arange(nodes), random.integers(0, nodes, 2 * nodes)])
    right = np.concatenate([np.roll(np.arange(nodes), 1), random.integers(0, nodes, 2 * nodes)])
    weights = random.uniform(0.1, 2.0, 3 * nodes)
    reset = np.zeros(nodes)
    reset[random.integers(0, nodes, 5)] = 0.2
    reset /= reset.sum()
    kept = left != right
    graph = Edges(nodes, left[kept], right[kept], weights[kept])
    found = Exact(graph, 0.85).solve(reset)
    other = igraph.Graph(nodes, np.stack([graph.left, graph.right], axis=1))
    expected = np.array(other.personalized_pagerank(damping=0.85, reset=reset.tolist(), weights=graph.weights.tolist()))
    assert np.abs(found - expected).sum() < 1e-6
    assert np.abs(found - reset).sum() > 0.1


@pytest.mark.parametrize("seed", range(3))
def test_columns_are_solved_together_to_the_last_digit_asked_for(seed):
    """Chains, hubs, and nodes without an edge, against a dense solution."""
    random = np.random.default_rng(seed)
    left, right = random.integers(0, 60, 70), random.integers(0, 80, 70)
    kept = left != right
    graph = Edges(90, left[kept], right[kept], random.uniform(0.1, 2.0, kept.sum()))
    dense = np.zeros((90, 90))
    np.add.at(dense, (graph.left, graph.right), graph.weights)
    dense += dense.T
    step = np.divide(dense, dense.sum(axis=0), out=np.zeros_like(dense), where=dense.sum(axis=0) > 0)
    reset = random.dirichlet(np.full(90, 0.1), 4).T
    reset[:, 3] = np.eye(90)[89]
    expected = np.linalg.solve(np.eye(90) - 0.85 * step, 0.15 * reset)
    found = Exact(graph, 0.85).solve(reset)
    assert np.abs(found - expected).sum(axis=0).max() < 1e-10
    np.testing.assert_allclose(Exact(graph, 0.85).solve(reset[:, 0]), found[:, 0], atol=1e-10)


@pytest.fixture(scope="module")
def view():
    random = np.random.default_rng(5)
    recording = [
        told(
            f"c{n}",
            30.0 * n + (7200 if n > 150 else 0),
            "a cup",
            things=[(t, int(random.integers(6)), "cup") for t in range(3)],
        )
        for n in range(300)
    ]
    return View(remembered(recording).index)


def reset_at(view, *places):
    reset = view.weights.degrees.zeros()
    for kind, number in places:
        getattr(reset, kind)[number] = 1 / len(places)
    return reset


SEEDS = [
    [("episodes", 7)],
    [("observations", 100), ("windows", 2)],
    [("clips", 299), ("episodes", 0), ("observations", 1)],
]


@pytest.mark.parametrize("seeds", SEEDS)
def test_the_walk_comes_as_near_to_the_reference_as_it_says(view, seeds):
    reset = reset_at(view, *seeds)
    exact = Exact(edges(view), 0.85).solve(flat(reset))
    for residual, near in ((1e-4, 0.5), (1e-8, 1e-4)):
        walked = walk(view, reset, 0.85, residual)
        error = np.abs(flat(walked.scores) - exact).sum()
        assert error <= walked.error + 1e-9
        assert walked.error < near
    assert overlap(flat(walked.scores), exact) >= 0.98


@pytest.fixture(scope="module")
def worded():
    """Of forty clips, the names and facts too."""
    recording = [told(f"c{n}", 30.0 * n, "a cup", things=[(0, n % 4, "cup")]) for n in range(40)]
    memory = remembered(recording)
    windows = [one for one in memory.index.windows.versions if one.scale == "3min"]
    pieces = [named(one, {f"c{clip}": [WORDS[clip % 10], WORDS[clip % 7]] for clip in one.clips}) for one in windows]
    pieces += [related(n, recording[n].clip, WORDS[n % 10], "cup", track=0) for n in range(0, 40, 3)]
    amend(memory, *pieces)
    memory.obey(Ruled(memory.version + 1, Ruling(0, Act.NAME, "me", memory.known_us, entity=1, name="Anna")))
    return View(memory.index)


def test_with_names_and_facts_it_comes_as_near(worded):
    weights = ground(worded)
    assert weights.ties is not None
    assert len(worded.semantics.borne) == 1
    reset = weights.degrees.zeros()
    reset.episodes[7], reset.names[2], reset.facts[4] = 0.5, 0.25, 0.25
    graph = edges(worded)
    sums = np.bincount(np.concatenate([graph.left, graph.right]), np.tile(graph.weights, 2), graph.nodes)
    np.testing.assert_allclose(flat(weights.degrees), sums, atol=1e-9)
    exact = Exact(graph, 0.85).solve(flat(reset))
    for residual, near in ((1e-4, 0.5), (1e-8, 1e-4)):
        walked = walk(worded, reset, 0.85, residual)
        assert np.abs(flat(walked.scores) - exact).sum() <= walked.error + 1e-9
        assert walked.error < near
    assert overlap(flat(walked.scores), exact) >= 0.98


def test_degrees_are_the_sums_of_the_edges_of_a_view_as_of_then(view):
    then = View(view.index, int(view.index.known[120]))
    graph = edges(then)
    sums = np.bincount(np.concatenate([graph.left, graph.right]), np.tile(graph.weights, 2), graph.nodes)
    np.testing.assert_allclose(flat(then.weights.degrees), sums, atol=1e-9)


def test_no_seeds_no_walk(view):
    """(rustworkx) empty seeds raise "failed to converge"."""
    walked = walk(view, view.weights.degrees.zeros(), 0.85, 1e-6)
    assert walked.scores.total() == walked.error == 0
    assert walked.rounds == 0

"""The memory's graph: known by kind and number, and grown alike whatever the order of arrival."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biographer.state.graph import (
    ADJACENT_WITHIN_US,
    CONTAINMENT,
    CONTEXT,
    MEMBERSHIP,
    PROVENANCE,
    EdgeKind,
    MemoryGraph,
    Node,
    NodeKind,
)
from biographer.state.times import SECOND_US
from biographer.state.windows import SCALES, Windows

S = SECOND_US


def episode(number: int) -> Node:
    return Node(NodeKind.EPISODE, number)


def timeline(*spans: tuple[int, int]) -> MemoryGraph:
    graph = MemoryGraph()
    for number, (start, end) in enumerate(spans):
        graph.add_nodes(NodeKind.EPISODE, 1)
        graph.place_episode(number, start * S, end * S)
    return graph


def adjacent(graph: MemoryGraph, number: int) -> dict[int, float]:
    return {node.number: edge.weight for node, edge in graph.neighbours(episode(number))}


def test_successive_episodes_are_linked_by_their_gap() -> None:
    """MAGIC-Video: 1 / (gap in s + 1)."""
    graph = timeline((0, 30), (30, 60), (63, 90))
    assert adjacent(graph, 0) == {1: 1.0}
    assert adjacent(graph, 1) == {0: 1.0, 2: 0.25}


def test_an_overlap_is_no_negative_gap() -> None:
    assert adjacent(timeline((0, 30), (10, 40)), 0) == {1: 1.0}
    assert adjacent(timeline((0, 30), (0, 30), (0, 30)), 1) == {0: 1.0, 2: 1.0}


def test_only_up_to_six_hours_apart() -> None:
    six = ADJACENT_WITHIN_US // S
    assert adjacent(timeline((0, 30), (30 + six, 60 + six)), 0) == {1: 1 / (six + 1)}
    assert adjacent(timeline((0, 30), (31 + six, 60 + six)), 0) == {}


def test_a_late_episode_goes_between_those_it_falls_between() -> None:
    graph = timeline((0, 30), (60, 90))
    assert adjacent(graph, 0) == {1: 1 / 31}
    graph.add_nodes(NodeKind.EPISODE, 1)
    graph.place_episode(2, 30 * S, 60 * S)
    assert adjacent(graph, 0) == {2: 1.0}
    assert adjacent(graph, 2) == {0: 1.0, 1: 1.0}
    assert adjacent(graph, 1) == {2: 1.0}


def test_a_late_episode_can_bridge_two_that_were_too_far_apart() -> None:
    hours = 3_600
    assert adjacent(timeline((0, 30), (8 * hours, 8 * hours + 30)), 0) == {}
    graph = timeline((0, 30), (8 * hours, 8 * hours + 30), (4 * hours, 4 * hours + 30))
    assert set(adjacent(graph, 2)) == {0, 1}
    assert adjacent(graph, 0).keys() == {2}


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 200_000), st.integers(0, 100)), min_size=1, max_size=12), st.randoms())
def test_any_order_of_arrival_links_the_same_neighbours(spans: list[tuple[int, int]], random: object) -> None:
    numbered = [(start, start + length) for start, length in spans]
    arrival = list(range(len(numbered)))
    random.shuffle(arrival)  # type: ignore[attr-defined]
    graph = timeline(*(numbered[number] for number in arrival))
    keys = sorted((*numbered[number], turn) for turn, number in enumerate(arrival))
    expected = {(one[2], two[2]) for one, two in itertools.pairwise(keys) if two[0] - one[1] <= ADJACENT_WITHIN_US // S}
    found = {(one, two) for one in range(len(keys)) for two in adjacent(graph, one)}
    assert found == expected | {(two, one) for one, two in expected}
    assert graph.counts()[EdgeKind.ADJACENCY] == len(expected)


def test_nodes_are_known_by_number_whatever_their_index() -> None:
    """Qiskit/rustworkx#356: rustworkx re-uses indices after a removal, so none may leave the graph."""
    graph = MemoryGraph()
    graph.add_nodes(NodeKind.ENTITY, 2)
    graph.add_nodes(NodeKind.OBSERVATION, 1)
    graph.add_nodes(NodeKind.CLIP, 1)
    graph.add_nodes(NodeKind.ENTITY, 1)
    graph.link((NodeKind.OBSERVATION, np.array([0])), (NodeKind.ENTITY, np.array([2])), MEMBERSHIP)
    assert graph.neighbours(Node(NodeKind.ENTITY, 2)) == [(Node(NodeKind.OBSERVATION, 0), MEMBERSHIP)]
    assert graph.linked(Node(NodeKind.OBSERVATION, 0), Node(NodeKind.ENTITY, 2))
    assert not graph.linked(Node(NodeKind.OBSERVATION, 0), Node(NodeKind.ENTITY, 1))
    for kind, number in ((NodeKind.ENTITY, 2), (NodeKind.CLIP, 0), (NodeKind.OBSERVATION, 0)):
        assert graph.rx[graph.index(Node(kind, number))] == Node(kind, number)
    with pytest.raises(IndexError):
        graph.index(Node(NodeKind.CLIP, 1))


def test_a_clip_brings_its_episode_its_observations_and_their_edges() -> None:
    graph = MemoryGraph()
    graph.grow(clips=1, entities=1, clip_of=np.array([0, 0]), entity_of=np.array([0, -1]))
    graph.grow(clips=1, entities=1, clip_of=np.array([1, 1]), entity_of=np.array([0, 1]))
    clip, entity = Node(NodeKind.CLIP, 1), Node(NodeKind.ENTITY, 0)
    assert [node.number for node, _ in graph.neighbours(entity)] == [0, 2]
    assert graph.neighbours(Node(NodeKind.OBSERVATION, 1)) == [
        (Node(NodeKind.CLIP, 0), PROVENANCE),
        (episode(0), CONTEXT),
    ]
    assert graph.linked(episode(1), clip)
    assert not graph.linked(episode(0), clip)
    expected = {
        "clip": 2,
        "episode": 2,
        "entity": 2,
        "observation": 4,
        "membership": 3,
        "context": 4,
        "provenance": 4,
        "co_clip": 2,
        "adjacency": 0,
    }
    assert graph.counts().items() >= expected.items()


def test_payloads_cannot_be_edited() -> None:
    """(rustworkx): `copy()` is shallow, so a payload that could be edited would change every snapshot of it."""
    graph = timeline((0, 30), (30, 60))
    copied = graph.rx.copy()
    with pytest.raises(AttributeError):
        graph.rx[0].number = 9
    with pytest.raises(AttributeError):
        graph.rx.edges()[0].weight = 9.0
    graph.add_nodes(NodeKind.EPISODE, 1)
    graph.place_episode(2, 30 * S, 31 * S)
    assert [tuple(edge) for edge in copied.edges()] == [(EdgeKind.ADJACENCY, 1.0, None)]
    assert copied.num_nodes() == 2


def test_neighbours_come_in_one_order() -> None:
    graphs = [MemoryGraph(), MemoryGraph()]
    numbers, owner = np.arange(12), np.zeros(12, np.int64)
    for graph, order in zip(graphs, (numbers, numbers[::-1]), strict=True):
        graph.add_nodes(NodeKind.ENTITY, 1)
        graph.add_nodes(NodeKind.OBSERVATION, 12)
        graph.link((NodeKind.ENTITY, owner), (NodeKind.OBSERVATION, order), MEMBERSHIP)
    first, second = (graph.neighbours(Node(NodeKind.ENTITY, 0)) for graph in graphs)
    assert first == second
    assert [node.number for node, _ in first] == list(range(12))


def test_coarser_episodes_hold_the_local_ones_that_start_in_them_and_follow_each_other() -> None:
    """MAGIC-Video's CONTAINS and its adjacency, a scale each; a late clip's window goes between those there are."""
    graph, windows = MemoryGraph(), Windows()
    for number, start in enumerate((0, 150, 700, 200)):
        graph.add_nodes(NodeKind.EPISODE, 1)
        graph.place_in_windows(number, windows.holding(start * S))
    by_scale = {scale: [one.number for one in windows if one.scale == scale] for scale in SCALES}
    first, last, between = (Node(NodeKind.WINDOW, number) for number in by_scale["3min"])
    beside = dict(graph.neighbours(between))
    assert beside.pop(episode(3)) == CONTAINMENT
    assert {node: edge.weight for node, edge in beside.items()} == {first: 1.0, last: 1 / 181}
    assert not graph.linked(first, last)
    assert {node for node, _ in graph.neighbours(Node(NodeKind.WINDOW, by_scale["1h"][0]))} == set(
        map(episode, range(4))
    )
    assert graph.counts()[EdgeKind.CONTAINMENT] == 3 * 4
    assert graph.counts()[NodeKind.WINDOW] == len(windows) == 6

"""What one clip adds: decided by `plan`, which changes nothing, and made by `adopt`; and since when it is known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sightings import STREAM, clip, recording, seen, unit

from biographer.state.change import Change
from biographer.state.errors import RefusedError
from biographer.state.graph import Edge, EdgeKind, Node, NodeKind
from biographer.state.memory import NO_ENTITY, Memory
from biographer.state.rule import Rule, Thresholds
from biographer.state.trail import Trail

RULE = Rule(references=3, thresholds={"": Thresholds(0.6, 0.9)})


def never_asked(observation: int) -> Trail:
    raise AssertionError(f"trail of {observation} should be at hand")


def grown(seed: int, clips: int) -> tuple[Memory, list[Change]]:
    memory, changes = Memory(STREAM, RULE, never_asked), []
    for perceived in recording(seed, clips):
        changes.append(memory.plan(perceived))
        memory.adopt(changes[-1])
    return memory, changes


def test_a_plan_changes_nothing_and_is_the_same_each_time() -> None:
    memory, _ = grown(1, 8)
    perceived = clip("next", 900, *(seen(track, unit(*range(1, 13)), 900 + track) for track in range(3)))
    version, spans, counts = memory.version, len(memory.spans), memory.graph.counts()
    one, other = memory.plan(perceived), memory.plan(perceived)
    assert one.memberships == other.memberships
    assert one.reference_sets == other.reference_sets
    assert (memory.version, len(memory.spans), memory.graph.counts()) == (version, spans, counts)
    assert not any(memory.galleries[name].row_of(one.entities[0].number) for name in memory.galleries if one.entities)


def test_a_change_that_does_not_follow_is_refused() -> None:
    """Two plans of one version: the second was decided without the first."""
    memory, _ = grown(1, 2)
    first, second = memory.plan(clip("x", 900)), memory.plan(clip("y", 930))
    memory.adopt(first)
    for stale in (first, second):
        with pytest.raises(RefusedError, match="does not follow version 3; plan it again"):
            memory.adopt(stale)
    assert memory.version == 3


def test_a_known_clip_is_refused_by_name() -> None:
    memory, _ = grown(1, 2)
    with pytest.raises(RefusedError, match="clip 'c0' of stream 'wearer' is known already"):
        memory.plan(clip("c0", 0))


def test_two_streams_keep_their_own_numbers() -> None:
    """mikel-brostrom/boxmot#741."""
    for name in ("a", "b"):
        memory = Memory(name, RULE, never_asked)
        change = memory.plan(clip("c", 0, seen(0, (1, 0)), stream=name))
        assert [one.number for one in change.entities] == [0]
        assert change.first_observation == 0


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 14))
def test_everything_is_known_no_sooner_than_all_that_it_used(seed: int, clips: int) -> None:
    """DESIGN section 3: `known_us` is the end of the latest input, so nothing that is read as of t looked past t."""
    memory, changes = grown(seed, clips)
    known: dict[int, int] = {}
    watermark = 0
    for change in changes:
        watermark = max(watermark, change.clip.end_us)
        assert change.watermark_us == watermark
        assert change.known_us == change.clip.known_us == change.episode.known_us
        observed = dict(enumerate(change.observations, change.first_observation))
        known.update(dict.fromkeys(observed, change.known_us))
        for member in change.memberships:
            assert member.known_us == watermark
            assert member.known_us >= known[member.observation]
            used = change.reference_sets[member.entity]
            assert all(member.known_us >= known[number] for number in used)
        assert all(one.known_us >= watermark for one in change.entities)
        assert all(one.known_us >= watermark for one in change.aparts)
    assert memory.watermark_us == watermark


def test_on_a_log_in_order_what_is_known_by_t_is_what_the_log_cut_at_t_gives() -> None:
    """DESIGN section 5, as-of, for all that issue 2 records."""
    made = recording(5, 40)
    made.sort(key=lambda one: one.clip.end_us)
    whole = Memory(STREAM, RULE, never_asked)
    changes = []
    for perceived in made:
        changes.append(whole.plan(perceived))
        whole.adopt(changes[-1])
    for cut in (5, 17, 39):
        at_us = made[cut].clip.end_us
        known = [change for change in changes if change.known_us <= at_us]
        members = [one for change in changes for one in change.memberships if one.known_us <= at_us]
        shorter = Memory(STREAM, RULE, never_asked)
        for perceived in made:
            if perceived.clip.end_us <= at_us:
                shorter.adopt(shorter.plan(perceived))
        assert len(known) == shorter.version
        assert {one.observation: one.entity for one in members} == {
            number: entity for number, entity in enumerate(shorter.entity_of[:].tolist()) if entity != NO_ENTITY
        }
        assert sum(one.known_us <= at_us for change in changes for one in change.entities) == shorter.entity_count
        assert sum(one.known_us <= at_us for change in changes for one in change.aparts) == len(shorter.apartness)


def test_entities_count_up_and_are_never_used_again() -> None:
    memory, changes = grown(7, 30)
    numbers = [one.number for change in changes for one in change.entities]
    assert numbers == list(range(memory.entity_count))
    begun = [one for change in changes for one in change.memberships if one.cause == "new"]
    assert sorted(one.entity for one in begun) == numbers
    assert all(one.similarity == 1.0 for one in begun)


def test_a_plan_that_is_given_up_leaves_its_numbers_free() -> None:
    memory = Memory(STREAM, RULE, never_asked)
    memory.plan(clip("given up", 0, seen(0, (1, 0))))
    change = memory.plan(clip("taken", 0, seen(0, (0, 1))))
    assert [one.number for one in change.entities] == [0]
    assert (change.clip_number, change.first_observation, change.version) == (0, 0, 1)


def test_the_graph_has_an_edge_for_every_fact() -> None:
    """DESIGN section 6: membership, context, provenance; weights of GEB."""
    memory = Memory(STREAM, RULE, never_asked)
    memory.adopt(memory.plan(clip("a", 0, seen(0, unit(1, 0)), seen(1, None, 1))))
    memory.adopt(memory.plan(clip("b", 30, seen(0, unit(1, 0), 40))))
    observation = Node(NodeKind.OBSERVATION, 0)
    assert memory.graph.neighbours(observation) == [
        (Node(NodeKind.CLIP, 0), Edge(EdgeKind.PROVENANCE, 0.8)),
        (Node(NodeKind.ENTITY, 0), Edge(EdgeKind.MEMBERSHIP, 0.5)),
        (Node(NodeKind.EPISODE, 0), Edge(EdgeKind.CONTEXT, 1.0)),
    ]
    assert [node for node, _ in memory.graph.neighbours(Node(NodeKind.ENTITY, 0))] == [
        Node(NodeKind.OBSERVATION, 0),
        Node(NodeKind.OBSERVATION, 2),
    ]
    unidentified = [node.kind for node, _ in memory.graph.neighbours(Node(NodeKind.OBSERVATION, 1))]
    assert unidentified == [NodeKind.CLIP, NodeKind.EPISODE]
    assert memory.graph.linked(Node(NodeKind.EPISODE, 0), Node(NodeKind.EPISODE, 1))
    assert memory.entity_of[:].tolist() == [0, NO_ENTITY, 0]


def test_a_clip_without_anything_is_remembered() -> None:
    memory = Memory(STREAM, RULE, never_asked)
    memory.adopt(memory.plan(clip("empty", 0)))
    assert (memory.version, memory.watermark_us, len(memory.spans)) == (1, 30_000_000, 0)
    assert memory.graph.counts()["clip"] == memory.graph.counts()["episode"] == 1


def test_what_carries_no_evidence_of_identity_is_counted() -> None:
    memory = Memory(STREAM, RULE, never_asked)
    change = memory.plan(clip("a", 0, seen(0, None), seen(1, (1, 0)), seen(2, None)))
    assert change.refused == 2
    assert len(change.memberships) == 1


def test_an_epoch_that_begins_at_zero_is_no_missing_watermark() -> None:
    memory = Memory(STREAM, RULE, never_asked)
    memory.adopt(memory.plan(clip("instant", 0, seconds=0)))
    assert memory.watermark_us == 0
    change = memory.plan(clip("same", 0, seconds=0))
    assert change.late
    assert change.watermark_us == 0


def test_a_vector_handed_in_is_not_the_gallerys_own() -> None:
    memory = Memory(STREAM, RULE, never_asked)
    one = seen(0, (1, 0))
    memory.adopt(memory.plan(clip("a", 0, one)))
    assert one.embedding is not None
    held = memory.galleries["e"].references_of(0).vectors
    assert not np.shares_memory(held, one.embedding.vector)

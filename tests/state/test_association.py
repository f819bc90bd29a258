"""GEB section 3.3 and appendix A: one suite over both ways of deciding, the memory's own and the plain loops."""

from collections.abc import Callable
from math import nextafter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sightings import LEFT, RIGHT, STREAM, clip, recording, seen, unit

from biographer.bench.exhaustive import Exhaustive
from biographer.state.association import Candidate, Decider, Scene
from biographer.state.gallery import Gallery, References
from biographer.state.membership import Cause
from biographer.state.memory import Memory
from biographer.state.observation import Embedding, Observation
from biographer.state.perceived import Perceived
from biographer.state.rule import Rule, Thresholds
from biographer.state.trail import Trail

Decided = dict[int, tuple[int | None, Cause | None]]
"""Track to entity and cause."""

RULE = Rule(references=3, thresholds={"": Thresholds(0.5, 0.75)})

# In degrees: cosines of 0.87, 0.71 and 0.5 at 30, 45 and 60 away.
NEW, MATCH, ANCHOR = Cause.NEW, Cause.MATCH, Cause.ANCHOR


def turned(degrees: float, *, dim: int = 4) -> np.ndarray:
    vector = np.zeros(dim)
    vector[:2] = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return vector


def never_asked(observation: int) -> Trail:
    raise AssertionError(f"trail of {observation} should be at hand")


class Fast:
    """The memory under test: galleries, proposals by matrix product, decisions by the Decider."""

    def __init__(self, rule: Rule = RULE) -> None:
        self.memory = Memory(STREAM, rule, never_asked)
        self.vetoes = 0
        self.similarities: list[float] = []

    def apply(self, perceived: Perceived) -> Decided:
        change = self.memory.plan(perceived)
        self.memory.adopt(change)
        self.vetoes = change.vetoes
        members = {one.observation - change.first_observation: one for one in change.memberships}
        self.similarities = [one.similarity for one in change.memberships]
        found: Decided = {}
        for row, observation in enumerate(change.observations):
            member = members.get(row)
            found[observation.track] = (member.entity, member.cause) if member else (None, None)
        return found

    def references(self, entity: int) -> tuple[int, ...]:
        galleries = [one for one in self.memory.galleries.values() if one.row_of(entity) is not None]
        return galleries[0].references_of(entity).observations


class Plain:
    """The oracle behind the same face."""

    def __init__(self, rule: Rule = RULE) -> None:
        self.oracle = Exhaustive(rule)
        self.vetoes = 0
        self.similarities: list[float] = []

    def apply(self, perceived: Perceived) -> Decided:
        judgements = self.oracle.apply(perceived)
        self.vetoes = sum(len(one.vetoed) for one in judgements)
        self.similarities = [one.similarity for one in judgements if one.entity is not None]
        return {one.track: (one.entity, one.cause) for one in judgements}

    def references(self, entity: int) -> tuple[int, ...]:
        return self.oracle.references(entity)


Memories = Callable[..., Fast | Plain]


@pytest.fixture(params=[Fast, Plain], ids=["memory", "oracle"])
def memory_of(request: pytest.FixtureRequest) -> Memories:
    made: Memories = request.param
    return made


# Conditions 1 and 2: similarity.


def test_the_first_observation_begins_entity_0_and_the_like_of_it_joins(memory_of: Memories) -> None:
    memory = memory_of()
    assert memory.apply(clip("a", 0, seen(0, turned(0)))) == {0: (0, NEW)}
    assert memory.apply(clip("b", 60, seen(0, turned(30), 60))) == {0: (0, MATCH)}
    assert memory.apply(clip("c", 120, seen(0, turned(90), 120))) == {0: (1, NEW)}


def test_similar_to_one_counts_at_equality(memory_of: Memories) -> None:
    vector = turned(30)
    similarity = float(Embedding.of("e", vector).vector[0])
    for threshold, expected in ((similarity, (0, MATCH)), (nextafter(similarity, 1), (1, NEW))):
        memory = memory_of(Rule(thresholds={"": Thresholds(0.5, threshold)}))
        memory.apply(clip("a", 0, seen(0, turned(0))))
        assert memory.apply(clip("b", 60, seen(0, vector, 60))) == {0: expected}


def test_similar_to_all_counts_at_equality(memory_of: Memories) -> None:
    similarity = float(Embedding.of("e", turned(60)).vector[0])
    for threshold, expected in ((similarity, (0, MATCH)), (nextafter(similarity, 1), (1, NEW))):
        memory = memory_of(Rule(thresholds={"": Thresholds(threshold, 0.75)}))
        memory.apply(clip("a", 0, seen(0, turned(0))))
        memory.apply(clip("b", 60, seen(0, turned(30), 60)))
        assert memory.apply(clip("c", 120, seen(0, turned(60), 120))) == {0: expected}


def test_matching_one_reference_does_not_compensate_for_contradicting_another(memory_of: Memories) -> None:
    memory = memory_of()
    for number, degrees in enumerate((0, 30)):
        memory.apply(clip(f"a{number}", 60 * number, seen(0, turned(degrees), 60 * number)))
    assert memory.apply(clip("b", 120, seen(0, turned(65), 120))) == {0: (1, NEW)}


def test_similar_enough_to_all_but_to_none_strongly_is_no_match(memory_of: Memories) -> None:
    memory = memory_of()
    memory.apply(clip("a", 0, seen(0, turned(0))))
    assert memory.apply(clip("b", 60, seen(0, turned(45), 60))) == {0: (1, NEW)}


def test_the_highest_mean_wins_not_the_highest_match(memory_of: Memories) -> None:
    memory = memory_of()
    memory.apply(clip("a", 0, seen(0, turned(0))))
    memory.apply(clip("b", 60, seen(0, turned(-40), 60), seen(1, turned(52), 60, box=RIGHT)))
    # Entity 0 has references at 0 and -40 degrees, entity 1 one at 52: from 19 away, 19 and 59 against 33.
    assert memory.apply(clip("c", 120, seen(0, turned(19), 120))) == {0: (1, MATCH)}


def test_ties_go_to_the_lowest_entity(memory_of: Memories) -> None:
    memory = memory_of()
    twins = clip("a", 0, *(seen(track, turned(0), box=(track / 4, 0, track / 4 + 0.2, 1)) for track in range(4)))
    assert [entity for entity, _ in memory.apply(twins).values()] == [0, 1, 2, 3]
    for number in range(3):
        assert memory.apply(clip(f"b{number}", 60 + number * 60, seen(0, turned(0), 60 + number * 60)))[0] == (0, MATCH)


def test_a_tie_is_a_tie_whatever_the_number_of_references(memory_of: Memories) -> None:
    """Rounding the mean of three equal similarities may put it below the one of a single reference."""
    for seed in range(40):
        vector = np.random.default_rng(seed).normal(size=8)
        other = np.random.default_rng(seed + 1000).normal(size=8) * 0.1 + vector
        memory = memory_of()
        memory.apply(clip("a", 0, seen(0, vector), seen(1, vector, box=RIGHT)))
        for number in range(3):
            memory.apply(clip(f"b{number}", 60 + number * 60, seen(0, vector, 60 + number * 60)))
        assert memory.references(0) == (2, 3, 4)
        assert memory.references(1) == (1,)
        assert memory.apply(clip("c", 300, seen(0, other, 300)))[0] == (0, MATCH)


# The reference set.


def test_the_reference_set_keeps_the_latest_in_event_time(memory_of: Memories) -> None:
    memory = memory_of()
    for number in range(5):
        memory.apply(clip(f"a{number}", 60 * number, seen(0, turned(0), 60 * number)))
    assert memory.references(0) == (2, 3, 4)


def test_an_observation_dropped_from_the_references_no_longer_contradicts(memory_of: Memories) -> None:
    memory = memory_of()
    for number, degrees in enumerate((0, 20, 40, 60, 80)):
        assert memory.apply(clip(f"a{number}", 60 * number, seen(0, turned(degrees), 60 * number)))[0][0] == 0
    assert memory.references(0) == (2, 3, 4)


def test_a_late_observation_takes_its_place_in_event_time(memory_of: Memories) -> None:
    memory = memory_of()
    for name, start in (("a", 0), ("b", 60), ("d", 180), ("c", 120)):
        assert memory.apply(clip(name, start, seen(0, turned(0), start)))[0][0] == 0
    assert memory.references(0) == (1, 3, 2)
    assert memory.apply(clip("e", 0.5, seen(0, turned(0), 2)))[0][0] == 0
    assert memory.references(0) == (1, 3, 2)  # older than all of them: in the biography, not in the set


# Condition 3: apart.


@pytest.mark.parametrize(
    ("rate", "frames", "entities"), [(10, 3, 2), (10, 2, 1), (5, 2, 2), (5, 1, 1), (1, 2, 2), (1, 1, 1)]
)
def test_apart_is_a_time_and_at_least_two_frames(memory_of: Memories, rate: int, frames: int, entities: int) -> None:
    """ByteDance-Seed/m3-agent#18: two of one look are two where they are seen apart, and may be one where not."""
    memory = memory_of()
    one = seen(0, turned(0), frames=20, rate=rate, box=LEFT)
    other = seen(1, turned(0), frames=frames, rate=rate, box=RIGHT)
    assert len({entity for entity, _ in memory.apply(clip("a", 0, one, other)).values()}) == entities
    assert memory.vetoes == entities - 1


@pytest.mark.parametrize(("elsewhere", "entities"), [(6, 2), (5, 1)])
def test_apart_in_two_thirds_of_the_shared_frames(memory_of: Memories, elsewhere: int, entities: int) -> None:
    memory = memory_of()
    places = [RIGHT] * elsewhere + [LEFT] * (9 - elsewhere)
    decided = memory.apply(clip("a", 0, seen(0, turned(0), frames=9), seen(1, turned(0), boxes=places)))
    assert len({entity for entity, _ in decided.values()}) == entities


def test_an_overlap_of_exactly_a_half_is_not_apart(memory_of: Memories) -> None:
    memory = memory_of()
    whole, half = seen(0, turned(0), box=(0, 0, 1, 1)), seen(1, turned(0), box=(0, 0, 0.5, 1))
    assert memory.apply(clip("a", 0, whole, half)) == {0: (0, NEW), 1: (0, MATCH)}


def test_look_alikes_apart_stay_two_for_ever(memory_of: Memories) -> None:
    """ByteDance-Seed/m3-agent#18: ten clips with both, ten frames each, and never one entity."""
    memory = memory_of()
    for number in range(10):
        pair = (seen(0, turned(1), 60 * number), seen(1, turned(-1), 60 * number, box=RIGHT))
        assert {entity for entity, _ in memory.apply(clip(f"a{number}", 60 * number, *pair)).values()} == {0, 1}


def test_clips_that_overlap_in_time_share_frames_by_presentation_time(memory_of: Memories) -> None:
    for shift, expected in ((0.0005, (1, NEW)), (0.05, (0, MATCH))):
        memory = memory_of()
        memory.apply(clip("a", 0, seen(0, turned(0), 20, frames=50)))
        moved = seen(0, turned(0), 20 + shift, frames=50, box=RIGHT)
        assert memory.apply(clip("b", 15, moved)) == {0: expected}


def test_separation_is_looked_for_in_every_reference(memory_of: Memories) -> None:
    memory = memory_of()
    memory.apply(clip("a", 0, seen(0, turned(0), 20)))
    memory.apply(clip("c", 60, seen(0, turned(0), 60)))
    assert memory.apply(clip("b", 15, seen(0, turned(0), 20, box=RIGHT))) == {0: (1, NEW)}
    assert memory.vetoes == 1


# The anchor across a cut.


def anchored(memory: Fast | Plain, after: Observation, *others: Observation, start: float = 30.0) -> Decided:
    """Two clips that touch at 30 s: something at LEFT until the end of the first, then `after` in the second."""
    memory.apply(clip("a", 0, seen(0, turned(0), 29, frames=10)))
    return memory.apply(clip("b", start, after, *others))


def test_a_box_that_stays_in_place_across_the_cut_stands_for_condition_2(memory_of: Memories) -> None:
    assert anchored(memory_of(), seen(0, turned(45), 30)) == {0: (0, ANCHOR)}


def test_a_match_needs_no_anchor_and_is_called_a_match(memory_of: Memories) -> None:
    assert anchored(memory_of(), seen(0, turned(30), 30)) == {0: (0, MATCH)}


def test_the_anchor_does_not_bypass_condition_1(memory_of: Memories) -> None:
    assert anchored(memory_of(), seen(0, turned(61), 30)) == {0: (1, NEW)}


def test_the_anchor_does_not_bypass_condition_3(memory_of: Memories) -> None:
    memory = memory_of()
    twin = seen(0, turned(0), 30, box=RIGHT)
    assert anchored(memory, seen(1, turned(45), 30.1), twin) == {0: (0, MATCH), 1: (1, NEW)}
    assert memory.vetoes == 1


@pytest.mark.parametrize(
    ("last", "start", "first", "expected"),
    [
        (29.5, 30, 30.5, (0, ANCHOR)),
        (29.499, 30, 30, (1, NEW)),
        (30, 30, 30.501, (1, NEW)),
        (30, 30.5, 30.5, (0, ANCHOR)),
        (30, 30.501, 30.501, (1, NEW)),
        (30, 29.5, 29.9, (0, ANCHOR)),
    ],
)
def test_both_clips_must_show_the_box_within_half_a_second_of_the_cut(
    memory_of: Memories, last: float, start: float, first: float, expected: tuple[int, Cause]
) -> None:
    memory = memory_of()
    memory.apply(clip("a", 0, seen(0, turned(0), last - 0.9, frames=10)))
    assert memory.apply(clip("b", start, seen(0, turned(45), first))) == {0: expected}


def test_the_anchor_counts_at_equality_of_overlap(memory_of: Memories) -> None:
    for least, expected in ((0.5, (0, ANCHOR)), (0.51, (1, NEW))):
        rule = Rule(anchor_iou=least, thresholds=RULE.thresholds)
        half = seen(0, turned(45), 30, box=(0.0, 0.0, 0.25, 0.25))
        assert anchored(memory_of(rule), half) == {0: expected}


def test_only_the_best_overlap_both_ways_is_anchored(memory_of: Memories) -> None:
    near, nearer = (0.0, 0.0, 0.25, 0.4), (0.0, 0.0, 0.25, 0.45)
    decided = anchored(memory_of(), seen(0, turned(45), 30, box=near), seen(1, turned(-45), 30, box=nearer))
    assert decided == {0: (1, NEW), 1: (0, ANCHOR)}


def test_of_two_boxes_before_the_cut_the_better_is_the_anchor(memory_of: Memories) -> None:
    for boxes, expected in (((LEFT, (0.0, 0.0, 0.25, 0.4)), 0), (((0.0, 0.0, 0.25, 0.4), LEFT), 1)):
        memory = memory_of()
        memory.apply(clip("a", 0, *(seen(row, turned(90 * row), 29, box=box) for row, box in enumerate(boxes))))
        assert memory.apply(clip("b", 30, seen(0, turned(45), 30))) == {0: (expected, ANCHOR)}


def test_equal_overlaps_anchor_the_first(memory_of: Memories) -> None:
    decided = anchored(memory_of(), seen(0, turned(45), 30), seen(1, turned(-45), 30))
    assert decided == {0: (0, ANCHOR), 1: (1, NEW)}


def test_a_clip_of_lines_between_does_not_hide_the_cut(memory_of: Memories) -> None:
    memory = memory_of()
    memory.apply(clip("a", 0, seen(0, turned(0), 29)))
    memory.apply(clip("words", 0, words="hello"))
    assert memory.apply(clip("b", 30, seen(0, turned(45), 30))) == {0: (0, ANCHOR)}


def test_a_late_clip_does_not_stand_between_and_finds_its_own_cut(memory_of: Memories) -> None:
    memory = memory_of()
    memory.apply(clip("a", 0, seen(0, turned(0), 29)))
    memory.apply(clip("c", 60, seen(0, unit(0, 0, 1, 0), 60)))
    assert memory.apply(clip("b", 30, seen(0, turned(45), 30))) == {0: (0, ANCHOR)}


def test_what_had_no_identity_anchors_nothing(memory_of: Memories) -> None:
    memory = memory_of()
    memory.apply(clip("a", 0, seen(0, None, 29)))
    assert memory.apply(clip("b", 30, seen(0, turned(0), 30))) == {0: (0, NEW)}


def test_an_anchor_to_another_embedders_entity_is_no_candidate(memory_of: Memories) -> None:
    assert anchored(memory_of(), seen(0, turned(0), 30, embedder="f")) == {0: (1, NEW)}


# What carries no evidence of identity.


def test_a_similarity_that_is_no_number_never_passes(memory_of: Memories) -> None:
    """(IEEE NaN), (faiss): as what is asked, as a reference, and beside others in one batch."""
    memory = memory_of()
    bad = np.array([np.nan, 1, 0, 0], np.float32)
    forged = seen(1, turned(0), box=RIGHT)
    forged = Observation(1, "cup", 0.5, forged.times_us, forged.boxes, Embedding("e", bad), "")
    assert memory.apply(clip("a", 0, seen(0, turned(0)), forged)) == {0: (0, NEW), 1: (1, NEW)}
    late = Observation(1, "cup", 0.5, forged.times_us + 60_000_000, forged.boxes, Embedding("e", bad), "")
    assert memory.apply(clip("b", 60, seen(0, turned(10), 60), late)) == {0: (0, MATCH), 1: (2, NEW)}
    assert memory.apply(clip("c", 120, seen(0, turned(10), 120))) == {0: (0, MATCH)}


def test_a_similarity_that_is_no_number_supports_nothing_even_where_nothing_came_before() -> None:
    """(IEEE NaN), in every code path: the exact look by itself, without the searches that go before it."""
    thresholds = Thresholds(0.5, 0.75)
    scene = Scene(span=lambda number: (0, 0, number), trail=never_asked)
    decider = Decider(Gallery(2, 3), RULE, thresholds, scene)
    trail = Trail(np.zeros(1, np.int64), np.zeros((1, 4), np.float32))
    good, bad = np.array([1, 0], np.float32), np.array([np.nan, 0], np.float32)
    for query, references in ((bad, [good]), (good, [bad]), (good, [good, bad]), (good, [bad, good])):
        known = References(tuple(range(len(references))), np.stack(references))
        assert decider._support(Candidate(9, query, trail, anchored=0), 0, known) is None
        assert not decider._near(Candidate(9, query, trail), known)


def test_without_an_embedding_an_observation_is_kept_and_belongs_to_no_entity(memory_of: Memories) -> None:
    memory = memory_of()
    first = memory.apply(clip("a", 0, seen(0, None), seen(1, turned(0), box=RIGHT)))
    assert first == {0: (None, None), 1: (0, NEW)}
    assert memory.apply(clip("b", 60, seen(0, None, 60), seen(1, turned(0), 60)))[1] == (0, MATCH)
    assert memory.references(0) == (1, 3)


# Order and embedders.


def test_observations_are_taken_by_start_then_end_then_track(memory_of: Memories) -> None:
    axes = np.eye(4)
    given_order = (
        seen(9, axes[0], 1),
        seen(5, axes[1], 0, frames=9),
        seen(7, axes[2], 0, frames=9, box=RIGHT),
        seen(8, axes[3], 0, frames=8),
    )
    decided = memory_of().apply(clip("a", 0, *given_order))
    assert decided == {8: (0, NEW), 5: (1, NEW), 7: (2, NEW), 9: (3, NEW)}
    assert decided == memory_of().apply(clip("a", 0, *reversed(given_order)))


def test_a_clips_own_observations_are_references_for_its_later_ones(memory_of: Memories) -> None:
    memory = memory_of()
    parts = [seen(track, turned(track * 20), track * 5) for track in range(5)]
    assert [entity for entity, _ in memory.apply(clip("a", 0, *parts)).values()] == [0] * 5
    assert memory.references(0) == (2, 3, 4)


def test_embedders_never_meet_and_keep_their_own_thresholds(memory_of: Memories) -> None:
    thresholds = {"": Thresholds(0.5, 0.75), "strict": Thresholds(0.9, 0.95)}
    memory = memory_of(Rule(thresholds=thresholds))
    first = clip("a", 0, seen(0, turned(0)), seen(1, turned(0, dim=6), 0.5, box=RIGHT, embedder="strict"))
    assert memory.apply(first) == {0: (0, NEW), 1: (1, NEW)}
    again = clip("b", 60, seen(0, turned(30), 60), seen(1, turned(30, dim=6), 60, box=RIGHT, embedder="strict"))
    assert memory.apply(again) == {0: (0, MATCH), 1: (2, NEW)}
    assert memory.apply(clip("c", 120, seen(0, turned(1, dim=6), 120, embedder="strict"))) == {0: (1, MATCH)}


# Both ways, on streams that nobody chose.


streams = st.tuples(
    st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 5), st.sampled_from([0.0, 0.2, 0.5, 0.8, 1.2])
)


@settings(max_examples=150)
@given(streams, st.integers(1, 4))
def test_the_memory_decides_as_the_plain_loops_do(made: tuple[int, int, int, float], references: int) -> None:
    """`agreement` 1.0, decision for decision: entity, cause, vetoes, similarity and reference sets."""
    rule = Rule(references=references, thresholds={"": Thresholds(0.6, 0.9), "f": Thresholds(0.3, 0.7)})
    fast, plain = Fast(rule), Plain(rule)
    for perceived in recording(*made):
        assert fast.apply(perceived) == plain.apply(perceived)
        assert fast.vetoes == plain.vetoes
        assert fast.similarities == pytest.approx(plain.similarities, abs=1e-12)
    for entity in range(fast.memory.entity_count):
        assert fast.references(entity) == plain.references(entity)


def test_the_streams_that_nobody_chose_show_every_cause() -> None:
    """Otherwise the comparison above would compare little."""
    causes: list[Cause | None] = []
    vetoes = 0
    for seed in range(30):
        memory = Fast(Rule(references=3, thresholds={"": Thresholds(0.6, 0.9)}))
        for perceived in recording(seed, 12, 3, 0.5):
            causes += [cause for _, cause in memory.apply(perceived).values()]
            vetoes += memory.vetoes
    assert min(causes.count(cause) for cause in (NEW, MATCH, ANCHOR, None)) >= 15
    assert vetoes >= 15


@settings(max_examples=40)
@given(streams, st.integers(1, 40))
def test_a_decision_does_not_depend_on_what_else_is_proposed_in_the_batch(
    made: tuple[int, int, int, float], distractors: int
) -> None:
    """Bit for bit: the same observations alone, and beside others that look like none of them."""
    alone, beside = Fast(), Fast()
    renamed: dict[int | None, int | None] = {None: None}
    for lone, crowded in zip(recording(*made), with_distractors(made, distractors), strict=True):
        expected, found = alone.apply(lone), beside.apply(crowded)
        for track, (entity, cause) in expected.items():
            assert found[track][1] == cause
            assert renamed.setdefault(entity, found[track][0]) == found[track][0]
        similar = iter(beside.similarities)
        assert all(one in similar for one in alone.similarities)


def with_distractors(made: tuple[int, int, int, float], count: int) -> list[Perceived]:
    random = np.random.default_rng(made[0])
    crowded = []
    for perceived in recording(*made):
        start = perceived.clip.start_us / 1e6
        extra = [
            seen(100 + row, np.concatenate([np.zeros(8), random.normal(size=4)]), start + 1, box=(0.9, 0.9, 1, 1))
            for row in range(count)
        ]
        crowded.append(clip(perceived.clip.name, start, *perceived.observations, *extra))
    return crowded


def test_an_oracle_can_take_over_what_a_memory_has_seen() -> None:
    """As `bench update` does: the records of a memory that grew, judged the long way from there on."""
    for seed in range(20):
        made = recording(seed, 12, 4, 0.6)
        fast = Fast()
        ends = []
        for perceived in made[:6]:
            first = len(fast.memory.spans)
            fast.apply(perceived)
            ends.append((perceived.clip.end_us, range(first, len(fast.memory.spans))))
        oracle = Exhaustive.of(fast.memory, ends)
        for perceived in made[6:]:
            judged = {one.track: (one.entity, one.cause) for one in oracle.apply(perceived)}
            assert fast.apply(perceived) == judged

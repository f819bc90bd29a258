"""Who was seen apart: evidence for those whom somebody might take for one (GEB section 3.4)."""

from sightings import RIGHT, STREAM, clip, seen, unit

from biographer.state.apartness import Apartness
from biographer.state.change import Change
from biographer.state.membership import Apart
from biographer.state.memory import Memory
from biographer.state.perceived import Perceived
from biographer.state.rule import Rule, Thresholds
from biographer.state.trail import Trail

RULE = Rule(thresholds={"": Thresholds(0.6, 0.9)})


def never_asked(observation: int) -> Trail:
    raise AssertionError(f"trail of {observation} should be at hand")


def grown(*perceiveds: Perceived) -> tuple[Memory, list[Change]]:
    memory, changes = Memory(STREAM, RULE, never_asked), []
    for perceived in perceiveds:
        changes.append(memory.plan(perceived))
        memory.adopt(changes[-1])
    return memory, changes


def test_a_pair_is_found_in_either_order_and_once() -> None:
    apartness = Apartness()
    apartness.add([Apart(1, 4, 10, 11, 0)])
    apartness.add([Apart(1, 4, 20, 21, 5)])
    assert (1, 4) in apartness
    assert (4, 1) in apartness
    assert (1, 1) not in apartness
    assert len(apartness) == 1


def test_look_alikes_seen_apart_are_marked_with_their_evidence() -> None:
    """ByteDance-Seed/m3-agent#18: apart in shared frames."""
    memory, (first, again) = grown(
        clip("a", 0, seen(0, (1, 0)), seen(1, (1, 0), box=RIGHT)),
        clip("b", 60, seen(0, (1, 0), 60), seen(1, (1, 0), 60, box=RIGHT)),
    )
    assert first.aparts == (Apart(0, 1, 0, 1, 30_000_000),)
    assert again.aparts == ()  # the first evidence stands
    assert (0, 1) in memory.apartness


def test_look_alikes_never_seen_together_are_unresolved() -> None:
    """ByteDance-Seed/m3-agent#18: different identifiers alone prove nothing."""
    memory, _ = grown(clip("a", 0, seen(0, (1, 0))), clip("b", 60, seen(0, unit(0.8, 0.6), 60)))
    assert memory.entity_count == 2
    assert len(memory.apartness) == 0


def test_those_of_one_name_are_marked_though_they_look_different() -> None:
    memory, _ = grown(clip("a", 0, seen(0, (1, 0), label="cup"), seen(1, (0, 1), box=RIGHT, label="cup")))
    assert (0, 1) in memory.apartness


def test_those_whom_nobody_would_take_for_one_are_not_marked() -> None:
    memory, _ = grown(clip("a", 0, seen(0, (1, 0), label="cup"), seen(1, (0, 1), box=RIGHT, label="cat")))
    assert len(memory.apartness) == 0


def test_those_of_two_names_that_look_alike_are_marked() -> None:
    memory, _ = grown(clip("a", 0, seen(0, (1, 0), label="cup"), seen(1, (1, 0), box=RIGHT, label="mug")))
    assert (0, 1) in memory.apartness


def test_in_one_place_or_at_different_times_nobody_is_apart() -> None:
    same_place = clip("a", 0, seen(0, (1, 0)), seen(1, (0, 1)))
    other_times = clip("b", 60, seen(0, (1, 0), 60), seen(1, (0, 1), 80, box=RIGHT))
    memory, _ = grown(same_place, other_times)
    assert memory.entity_count == 2
    assert len(memory.apartness) == 0

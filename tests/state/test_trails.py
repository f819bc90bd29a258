"""Trails: the last few thousand at hand, older ones from the store, and the same answer either way."""

import numpy as np
import pytest
from sightings import RIGHT, STREAM, clip, recording, seen, unit

from biographer.state import trails as trails_file
from biographer.state.folder import StateFolder
from biographer.state.membership import Cause
from biographer.state.state_hash import state_hash
from biographer.state.stream import Stream
from biographer.state.trail import Trail
from biographer.state.trails import Trails


def a_trail(number: int) -> Trail:
    return Trail(np.array([number], np.int64), np.zeros((1, 4), np.float32))


def test_what_came_longest_ago_is_asked_of_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trails_file, "_KEPT", 3)
    asked = []

    def older(number: int) -> Trail:
        asked.append(number)
        return a_trail(number)

    trails = Trails(older)
    for number in range(5):
        trails.add(number, a_trail(number))
    assert [int(trails[number].times_us[0]) for number in range(5)] == [0, 1, 2, 3, 4]
    assert asked == [0, 1]


def test_the_store_gives_every_trail_back(stream: Stream) -> None:
    made = recording(11, 12)
    for perceived in made:
        stream.apply(perceived)
    for number in range(len(stream.memory.spans)):
        kept, stored = stream.memory.trails[number], stream.store.trail(number)
        assert np.array_equal(kept.times_us, stored.times_us)
        assert np.array_equal(kept.boxes, stored.boxes)
        assert kept.step_us == stored.step_us
    with pytest.raises(KeyError):
        stream.store.trail(len(stream.memory.spans))


def test_decisions_are_the_same_however_few_trails_are_at_hand(
    folder: StateFolder, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = recording(12, 60, kinds=2)
    for perceived in made:
        folder.stream(STREAM).apply(perceived)
    monkeypatch.setattr(trails_file, "_KEPT", 1)
    other = StateFolder(tmp_path_factory.mktemp("few"), folder.stream(STREAM).memory.rule)
    for perceived in made:
        other.stream(STREAM).apply(perceived)
    assert state_hash(other.stream(STREAM).store) == state_hash(folder.stream(STREAM).store)
    other.close()


def test_a_clip_that_comes_long_after_is_still_held_apart(stream: Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trails_file, "_KEPT", 4)
    looks = unit(1, 2, 3)
    stream.apply(clip("a", 0, seen(0, looks, 20)))
    for number in range(1, 12):
        stream.apply(clip(f"b{number}", 60 * number, seen(0, unit(number, -1, -number), 60 * number)))
    late = stream.apply(clip("late", 15, seen(0, looks, 20, box=RIGHT))).change
    assert late is not None
    assert late.memberships[0].cause is Cause.NEW
    assert late.vetoes == 1


def test_one_trail_of_a_clip_of_thousands_costs_no_more_than_itself(
    stream: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream.apply(clip("many", 0, *(seen(track, unit(1, 2, track), 1) for track in range(200))))
    made: list[Trail] = []
    monkeypatch.setattr("biographer.state.store.Trail", lambda *parts: made.append(Trail(*parts)) or made[-1])
    # Unpacked whole for each, ten thousand subjects of one view took minutes.
    assert [len(stream.store.trail(number).times_us) for number in (0, 100, 199)] == [
        len(stream.memory.trails[number].times_us) for number in (0, 100, 199)
    ]
    assert len(made) == 3

"""After a restart the index is learned beside the writer; whoever asks waits a while, or hears how far it is."""

from collections.abc import Iterator
from threading import Event, Thread

import pytest
from sightings import STREAM, clip, seen

from biographer.state.errors import TransientError
from biographer.state.index import Index
from biographer.state.learned import Learned
from biographer.state.learning import Learning
from biographer.state.memory import Memory
from biographer.state.rule import Rule, Thresholds
from biographer.state.trail import Trail


def never_asked(observation: int) -> Trail:
    raise AssertionError(observation)


def learned(count: int) -> list[Learned]:
    memory = Memory(STREAM, Rule(thresholds={"": Thresholds(0.6, 0.9)}), never_asked)
    found = []
    for number in range(count):
        change = memory.plan(clip(f"c{number}", 30 * number, seen(0, (1, 0), 30 * number)))
        memory.adopt(change)
        found.append(Learned.of(change))
    return found


class Store:
    """Clips that are read one by one, once they may be."""

    def __init__(self, clips: list[Learned]) -> None:
        self.clips = clips
        self.reading, self.may_read = Event(), Event()

    def after(self, first: int) -> Iterator[Learned]:
        for one in self.clips[first:]:
            self.reading.set()
            assert self.may_read.wait(20)
            yield one


def test_the_writer_waits_for_no_learning_and_its_clips_are_learned() -> None:
    clips = learned(6)
    store, learning = Store(clips[:4]), Learning(Index)
    learning.later(store.after, 4)
    learner = Thread(target=learning.learn)
    learner.start()
    assert store.reading.wait(20)
    for number in (4, 5):
        store.clips.append(clips[number])
        learning.grow(number, clips[number])  # returns at once, though the learner is in the middle of it
    assert learning.at_hand is None
    store.may_read.set()
    learner.join(20)
    index = learning.at_hand
    assert index is not None
    assert index.names == [one.name for one in clips]


def test_who_asks_meanwhile_hears_how_far_it_is() -> None:
    store, learning = Store(learned(3)), Learning(Index)
    learning.later(store.after, 3)
    with pytest.raises(TransientError, match=r"0 of 3 clips are learned.*ask again"):
        learning.soon(0.01)
    assert learning.progress == "0 of 3 clips are learned"
    store.may_read.set()
    assert len(learning.soon(20).clips) == 3
    assert learning.progress is None


def test_of_a_new_stream_there_is_nothing_to_learn() -> None:
    clips, learning = learned(2), Learning(Index)
    learning.later(lambda _: iter(()), 0)
    for number, one in enumerate(clips):
        learning.grow(number, one)
    assert learning.soon(0) is learning.index
    assert len(learning.index.clips) == 2


def test_closing_ends_the_learning_at_the_next_clip() -> None:
    clips, learning = learned(3), Learning(Index)

    def source(first: int) -> Iterator[Learned]:
        yield clips[first]
        learning.stop()
        yield clips[first + 1]
        raise AssertionError("read on after the end")

    learning.later(source, 3)
    learning.learn()
    learning.close()
    assert learning.at_hand is None

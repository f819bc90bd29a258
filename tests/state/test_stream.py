"""Effectively once (DESIGN section 5): whatever crashes, redeliveries and restarts come between, the same memory."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sightings import STREAM, clip, recording, seen, unit

from biographer.state.errors import RefusedError, TransientError
from biographer.state.folder import StateFolder
from biographer.state.graph import Node, NodeKind
from biographer.state.perceived import Perceived
from biographer.state.position import Position
from biographer.state.rule import Rule, Thresholds
from biographer.state.state_hash import state_hash
from biographer.state.stream import Stream
from biographer.state.verify import verdict

RULE = Rule(references=3, thresholds={"": Thresholds(0.6, 0.9), "f": Thresholds(0.3, 0.7)})


def position(offset: int, topic: str = "clips") -> Position:
    return Position("cluster", topic, "id", 0, offset, "tail")


@contextmanager
def opened(path: Path) -> Iterator[Stream]:
    folder = StateFolder(path, RULE)
    try:
        yield folder.stream(STREAM)
    finally:
        folder.close()


def hash_of(path: Path, perceiveds: list[Perceived]) -> str:
    """The hash of an uninterrupted run."""
    with opened(path) as stream:
        for perceived in perceiveds:
            stream.apply(perceived)
        return state_hash(stream.store)


def everything(stream: Stream) -> dict[str, object]:
    """All that a memory holds, in a form to compare: what a restart rebuilds must be what had grown."""
    memory = stream.memory
    galleries = {
        name: {
            int(entity): (found.observations, found.vectors.tobytes())
            for entity in gallery.entities.view()
            for found in [gallery.references_of(int(entity))]
        }
        for name, gallery in memory.galleries.items()
    }
    nodes = [Node(NodeKind.CLIP, n) for n in range(len(memory.clips))]
    nodes += [Node(NodeKind.EPISODE, n) for n in range(len(memory.clips))]
    nodes += [Node(NodeKind.OBSERVATION, n) for n in range(len(memory.spans))]
    nodes += [Node(NodeKind.ENTITY, n) for n in range(memory.entity_count)]
    pairs = [(a, b) for a in range(memory.entity_count) for b in range(a) if (a, b) in memory.apartness]
    trails = [(memory.trails[n].times_us.tolist(), memory.trails[n].boxes.tolist()) for n in range(len(memory.spans))]
    return {
        "clips": memory.clips,
        "clip spans": [memory.clip_spans[n] for n in range(len(memory.clip_spans))],
        "spans": [memory.spans[n] for n in range(len(memory.spans))],
        "entities": memory.entity_of[:].tolist(),
        "entity count": memory.entity_count,
        "watermark": memory.watermark_us,
        "version": memory.version,
        "galleries": galleries,
        "apart": (pairs, len(memory.apartness)),
        "graph": memory.graph.counts(),
        "neighbours": [memory.graph.neighbours(node) for node in nodes],
        "trails": trails,
        "recent": memory._recent_clips,
    }


# The same log, the same memory.


def test_the_same_log_gives_the_same_memory(tmp_path: Path) -> None:
    """Qiskit/rustworkx#356: identifiers are equal on replay, and count up."""
    made = recording(4, 30)
    for run in "ab":
        with opened(tmp_path / run) as stream:
            for perceived in made:
                change = stream.apply(perceived).change
                assert change is not None
                numbers = [one.number for one in change.entities]
                assert numbers == list(range(stream.memory.entity_count - len(numbers), stream.memory.entity_count))
    with opened(tmp_path / "a") as one, opened(tmp_path / "b") as other:
        assert state_hash(one.store) == state_hash(other.store)
        assert everything(one) == everything(other)
        assert one.memory.entity_count > 5


def test_a_clip_applied_again_changes_nothing_but_the_position(tmp_path: Path) -> None:
    """faust-streaming/faust#323: three times, from another offset, and with other content under the same name."""
    made = recording(4, 12)
    expected = hash_of(tmp_path / "once", made)
    with opened(tmp_path / "thrice") as stream:
        offset = 0
        for perceived in made:
            for turn in range(3):
                offset += 1
                applied = stream.apply(perceived, position(offset))
                assert applied.known == (turn > 0)
                assert stream.positions() == (position(offset),)
        before = everything(stream)
        other = clip(made[3].clip.name, 9_000, seen(0, unit(*range(12)), 9_000), words="something else")
        assert stream.apply(other).known
        for perceived in reversed(made):
            assert stream.apply(perceived).change is None
        assert stream.version == len(made)
        assert everything(stream) == before
        assert state_hash(stream.store) == expected


def test_a_late_clip_is_kept_and_marked(tmp_path: Path) -> None:
    """bytewax/bytewax#413: 0:30 after 1:00 to 2:00."""
    with opened(tmp_path) as stream:
        looks = unit(*range(1, 13))
        for name, start in (("a", 60), ("b", 90)):
            assert not stream.apply(clip(name, start, seen(0, looks, start))).late
        assert stream.watermark_us == 120_000_000
        applied = stream.apply(clip("late", 30, seen(0, looks, 30), words="better late"))
        assert applied.late
        assert applied.change is not None
        assert applied.change.memberships[0].entity == 0
        assert stream.watermark_us == 120_000_000
        assert stream.store.database.connection.execute("SELECT late FROM clip ORDER BY number").fetchall() == [
            (0,),
            (0,),
            (1,),
        ]
        beside = stream.memory.graph.neighbours(Node(NodeKind.EPISODE, 2))
        assert (Node(NodeKind.EPISODE, 0)) in [node for node, _ in beside]


# Restarts.


@settings(max_examples=12)
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_a_memory_that_is_rebuilt_is_the_one_that_grew(
    tmp_path_factory: pytest.TempPathFactory, seed: int, stretches: list[int]
) -> None:
    """HippoRAG#94: everything is there at once after a restart, and what follows is decided alike."""
    made = recording(seed, sum(stretches))
    tmp_path = tmp_path_factory.mktemp("restart")
    expected = hash_of(tmp_path / "whole", made)
    rest = iter(made)
    for stretch in stretches:
        with opened(tmp_path / "parts") as stream:
            for _ in range(stretch):
                stream.apply(next(rest))
            grown = everything(stream)
        with opened(tmp_path / "parts") as stream:
            assert everything(stream) == grown
            assert verdict(stream.store, stream.memory).faults == ()
    with opened(tmp_path / "parts") as stream:
        assert state_hash(stream.store) == expected


def test_a_restart_between_any_two_of_many_clips_makes_no_difference(tmp_path: Path) -> None:
    """Longer than what is kept at hand: the anchors' clips and the trails' are found again."""
    made = recording(9, 90)
    expected = hash_of(tmp_path / "whole", made)
    with opened(tmp_path / "whole") as whole:
        memory = everything(whole)
    for start in range(0, len(made), 13):
        with opened(tmp_path / "parts") as stream:
            for perceived in made[start : start + 13]:
                stream.apply(perceived)
    with opened(tmp_path / "parts") as stream:
        assert everything(stream) == memory
        assert state_hash(stream.store) == expected


# Crashes.


class Crash(BaseException):
    """Not an Exception, so that nothing of ours can take it for one."""


def before_the_store(stream: Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    def commit(*_: object) -> None:
        raise Crash

    monkeypatch.setattr(stream.store, "commit", commit)


def before_the_memory(stream: Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    def adopt(*_: object) -> None:
        raise Crash

    monkeypatch.setattr(stream.memory, "adopt", adopt)


def among_the_media(stream: Stream, monkeypatch: pytest.MonkeyPatch) -> None:
    def put(*_: object) -> None:
        raise Crash

    monkeypatch.setattr(stream.media, "put", put)


def at_statement(number: int) -> Callable[[Stream, pytest.MonkeyPatch], None]:
    """Crash at the n-th statement that the transaction runs, its BEGIN and COMMIT among them."""

    def arm(stream: Stream, _: pytest.MonkeyPatch) -> None:
        left = number

        def trace(*_: object) -> bool:
            nonlocal left
            left -= 1
            if left < 0:
                stream.store.database.connection.exec_trace = None
                raise Crash
            return True

        stream.store.database.connection.exec_trace = trace

    arm.__name__ = f"at_statement_{number}"
    return arm


CRASHES = [before_the_store, before_the_memory, among_the_media, *map(at_statement, range(14))]


@pytest.mark.parametrize("crash", CRASHES, ids=lambda one: one.__name__)
def test_a_crash_at_any_step_of_an_apply_is_made_good_by_applying_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crash: Callable[[Stream, pytest.MonkeyPatch], None]
) -> None:
    """fast-graphrag#101: store, galleries and graph agree whenever the process dies, and the log makes up the rest."""
    made = recording(6, 10)
    expected = hash_of(tmp_path / "whole", made)
    struck = 0
    for number, perceived in enumerate(made):
        with opened(tmp_path / "crashed") as stream, monkeypatch.context() as patch:
            crash(stream, patch)
            try:
                stream.apply(perceived, position(number + 1))
            except Crash:
                struck += 1
            # The memory in hand is as lost as the process would be; only what is on the disk counts.
        with opened(tmp_path / "crashed") as stream:
            assert verdict(stream.store, stream.memory).faults == ()
            assert stream.version == len(stream.memory.clips) in {number, number + 1}
            assert stream.knows(perceived.clip.name) == (stream.positions() == (position(number + 1),))
            for again in made[: number + 1]:
                stream.apply(again, position(number + 1))
    assert struck >= 5
    with opened(tmp_path / "crashed") as stream:
        assert state_hash(stream.store) == expected


CLIPS = 260

VICTIM = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
sys.path.insert(0, sys.argv[2] + "/state")
from test_stream import CLIPS, opened, position
from sightings import recording
with opened(Path(sys.argv[1])) as stream:
    for number, perceived in enumerate(recording(8, CLIPS)):
        stream.apply(perceived, position(number + 1))
        print(number, flush=True)
"""


@pytest.mark.parametrize("kills", [2, pytest.param(40, marks=pytest.mark.slow)])
def test_kill_9_under_load_loses_and_doubles_nothing(tmp_path: Path, kills: int) -> None:
    tests = Path(__file__).resolve().parent.parent
    made = recording(8, CLIPS)
    reached = 0
    for turn in range(kills):
        with subprocess.Popen(
            [sys.executable, "-c", VICTIM, str(tmp_path / "killed"), str(tests)], stdout=subprocess.PIPE, text=True
        ) as victim:
            assert victim.stdout is not None
            for line in victim.stdout:
                reached = int(line)
                if reached >= (turn + 1) * 200 // kills:
                    victim.send_signal(signal.SIGKILL)
                    break
        with opened(tmp_path / "killed") as stream:
            assert stream.version > reached  # what was said to be applied is there
            (claimed,) = stream.positions()
            assert claimed.next_offset <= stream.version  # never past a clip that is not applied
            assert verdict(stream.store, stream.memory).faults == ()
    with opened(tmp_path / "killed") as stream:
        done = stream.version
        for perceived in made[:done]:
            assert stream.apply(perceived).known
        digest = state_hash(stream.store)
    assert digest == hash_of(tmp_path / "whole", made[:done])


# Positions.


def test_a_position_is_kept_without_a_clip_and_for_each_partition(tmp_path: Path) -> None:
    with opened(tmp_path) as stream:
        stream.apply(clip("a", 0), position(1))
        before = state_hash(stream.store)
        stream.advance(position(2))
        stream.advance(Position("cluster", "clips", "id", 1, 5))
        stream.advance(position(9, "other"))
        assert state_hash(stream.store) == before
    with opened(tmp_path) as stream:
        assert set(stream.positions()) == {
            position(2),
            Position("cluster", "clips", "id", 1, 5),
            position(9, "other"),
        }


def test_the_position_of_another_log_takes_the_place_of_the_former(tmp_path: Path) -> None:
    with opened(tmp_path) as stream:
        stream.apply(clip("a", 0), position(100))
        elsewhere = Position("another cluster", "clips", "another id", 0, 3, "")
        stream.apply(clip("b", 30), elsewhere)
        assert stream.positions() == (elsewhere,)


# What cannot be applied.


@pytest.mark.parametrize(
    ("perceived", "reason"),
    [
        (clip("c", 0, seen(1, (1, 0)), seen(1, (0, 1))), "two observations of one track"),
        (clip("c", 0, seen(1, (1, 0)), seen(2, (1, 0, 0))), "one embedder yields one length"),
        (clip("c", 0, seen(1, (1, 0, 0))), "gave 3 numbers where this stream has 2"),
        (clip("c", 0, stream="other"), "stream 'other' came to the memory of 'wearer'"),
    ],
)
def test_what_cannot_be_applied_is_refused_and_changes_nothing(
    tmp_path: Path, perceived: Perceived, reason: str
) -> None:
    with opened(tmp_path) as stream:
        stream.apply(clip("a", 0, seen(0, (1, 0))))
        before, digest = everything(stream), state_hash(stream.store)
        with pytest.raises(RefusedError, match=reason):
            stream.apply(perceived, position(7))
        assert everything(stream) == before
        assert state_hash(stream.store) == digest
        assert stream.positions() == ()
        assert not stream.apply(clip("b", 30, seen(0, (1, 0), 30))).known


def test_media_that_are_not_theirs_are_refused_before_anything_is_kept(tmp_path: Path) -> None:
    with opened(tmp_path) as stream:
        honest = clip("a", 0, media=[b"picture"])
        forged = Perceived(honest.clip, (), dict.fromkeys(honest.media, b"another"))
        with pytest.raises(RefusedError, match="does not match its bytes"):
            stream.apply(forged)
        assert stream.version == 0
        assert not stream.apply(honest).known


def test_a_row_that_the_tables_refuse_rolls_the_whole_clip_back(tmp_path: Path) -> None:
    with opened(tmp_path) as stream:
        stream.apply(clip("a", 0, seen(0, (1, 0))))
        before = everything(stream)
        twice = clip("b", 30, seen(0, (1, 0), 30))
        stream.store.database.connection.execute("INSERT INTO entity VALUES (1, 'e', 0)")
        different = clip("b", 30, seen(0, (0, 1), 30))
        with pytest.raises(apsw.ConstraintError):
            stream.apply(different, position(1))
        assert everything(stream) == before
        assert stream.positions() == ()
        stream.store.database.connection.execute("DELETE FROM entity WHERE number = 1")
        assert not stream.apply(twice).known


def test_file_descriptors_stay_flat_over_many_openings(tmp_path: Path) -> None:
    made = recording(2, 4)
    counts = []
    for _ in range(12):
        with opened(tmp_path) as stream:
            for perceived in made:
                stream.apply(perceived)
        counts.append(len(list(Path("/proc/self/fd").iterdir())))
    assert counts[-1] == counts[1]


@pytest.mark.parametrize("gone", ["moved", "deleted", "replaced"])
def test_a_folder_that_is_gone_in_mid_run_is_noticed_and_nothing_is_written_into_nowhere(
    tmp_path: Path, gone: str
) -> None:
    with opened(tmp_path / "state") as stream:
        stream.apply(clip("a", 0, seen(0, (1, 0))), position(1))
        aside = tmp_path / "aside"
        if gone == "deleted":
            shutil.rmtree(tmp_path / "state")
        else:
            (tmp_path / "state").rename(aside)
        if gone == "replaced":
            shutil.copytree(aside, tmp_path / "state")
        for call in (
            lambda: stream.apply(clip("b", 30, seen(0, (1, 0), 30), media=[b"x"]), position(2)),
            lambda: stream.advance(position(2)),
        ):
            with pytest.raises(TransientError, match="moved or deleted"):
                call()
        assert stream.version == 1
        assert (tmp_path / "state").exists() == (gone == "replaced")
        if gone == "moved":
            aside.rename(tmp_path / "state")
            stream.apply(clip("b", 30, seen(0, (1, 0), 30)), position(2))
            assert stream.version == 2

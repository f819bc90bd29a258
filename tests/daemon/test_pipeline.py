"""The straight line on a real state folder, with a source and sinks in memory."""

import asyncio
from dataclasses import replace

import pytest
from daemon_doubles import CLIP_US, ListSource, Scripted, clip, running, until

from biographer.daemon.attempts import Attempts, Origin
from biographer.state.errors import BadClipError, FatalError, TransientError
from biographer.state.stream import Stream
from biographer.streams.message import FlushMessage, decode, encode


async def _hashes_alone(path, messages, **options):
    source = ListSource()
    source.send(messages)
    async with running(path, source, **options) as rig:
        await source.committed()
        return rig.hashes()


async def test_clips_of_a_stream_are_applied_in_order_and_committed(tmp_path):
    source = ListSource()
    source.send(clip("a", n) for n in range(12))
    async with running(tmp_path, source, Scripted(), perceivers=4, ahead=4) as rig:
        await source.committed()
        assert rig.clips("a") == [f"clip-{n:05}" for n in range(12)]
        assert rig.letters.items == []
    assert source.commits == {0: 12}


async def test_two_streams_interleaved_give_the_memories_of_each_alone(tmp_path):
    """mikel-brostrom/boxmot#741, getzep/graphiti#1676: nothing is shared between streams."""
    a, b = [clip("a", n) for n in range(30)], [clip("b", n) for n in range(30)]
    alone = await _hashes_alone(tmp_path / "a", a) | await _hashes_alone(tmp_path / "b", b)
    source = ListSource()
    source.send(message for pair in zip(a, b, strict=True) for message in pair)
    async with running(tmp_path / "both", source, perceivers=3) as rig:
        await source.committed()
        assert rig.hashes() == alone


async def test_a_clip_delivered_three_times_changes_nothing(tmp_path):
    """faust-streaming/faust#323: at once, later, and from another offset after a restart."""
    messages = [clip("a", n) for n in range(5)]
    once = await _hashes_alone(tmp_path / "once", messages)
    source = ListSource()
    source.send([messages[0], messages[0], *messages, *messages])
    async with running(tmp_path / "thrice", source) as rig:
        await source.committed()
        assert rig.hashes() == once
    source.seek(0, 0)
    async with running(tmp_path / "thrice", source) as rig:
        source.send(messages[:1])
        await source.committed()
        assert rig.hashes() == once
        assert rig.letters.items == []


async def test_a_known_clip_is_not_perceived_again(tmp_path):
    source, perception = ListSource(), Scripted()
    source.send([clip("a", 0)])
    async with running(tmp_path, source, perception):
        await source.committed()
        source.send([clip("a", 0), clip("a", 0)])
        await source.committed()
    assert perception.began == ["clip-00000"]


async def test_a_clip_of_a_wrong_clock_is_set_aside_and_makes_no_later_one_late(tmp_path):
    """Its watermark would have made every clip after it late, for ever; a replay of the log decides alike."""
    source, ahead = ListSource(), replace(clip("a", 1), clip="ahead", start_us=10**15)
    arrived_us = clip("a", 0).start_us + 10 * CLIP_US
    for message in (clip("a", 0), ahead, clip("a", 1)):
        source.add(encode(replace(message, tracks=None, lines=())), b"a", timestamp_us=arrived_us)
    async with running(tmp_path, source) as rig:
        await source.committed()
        assert rig.clips("a") == ["clip-00000", "clip-00001"]
        assert [letter.offset for letter in rig.letters.items] == [1]
        assert "order.future_s=3600" in rig.letters.items[0].reason
        assert rig.folder.stream("a").watermark_us == clip("a", 1).end_us


async def test_the_mark_never_passes_a_clip_in_hand(tmp_path):
    """A slow stream keeps the commit and every stored position of its partition back."""
    source, slow = ListSource(), clip("slow", 0)
    source.send([clip("fast", 0), replace(slow, clip="slow"), clip("fast", 1), clip("fast", 2)])

    class OnlySlow(Scripted):
        def perceive(self, message, stop):
            if message.clip == "slow":
                return super().perceive(message, stop)
            return self._real.perceive(message, stop)

    perception = OnlySlow()
    perception.gate.clear()
    async with running(tmp_path, source, perception, ahead=1) as rig:
        await source.committed(offset=1)
        fast = rig.folder.stream("fast")
        await until(lambda: fast.version >= 3)
        assert source.commits == {0: 1}
        assert {position.next_offset for position in rig.folder.positions()} == {1}
        perception.gate.set()
        await source.committed()
        assert max(position.next_offset for position in rig.folder.positions()) == 4


async def test_a_bad_clip_goes_to_the_dead_letters_and_the_next_proceeds(tmp_path):
    """robinhood/faust#586: bad MessagePack, a missing field, an unknown schema, a tombstone, a perceiver that fails."""
    source = ListSource()
    source.add(b"\xc1 not MessagePack", b"a")
    source.add(encode(clip("a", 0)).replace(b"duration_us", b"duration_ns"), b"a")
    source.add(encode(clip("a", 1)).replace(b"\xa6schema\x01", b"\xa6schema\x07"), b"a")
    source.add(None, b"a")
    source.send([clip("a", 2), clip("a", 3), clip("a", 4)])
    broken = {"clip-00002": [BadClipError("cut")], "clip-00003": [RuntimeError("surprise")]}
    async with running(tmp_path, source, Scripted(broken)) as rig:
        await source.committed()
        assert rig.clips("a") == ["clip-00004"]
        assert {letter.offset: letter.error for letter in rig.letters.items} == {
            0: "BadClipError", 1: "BadClipError", 2: "BadClipError", 3: "BadClipError",
            4: "BadClipError", 5: "RuntimeError",
        }  # fmt: skip
        assert [letter.reason for letter in sorted(rig.letters.items, key=lambda one: one.offset)][4:] == [
            "cut",
            "surprise",
        ]
        assert all(letter.topic == "clips" and letter.at_us == 5 for letter in rig.letters.items)
    assert b'dead_letters_total{kind="unexpected"} 1.0' in rig.metrics.page()


async def test_a_clip_whose_surroundings_fail_is_tried_again_then_set_aside(tmp_path):
    source = ListSource()
    source.send([clip("a", 0), clip("a", 1), clip("a", 2)])
    errors = {"clip-00000": [TransientError("503")] * 2, "clip-00001": [TransientError("503")] * 9}
    async with running(tmp_path, source, Scripted(errors), fetch_tries=3) as rig:
        await source.committed()
        assert rig.clips("a") == ["clip-00000", "clip-00002"]
        assert [letter.reason for letter in rig.letters.items] == ["503"]


async def test_a_full_disk_stops_nothing_but_the_clock(tmp_path, monkeypatch):
    """topoteretes/cognee#4348: nothing is lost or set aside, and who asks hears why it waits."""
    source = ListSource()
    source.send(clip("a", n) for n in range(3))
    async with running(tmp_path, source) as rig:
        await source.committed()
        stream = rig.folder.stream("a")
        full, real = [True], stream.store.commit
        refused = asyncio.Event()
        loop = asyncio.get_running_loop()

        def commit(*args):
            if full[0]:
                loop.call_soon_threadsafe(refused.set)
                raise TransientError("disk is full")
            return real(*args)

        monkeypatch.setattr(stream.store, "commit", commit)
        source.send(clip("a", n) for n in range(3, 6))
        await asyncio.wait_for(refused.wait(), 10)
        refused.clear()
        await asyncio.wait_for(refused.wait(), 10)
        assert rig.waiting == {"stream a": "disk is full"}
        assert source.commits == {0: 3}
        full[0] = False
        await source.committed()
        assert rig.waiting == {}
        assert rig.letters.items == []
        assert len(rig.clips("a")) == 6


async def test_dead_letters_wait_for_their_topic(tmp_path):
    source = ListSource()
    source.add(b"bad")
    async with running(tmp_path, source) as rig:
        rig.letters.errors = [TransientError("no broker")] * 3
        await source.committed()
        assert len(rig.letters.items) == 1
        assert ("dead letters", "no broker") in rig.waited


async def test_a_dead_letter_that_can_never_be_sent_stops_the_daemon(tmp_path):
    source = ListSource()
    source.add(b"bad")
    with pytest.raises(ExceptionGroup) as caught:  # noqa: PT012 - the pipeline has to run to fail
        async with running(tmp_path, source) as rig:
            rig.letters.errors = [ValueError("no such topic")]
            await rig.life
    assert caught.group_contains(FatalError, match="dead letter can't be sent")
    assert source.commits == {}


async def test_a_refused_commit_is_tried_again(tmp_path):
    """aio-libs/aiokafka#727: no silent hang, and whoever asks hears of it."""
    source = ListSource()
    source.refuse_commits = [TransientError("rebalancing")] * 2
    source.send([clip("a", 0)])
    async with running(tmp_path, source) as rig:
        await source.committed()
        assert ("commit", "rebalancing") in rig.waited
        assert rig.waited[-1] == ("commit", None)


async def test_a_full_queue_pauses_the_partition_and_an_empty_one_resumes_it(tmp_path):
    """blakeblackshear/frigate#23409: a slow consumer keeps a bounded number of records, whatever is sent."""
    source, perception = ListSource(), Scripted()
    perception.gate.clear()
    source.send((clip("a", n) for n in range(40)), partition=0)
    async with running(tmp_path, source, perception, queue_records=4) as rig:
        await until(lambda: source.paused)
        assert source.delivered == 4
        assert rig.pipeline.partitions.queued() == {0: 4}
        source.send([clip("b", 0)], partition=1)
        await until(lambda: rig.pipeline.partitions.queued().get(1) == 1)
        perception.gate.set()
        await source.committed(0)
        await source.committed(1)
        assert source.paused == set()
        assert len(rig.clips("a")) == 40


async def test_the_size_of_records_fills_a_queue_too(tmp_path):
    source, perception = ListSource(), Scripted()
    perception.gate.clear()
    source.send(clip("a", n) for n in range(10))
    async with running(tmp_path, source, perception, queue_records=1000, queue_bytes=2 * source.logs[0][0].size):
        await until(lambda: source.paused)
        assert source.delivered <= 3
        perception.gate.set()
        await source.committed()


async def test_clips_are_perceived_in_parallel_within_bounds(tmp_path):
    source, perception = ListSource(), Scripted()
    perception.gate.clear()
    for stream in "abcd":
        source.send(clip(stream, n) for n in range(3))
    async with running(tmp_path, source, perception, perceivers=3, ahead=1, queue_records=100):
        await until(lambda: perception.together >= 3)
        assert len(set(perception.began)) == 1, "one clip of each stream at once"
        perception.gate.set()
        await source.committed()
    assert perception.most_together == 3


async def test_late_and_out_of_order_clips_are_remembered(tmp_path):
    """bytewax/bytewax#413: a clip of before the others is in the memory; with a lateness, in its place."""
    shuffled = [clip("a", n) for n in (0, 2, 3, 1, 4, 6, 5, 7)]
    source = ListSource()
    source.send(shuffled)
    async with running(tmp_path / "at once", source) as rig:
        await source.committed()
        assert rig.clips("a") == [message.clip for message in shuffled]
    source = ListSource()
    source.send(shuffled)
    async with running(tmp_path / "patient", source, lateness_s=3 * CLIP_US / 1e6) as rig:
        await source.committed()
        assert rig.clips("a") == [f"clip-{n:05}" for n in range(8)]
        hashes = rig.hashes()
    assert hashes == await _hashes_alone(tmp_path / "sorted", sorted(shuffled, key=lambda one: one.start_us))


async def test_a_held_clip_keeps_the_commit_back_until_a_flush_in_the_log(tmp_path):
    source = ListSource()
    source.send([clip("a", 0), clip("a", 5)])
    async with running(tmp_path, source, lateness_s=600) as rig:
        await until(lambda: any(lane.held == 2 for lane in rig.pipeline.lanes))
        assert source.commits == {}
        source.add(encode(FlushMessage("a", 0)), b"a")
        await source.committed()
        assert rig.clips("a") == ["clip-00000", "clip-00005"]


@pytest.mark.parametrize("dies_before", [1, 2, 3])
async def test_clips_let_go_together_keep_their_order_over_a_crash_before_any_mark(tmp_path, monkeypatch, dies_before):
    """Nothing is done before the log's first record, which waits: yet a restart must know what had let them go."""
    first = clip("a", 0)
    source = ListSource()
    source.send([clip("a", 1), first, replace(first, clip="words", tracks=()), clip("a", 4)])
    source.add(encode(FlushMessage("a", 0)), b"a")
    real, applied = Stream.apply, []

    def dying(stream, perceived, position):
        if len(applied) == dies_before:
            raise FatalError("killed")
        applied.append(perceived.clip.name)
        return real(stream, perceived, position)

    with monkeypatch.context() as patch, pytest.raises(ExceptionGroup):  # noqa: PT012 - it has to run to die
        patch.setattr(Stream, "apply", dying)
        async with running(tmp_path, source, lateness_s=3.5 * CLIP_US / 1e6) as rig:
            await rig.life
    async with running(tmp_path, source, lateness_s=3.5 * CLIP_US / 1e6) as rig:
        source.seek(0, max((position.next_offset for position in rig.folder.positions()), default=0))
        await source.committed()
        assert rig.clips("a") == ["clip-00000", "words", "clip-00001", "clip-00004"]


async def test_held_clips_do_not_fill_the_queue(tmp_path):
    """A partition paused for clips that wait would never deliver what they wait for."""
    source = ListSource()
    source.send(clip("a", n) for n in range(5, 13))
    source.send([clip("a", 0)])
    source.add(encode(FlushMessage("a", 0)), b"a")
    async with running(tmp_path, source, lateness_s=600, queue_records=2) as rig:
        await source.committed()
        assert rig.clips("a") == [f"clip-{n:05}" for n in (0, *range(5, 13))]


async def test_a_quiet_stream_asks_for_its_flush_through_the_log(tmp_path):
    source = ListSource()
    source.send([clip("a", 0), clip("a", 5)])
    async with running(tmp_path, source, lateness_s=600, idle_flush_s=0.05) as rig:
        await source.committed(offset=3)
        assert [isinstance(decode(value), FlushMessage) for _, value in rig.flushes.items] == [True]
        assert rig.clips("a") == ["clip-00000", "clip-00005"]


async def test_a_revoked_partition_is_let_go_without_applying(tmp_path):
    source, perception = ListSource(), Scripted()
    perception.gate.clear()
    source.send([clip("a", 0), clip("a", 1)], partition=0)
    source.send([clip("b", 0)], partition=1)
    async with running(tmp_path, source, perception, perceivers=4) as rig:
        await until(lambda: perception.together >= 3)
        await rig.pipeline.revoked([0])
        perception.gate.set()
        await source.committed(1)
        assert rig.clips("a") == []
        assert 0 not in source.commits
        source.seek(0, 0)  # ours again
        await source.committed(0)
        assert rig.clips("a") == ["clip-00000", "clip-00001"]
        assert rig.letters.items == []


async def test_revoking_lets_held_clips_go_and_keeps_those_of_other_partitions(tmp_path):
    source = ListSource()
    source.send([clip("a", 0), clip("a", 5)], partition=0)
    source.send([clip("a", 7)], partition=1)
    async with running(tmp_path, source, lateness_s=600) as rig:
        await until(lambda: any(lane.held == 3 for lane in rig.pipeline.lanes))
        await rig.pipeline.revoked([0])
        source.add(encode(FlushMessage("a", 0)), b"a", partition=1)
        await source.committed(1)
        assert rig.clips("a") == ["clip-00007"]


async def test_stopping_leaves_what_is_perceived_and_commits_what_is_applied(tmp_path):
    source, perception = ListSource(), Scripted()
    source.send([clip("a", 0)])
    async with running(tmp_path, source, perception):
        await source.committed()
        perception.gate.clear()
        source.send([clip("a", 1), clip("a", 2)])
        await until(lambda: perception.together >= 2)
    assert source.commits == {0: 1}
    source.seek(0, 1)
    async with running(tmp_path, source) as rig:
        await source.committed()
        assert rig.clips("a") == ["clip-00000", "clip-00001", "clip-00002"]


async def test_positions_behind_records_that_change_nothing_are_stored_at_the_end(tmp_path):
    source = ListSource()
    source.send([clip("a", 0)])
    source.add(b"bad")
    source.send([clip("a", 0)])
    async with running(tmp_path, source):
        await source.committed()
    async with running(tmp_path, ListSource()) as rig:
        assert [position.next_offset for position in await rig.pipeline.claims(0)] == [3]
        assert await rig.pipeline.claims(1) == []


async def test_bad_records_alone_in_a_partition_are_set_aside_once_over_restarts(tmp_path):
    """No stream stores where such a partition stands; it is durable before the group is told."""
    source = ListSource()
    source.add(b"bad")
    source.add(b"worse", partition=1)
    source.send([clip("a", 0)])
    rig_at_commit: list[list[int]] = []

    async with running(tmp_path, source) as rig:
        told = source.commit

        async def commit(offsets):
            claims = [one for number in sorted(offsets) for one in await rig.pipeline.claims(number)]
            rig_at_commit.append([one.next_offset for one in claims])
            await told(offsets)

        source.commit = commit
        await source.committed()
        await source.committed(1)
        assert len(rig.letters.items) == 2
    assert all(rig_at_commit)
    async with running(tmp_path, ListSource()) as rig:
        assert [one.next_offset for one in await rig.pipeline.claims(1)] == [1]
        assert max(one.next_offset for one in await rig.pipeline.claims(0)) == 2


async def test_a_clip_at_work_at_three_crashes_goes_to_the_dead_letters(tmp_path):
    source = ListSource()
    source.send([clip("a", 0), clip("a", 1)])
    origin = Origin("clips", 0, 0, source.position(source.logs[0][0]).tail)
    for crashes in range(3):
        attempts = Attempts(tmp_path / "attempts.db")
        assert attempts.crashes(origin) == crashes
        attempts.begin(origin)
        attempts._database.close()  # as a crash does: the note of what was at work stays
    async with running(tmp_path, source) as rig:
        await source.committed()
        assert rig.clips("a") == ["clip-00001"]
        assert "died 3 times" in rig.letters.items[0].reason
        assert rig.attempts.crashes(origin) == 0


async def test_a_suspect_of_a_crash_is_perceived_alone(tmp_path):
    """Else those beside it would be counted along with it each time, and set aside without fault."""
    source, perception = ListSource(), Scripted()
    source.send(clip("a", n) for n in range(2))
    source.send([clip("b", 0)])
    attempts = Attempts(tmp_path / "attempts.db")
    attempts.begin(Origin("clips", 0, 0, source.position(source.logs[0][0]).tail))
    attempts._database.close()
    perception.gate.clear()
    async with running(tmp_path, source, perception, perceivers=3, ahead=3):
        await until(lambda: perception.together and source.delivered >= 3)
        assert perception.began == ["clip-00000"]
        perception.gate.set()
        await source.committed()
    assert len(perception.began) == 3

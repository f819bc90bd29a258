"""Changes that no clip brings, made between the clips of a running pipeline."""

import asyncio
import threading

import pytest
from daemon_doubles import ListSource, clip, running, until

from biographer.state.errors import RefusedError, TransientError
from biographer.state.ruling import Act, Word
from biographer.state.verify import verdict

MERGE = Word(Act.MERGE, "me", 0, 3)


async def test_a_word_is_obeyed_between_clips_and_holds_for_the_next(tmp_path):
    source = ListSource()
    source.send(clip("a", n) for n in range(3))
    async with running(tmp_path, source) as rig:
        await source.committed()
        ruled = await rig.pipeline.in_turn.obey("a", MERGE)
        assert ruled.version == 4
        source.send(clip("a", n) for n in range(3, 9))
        await source.committed()
        stream = rig.folder.stream("a")
        assert 3 not in stream.memory.entity_of[:]
        assert verdict(stream.store, stream.memory).faults == ()


async def test_a_refusal_reaches_who_asked_and_stops_nothing(tmp_path):
    source = ListSource()
    source.send([clip("a", 0)])
    async with running(tmp_path, source) as rig:
        await source.committed()
        with pytest.raises(RefusedError, match="seen apart"):
            await rig.pipeline.in_turn.obey("a", Word(Act.MERGE, "me", 0, 1))
        source.send([clip("a", 1)])
        await source.committed()
        assert len(rig.clips("a")) == 2


async def test_a_change_goes_on_when_its_asker_has_gone(tmp_path):
    """Else the next clip would be written beside it, in another thread."""
    source, begun, go_on = ListSource(), threading.Event(), threading.Event()
    source.send(clip("a", n) for n in range(3))
    async with running(tmp_path, source) as rig:
        await source.committed()

        def slowly(stream):
            begun.set()
            assert go_on.wait(60)
            return stream.obey(MERGE)

        asker = asyncio.create_task(rig.pipeline.in_turn.change("a", slowly))
        await until(begun.is_set)
        asker.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asker
        source.send([clip("a", 3)])
        stream = rig.folder.stream("a")
        assert rig.pipeline.lane("a").writing.locked()
        go_on.set()
        await source.committed()
        assert (stream.version, len(stream.memory.standing.rulings)) == (5, 1)


async def test_nothing_is_changed_before_the_start_or_after_the_end(tmp_path):
    source = ListSource()
    source.send([clip("a", 0)])
    async with running(tmp_path, source) as rig:
        await source.committed()
        pipeline = rig.pipeline
        pipeline.stop()
        with pytest.raises(TransientError, match=r"the daemon is .*stopping; say it again"):
            await pipeline.in_turn.obey("a", MERGE)


async def test_who_is_cancelled_while_the_daemon_ends_is_not_told_to_try_again(tmp_path):
    """It would, and for ever: a writer could not be stopped, and the daemon waited for it."""
    source = ListSource()
    source.send([clip("a", 0)])
    async with running(tmp_path, source) as rig:
        await source.committed()
        in_turn = rig.pipeline.in_turn
        async with rig.pipeline.lane("a").writing:
            asker = asyncio.create_task(in_turn.obey("a", MERGE))
            other = asyncio.create_task(in_turn.obey("a", MERGE))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            in_turn.end()
            await asyncio.sleep(0)
            asker.cancel()
            await asyncio.wait([asker, other])
        assert asker.cancelled()
        with pytest.raises(TransientError, match="stopping"):
            await other

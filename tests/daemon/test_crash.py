"""kill -9 at random points under load: no clip lost or doubled, the state hash of an uninterrupted run.

Each life of the daemon is a real process on a real broker, forked from a server that has imported everything, so that
each takes seconds. The clips carry the device's own tracks: no network is needed to fill a memory.
"""

import asyncio
import multiprocessing
import random
import time
from dataclasses import replace

import apsw
import pytest
from daemon_doubles import LATENESS_S, ListSource, clip, running, settings_for_daemon

from biographer.daemon import service
from biographer.daemon.parts import rule_of
from biographer.daemon.settings import Settings
from biographer.state.folder import StateFolder, stream_names
from biographer.state.state_hash import state_hash
from biographer.state.verify import verdict
from biographer.streams.dead_letters import read_letters
from biographer.streams.message import FlushMessage, encode
from biographer.streams.sink import KafkaSink

STREAMS = ("anna", "ben", "cleo")
CLIPS = 50
PATIENCE_S = 60
"""Without any progress, a machine full of other work included."""


def recording(count, seed):
    """Return records (stream, value) as a bad day sends them: late, doubled, undecodable; at the end a flush."""
    rng = random.Random(seed)
    records = []
    for stream in STREAMS:
        order = sorted(range(count), key=lambda n: n + rng.choice((0, 0, 0, 2.5)))
        sent = [encode(clip(stream, n, subjects=3)) for n in order]
        for at in rng.sample(range(count), count // 10):
            sent.insert(at, sent[max(0, at - rng.randrange(5))])
        sent.insert(count // 2, b"\xc1 no MessagePack")
        sent.append(encode(FlushMessage(stream, 0)))
        records.append([(stream, value) for value in sent])
    return [records[at % len(STREAMS)][at // len(STREAMS)] for at in range(len(STREAMS) * len(records[0]))]


class Lives:
    """One daemon that is killed again and again, over one topic and one state folder.

    The group is new in each life: the store's position is what decides, and no life waits for its predecessor's
    session to end.
    """

    def __init__(self, kafka, folder, rng):
        self._kafka, self._folder, self._rng = kafka, folder, rng
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["biographer.daemon.service"])
        self.under_load = 0

    def live(self, number):
        kafka = replace(self._kafka, group=f"{self._kafka.group}-{number}")
        settings = settings_for_daemon(kafka, self._folder, port=0, crashes_max=1_000, store_position_s=0.2)
        process = self._context.Process(target=service.serve, args=(settings,), daemon=True)
        process.start()
        return process

    def live_and_die(self, number, whole):
        """Live until some clips more are applied, and be killed a random moment later; now and then at once."""
        before, process = self.applied(), self.live(number)
        if self._rng.random() < 0.85:
            self._until(lambda: self.applied() > before, process)
        time.sleep(self._rng.random() * 0.15)
        process.kill()
        process.join()
        self.under_load += before < self.applied() < whole

    def live_to_the_end(self, end):
        process = self.live("last")
        self._until(lambda: self._over_stores("SELECT max(next_offset) FROM position", max) == end, process)
        process.terminate()
        process.join(20)
        assert process.exitcode == 0

    def applied(self):
        """Count the clips in the stores, as any reader beside the daemon may."""
        return self._over_stores("SELECT count(*) FROM clip", sum)

    def _over_stores(self, query, over):
        return over([0, *(_number(path, query) for path in self._databases())])

    def _databases(self):
        return list(self._folder.glob("streams/*/memory.db"))

    def _until(self, done, process):
        moved, stands = time.monotonic(), self._stands()
        while not done():
            assert process.is_alive(), "the daemon ended by itself"
            if stands != (stands := self._stands()):
                moved = time.monotonic()
            assert time.monotonic() - moved < PATIENCE_S, f"no progress for {PATIENCE_S} s at (clips, offset) {stands}"
            time.sleep(0.005)

    def _stands(self):
        return self.applied(), self._over_stores("SELECT max(next_offset) FROM position", max)


def _number(database, query):
    try:
        connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return connection.execute(query).get or 0
        finally:
            connection.close()
    except (apsw.SQLError, apsw.BusyError, apsw.CantOpenError, apsw.ReadOnlyError):
        return 0  # begun, and its tables not yet made; or killed in that, which who only reads may not undo


async def uninterrupted(path, records):
    """Return the state hashes of a run without a crash, and the offsets that it sets aside."""
    source = ListSource()
    for stream, value in records:
        source.add(value, stream.encode())
    async with running(path, source, lateness_s=LATENESS_S, rule=rule_of(Settings())) as rig:
        await source.committed()
        return rig.hashes(), {letter.offset for letter in rig.letters.items}


async def send(kafka, records):
    async with KafkaSink(kafka) as sink:
        for stream, value in records:
            await sink.send(stream, value)


def hashes_in(path):
    folder = StateFolder(path, rule_of(Settings()))
    try:
        for name in stream_names(path):
            stream = folder.stream(name)
            assert verdict(stream.store, stream.memory).faults == ()
        return {name: state_hash(folder.stream(name).store) for name in folder.names()}
    finally:
        folder.close()


async def one_soak(kafka, path, kills, seed):
    """Kill one daemon so often, and compare; return at how many kills it was in the middle of its work."""
    records = recording(CLIPS, seed)
    await send(kafka, records)
    expected, aside = await uninterrupted(path / "uninterrupted", records)
    lives, whole = Lives(kafka, path / "killed", random.Random(seed)), len(STREAMS) * CLIPS
    for number in range(kills):
        await asyncio.to_thread(lives.live_and_die, number, whole)
    await asyncio.to_thread(lives.live_to_the_end, len(records))
    assert hashes_in(path / "killed") == expected
    assert {listed.letter.offset async for listed in read_letters(kafka)} == aside
    return lives.under_load


DAEMONS, KILLS = 5, 4
"""At once, each with topics and a folder of its own, since joining a group is mostly waiting; and kills of each."""


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("kind", "seeds", "kills"),
    [
        # Fewer of both in the quick suite: on two cores they wait for each other.
        pytest.param("embedded", range(3), 3, id="embedded"),
        pytest.param("kafka", range(DAEMONS), KILLS, marks=(pytest.mark.slow, pytest.mark.kafka), id="kafka"),
        # A hundred kills, in pieces that can be run one by one: make soak ARGS="-k soak-3".
        *(
            pytest.param(
                "kafka",
                range(first, first + DAEMONS),
                KILLS,
                marks=(pytest.mark.soak, pytest.mark.kafka),
                id=f"soak-{first // DAEMONS}",
            )
            for first in range(DAEMONS, 6 * DAEMONS, DAEMONS)
        ),
    ],
)
async def test_kill_9_at_random_points_loses_and_doubles_nothing(request, settings_for, tmp_path, kind, seeds, kills):
    """circlemind-ai/fast-graphrag#101 too: the hash of the whole, and `verify` of every part."""
    broker = request.getfixturevalue(f"{kind}_broker")
    soaks = (one_soak(settings_for(broker), tmp_path / str(seed), kills, seed) for seed in seeds)
    under_load = await asyncio.gather(*soaks)
    assert sum(under_load) > len(seeds) * kills / 3, "most kills must fall in the middle of the work to prove anything"

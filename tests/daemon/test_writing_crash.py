"""kill -9 while models write: in the end the words are those of a life without a crash, and none is there twice.

A child lives over a log in memory and a real state folder; the endpoint lives here, so that it outlives every child.
"""

import asyncio
import sys
from pathlib import Path
from random import Random

import pytest
from daemon_doubles import until
from writing_rig import EVERY, answered, hashes

from biographer.bench.language_server import LanguageServer

CHILD = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from daemon_doubles import ListSource
from writing_rig import all_written, section, sent, writing

async def live():
    source = ListSource()
    source.send(sent())
    # Kills by the count of questions may come before the next clip is applied, again and again: none is set aside.
    async with writing(Path(sys.argv[2]), source, section(sys.argv[1]), crashes_max=100) as (rig, _):
        await all_written(rig)

asyncio.run(live())
"""


async def begun(url, folder):
    return await asyncio.create_subprocess_exec(
        sys.executable, "-c", CHILD, url, str(folder), str(Path(__file__).parents[1]),
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip


async def lived(server, folder, questions=None):
    """Live until all is written, or be killed after so many questions; return whether it got to the end."""
    child = await begun(server.url, folder)
    goal, ended = len(server.asked) + (questions or 0), asyncio.create_task(child.wait())
    async with asyncio.timeout(60):
        if questions is None:
            return await ended == 0
        await until(lambda: ended.done() or len(server.asked) >= goal, 0.001)
        if ended.done():
            return ended.result() == 0
        child.kill()
        await ended
        return False


@pytest.mark.slow
async def test_kill_9_at_random_points_writes_nothing_twice_and_loses_nothing(tmp_path):
    random, kills = Random(5), 8
    async with LanguageServer(lambda asked: answered(asked, 0.01)) as server:
        assert await lived(server, tmp_path / "whole")
        whole = len(server.asked)
        ends = [await lived(server, tmp_path / "killed", random.randint(1, 16)) for _ in range(kills)]
        assert await lived(server, tmp_path / "killed")
        asked = len(server.asked) - whole
    assert ends.count(False) >= kills // 2
    assert hashes(tmp_path / "killed") == hashes(tmp_path / "whole")
    assert whole == sum(EVERY.values())
    # What was being asked, or waited to be filed, when a life ended is asked again.
    assert whole <= asked <= whole + kills * (16 + 8)

"""The threads that read: bounded, and closed without a trace of it in what waits for them."""

import asyncio
import threading

import pytest

from biographer.daemon.readings import Pool
from biographer.state.errors import TransientError


async def test_who_waits_as_it_closes_is_told_and_not_cancelled():
    """A stream of events that waited for its turn logged a CancelledError of nobody's at each stop."""
    pool, gate = Pool("read", 1), threading.Event()
    first = asyncio.create_task(pool.run(gate.wait))
    second = asyncio.create_task(pool.run(lambda: 1))
    await asyncio.sleep(0)
    pool.close()
    with pytest.raises(TransientError, match="stopping"):
        await second
    gate.set()
    assert await first
    with pytest.raises(TransientError, match="stopping"):
        await pool.run(lambda: 1)


async def test_who_is_cancelled_itself_is_cancelled():
    pool, gate = Pool("read", 1), threading.Event()
    first, second = asyncio.create_task(pool.run(gate.wait)), asyncio.create_task(pool.run(lambda: 1))
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    gate.set()
    await first
    pool.close()


async def test_more_than_may_wait_are_sent_away():
    pool, gate = Pool("read", 1, waiting_max=1), threading.Event()
    first = asyncio.create_task(pool.run(gate.wait))
    await asyncio.sleep(0)
    with pytest.raises(TransientError, match="1 requests wait for the read threads"):
        await pool.run(lambda: 1)
    gate.set()
    await first
    pool.close()

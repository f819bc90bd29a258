"""Events over a real socket: each change once, as it is committed, resumable behind any version."""

import asyncio
import contextlib
import json
from urllib.parse import quote

import httpx
import pytest
from api_rig import ODD, Rig, filmed
from sightings import recording

PATH = f"/v1/streams/{quote(ODD, safe='')}/events"
LOG = recording(4, 10, stream=ODD)


@pytest.fixture
def rig(tmp_path):
    made = Rig(tmp_path)
    made.apply(ODD, *LOG[:4])
    yield made
    made.close()


class Listening:
    """The events of one answer, in order."""

    def __init__(self, answer):
        self._lines = answer.aiter_lines()

    async def next(self):
        event = {}
        async with asyncio.timeout(10):
            async for line in self._lines:
                if not line and "data" in event:
                    return event
                name, _, value = line.partition(": ")
                event[name] = json.loads(value) if name == "data" else value
        raise EOFError

    async def rest(self):
        ids = []
        with contextlib.suppress(EOFError):
            while True:
                ids.append((await self.next())["id"])
        return ids

    async def changes(self, count):
        return [await self.next() for _ in range(count)]


async def follow(client, headers=None, **params):
    request = client.build_request("GET", PATH, headers=headers, params=params)
    answer = await client.send(request, stream=True)
    return answer, Listening(answer)


async def test_changes_arrive_as_they_are_committed(rig):
    async with rig.served() as base, httpx.AsyncClient(base_url=base) as client:
        answer, events = await follow(client)
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert (await events.next())["data"]["version"] == 4
        for number, one in enumerate(LOG[4:7], 5):
            rig.apply(ODD, one)
            event = await events.next()
            assert (event["event"], event["id"]) == ("change", str(number))
            assert event["data"]["clip"]["name"] == one.clip.name
            assert len(event["data"]["observations"]) == len(one.observations)
        await answer.aclose()


async def test_who_was_away_misses_nothing_and_sees_nothing_twice(rig):
    rig.apply(ODD, *LOG[4:])
    async with rig.served() as base, httpx.AsyncClient(base_url=base) as client:
        for headers, params in [
            ({"last-event-id": "3"}, {}),
            ({}, {"after": 3}),
            ({"last-event-id": "3"}, {"after": 9}),
        ]:
            answer, events = await follow(client, headers, **params)
            await events.next()
            found = await events.changes(7)
            assert [event["id"] for event in found] == [str(n) for n in range(4, 11)]
            assert [event["data"]["clip"]["name"] for event in found] == [one.clip.name for one in LOG[3:]]
            new = [entity for event in found for entity in event["data"]["new_entities"]]
            assert len(new) == len(set(new))
            await answer.aclose()


async def test_a_version_of_another_memory_begins_with_what_is(rig):
    async with rig.served() as base, httpx.AsyncClient(base_url=base) as client:
        answer, events = await follow(client, {"last-event-id": "900"})
        assert (await events.next())["data"]["version"] == 4
        rig.apply(ODD, LOG[4])
        assert (await events.next())["id"] == "5"
        await answer.aclose()


async def test_many_listeners_hear_the_same(rig):
    async with rig.served() as base, httpx.AsyncClient(base_url=base) as client:
        all_of_them = [await follow(client) for _ in range(8)]
        for _, events in all_of_them:
            await events.next()
        rig.apply(ODD, *LOG[4:])
        for answer, events in all_of_them:
            assert [event["id"] for event in await events.changes(6)] == [str(n) for n in range(5, 11)]
            await answer.aclose()


async def test_events_end_with_the_token(rig):
    token = rig.token("read", streams=(ODD,))
    rig.token("admin", name="other")
    async with rig.served() as base, httpx.AsyncClient(base_url=base) as client:
        answer, events = await follow(client, {"authorization": f"Bearer {token}"})
        await events.next()
        rig.book.revoke(rig.book.tokens()[0].id)
        rig.apply(ODD, LOG[4])
        assert await events.rest() in ([], ["5"])
        await answer.aclose()


async def test_other_streams_commits_are_not_heard(rig):
    async with rig.served() as base, httpx.AsyncClient(base_url=base) as client:
        answer, events = await follow(client)
        await events.next()
        rig.apply("b", filmed("b", 0, 1.0))
        rig.apply(ODD, LOG[4])
        event = await events.next()
        assert event["data"]["stream"] == ODD
        await answer.aclose()


@pytest.mark.parametrize("behind", ["x", "-1", "1.5", "9" * 40])
async def test_what_is_no_version_is_refused(rig, behind):
    async with rig.client() as client:
        assert (await client.get(PATH, headers={"last-event-id": behind})).status_code == 400


async def test_events_have_no_head(rig):
    async with rig.client() as client:
        assert (await client.head(PATH)).status_code == 405

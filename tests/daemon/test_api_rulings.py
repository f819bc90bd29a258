"""Users' words over HTTP: who may say them, that they hold at once, and the log of them."""

import asyncio

import httpx
import pytest
from api_rig import cup_bowl_cup, got


@pytest.fixture
def rig(tmp_path):
    made = cup_bowl_cup(tmp_path)
    yield made
    made.close()


async def said(client, path, status=200, **body):
    answer = await client.post(f"/v1/streams/a/{path}", json=body or None)
    assert answer.status_code == status, answer.text
    return answer.json()


async def asked(client, path, **params):
    return await got(client, f"/v1/streams/a/{path}", **params)


async def test_a_name_is_found_and_belongs_to_its_time(rig):
    async with rig.client() as client:
        made = await said(client, "entities/e1/name", name="  Aunt\u00a0Ida ")
        assert (made["ruling"]["name"], made["ruling"]["by"], made["version"]) == ("Aunt Ida", "this machine", 4)
        (one,) = (await asked(client, "entities", name="ida"))["entities"]
        assert (one["entity"], one["name"], one["label"]) == ("e1", "Aunt Ida", "cup")
        assert (await asked(client, "entities", name="cup"))["total"] == 1
        then = await asked(client, "entities", name="ida", as_of="1970-01-01T00:01:29Z")
        assert (then["total"], (await asked(client, "entities/e1"))["entity"]["name"]) == (0, "Aunt Ida")


async def test_merged_split_apart_and_undone(rig):
    async with rig.client() as client:
        assert (await said(client, "entities/e0/merge", other="e1"))["moved"] == 1
        (one,) = (await asked(client, "entities"))["entities"]
        assert (one["entity"], one["observations"]) == ("e0", 3)
        refused = await said(client, "entities/e1/name", 400, name="Ida")
        assert "e1 is one with e0 by a ruling" in refused["detail"]
        await said(client, "rulings/r0/undo")
        split = await said(client, "entities/e0/split", observations=["o2"])
        assert split["ruling"]["other"] == "e2"
        assert (await asked(client, "entities/e2"))["entity"]["apart_from"] == ["e0"]
        await said(client, "entities/e1/apart", other="e2")
        log = (await asked(client, "rulings"))["rulings"]
        assert [(one["act"], one["in_force"]) for one in log] == [
            ("merge", False),
            ("undo", True),
            ("split", True),
            ("apart", True),
        ]
        assert (await asked(client, "rulings", as_of="1970-01-01T00:01:29Z"))["rulings"] == []


async def test_only_who_may_write_rules(rig):
    reader, writer = rig.token("read", name="r"), rig.token("write", "read", name="the kitchen")
    other = rig.token("write", streams=("b",), name="b")
    async with rig.client(reader) as client:
        await said(client, "entities/e0/name", 403, name="x")
        await asked(client, "rulings")
    async with rig.client(other) as client:
        await said(client, "entities/e0/name", 404, name="x")
    async with rig.client(writer) as client:
        assert (await said(client, "entities/e0/name", name="Mug"))["ruling"]["by"] == "the kitchen"


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("entities/e0/name", {"name": ""}, 400),
        ("entities/e0/name", {"name": "x" * 201}, 400),
        ("entities/e0/merge", {"other": "o1"}, 400),
        ("entities/e9/merge", {"other": "e0"}, 400),
        ("entities/e0/split", {"observations": []}, 400),
        ("rulings/r7/undo", {}, 400),
    ],
)
async def test_what_makes_no_sense_is_refused(rig, path, body, status):
    async with rig.client() as client:
        await said(client, path, status, **body)
        assert (await asked(client, "rulings"))["rulings"] == []


async def test_a_stream_is_not_begun_by_a_word_about_it(rig):
    async with rig.client() as client:
        answer = await client.post("/v1/streams/nobody/entities/e0/name", json={"name": "x"})
    assert answer.status_code == 404
    assert rig.folder.names() == ["a"]


async def test_a_list_does_not_go_on_across_a_word(rig):
    async with rig.client() as client:
        page = await asked(client, "entities", limit=1)
        await said(client, "entities/e0/merge", other="e1")
        answer = await client.get("/v1/streams/a/entities", params={"limit": 1, "cursor": page["next"]})
        assert answer.status_code == 410
        assert "begin it again" in answer.json()["detail"]
        assert (await asked(client, "entities", limit=1))["next"] is None
        gone = await client.get("/v1/streams/a/entities/e1")
        assert gone.status_code == 404
        assert "one with e0 by a user's word" in gone.json()["detail"]


async def test_followers_hear_that_something_was_said(rig):
    async with rig.client() as client:
        await said(client, "entities/e0/name", name="Mug")
    async with rig.served() as url, httpx.AsyncClient(base_url=url) as client:
        follow = client.stream("GET", "/v1/streams/a/events", headers={"last-event-id": "3"})
        async with follow as answer, asyncio.timeout(30):
            told = ""
            async for part in answer.aiter_text():
                told += part
                if "event: words" in told:
                    break
    assert "id: 4\nevent: words" in told

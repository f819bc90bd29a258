"""People whom castings name, over HTTP: what is shown of them, by whose word, and how a user parts them again."""

import api_rig
import pytest
from api_rig import Rig
from remarks import amendment, cast_as
from sightings import clip, seen

COAT, SHIRT = (1, 0, 0, 0), (0, 1, 0, 0)


@pytest.fixture
def rig(tmp_path):
    """Jake with and without his coat: two entities by looks, each cast as him twice."""
    made = Rig(tmp_path)
    for number, looks in enumerate([COAT, SHIRT, COAT, SHIRT]):
        one = clip(f"c{number}", 30 * number, seen(0, looks, 30 * number, label="person"), stream="a")
        made.apply("a", one)
        made.folder.stream("a").amend(amendment(cast_as(number, one.clip, "Jake")))
    yield made
    made.close()


async def got(client, path, **params):
    return await api_rig.got(client, f"/v1/streams/a/{path}", **params)


async def test_a_cast_person_is_one_by_a_name_that_is_said_to_be_cast(rig):
    async with rig.client() as client:
        for params in ({}, {"name": "jake"}):
            (one,) = (await got(client, "entities", **params))["entities"]
            assert (one["entity"], one["name"], one["named_by"], one["joined"]) == ("e0", "Jake", "castings", ["e1"])
            assert one["observations"] == 4
        known = await got(client, "entities/e0")
        assert [(seen["observation"], seen["entity"], seen["cause"]) for seen in known["observations"]] == [
            ("o0", "e0", "new"), ("o1", "e0", "casting"), ("o2", "e0", "match"), ("o3", "e0", "casting")
        ]  # fmt: skip
        around = await got(client, "graph/e0")
        assert {"o0", "o1", "o2", "o3"} <= {node["node"] for node in around["nodes"]}
        gone = await client.get("/v1/streams/a/entities/e1")
        assert "one with e0 by the name that its castings give it; ask for e0" in gone.json()["detail"]
        then = (await got(client, "entities", as_of="1970-01-01T00:01:30Z"))["entities"]
        assert {(one["entity"], one["name"]) for one in then} == {("e0", "Jake"), ("e1", None)}


async def test_a_user_parts_and_names_them(rig):
    async with rig.client() as client:
        answer = await client.post("/v1/streams/a/entities/e0/split", json={"observations": ["o1", "o3"]})
        assert answer.json()["ruling"]["act"] == "apart"
        apart = {one["entity"]: one for one in (await got(client, "entities"))["entities"]}
        assert {name: one["apart_from"] for name, one in apart.items()} == {"e0": ["e1"], "e1": ["e0"]}
        await client.post("/v1/streams/a/entities/e1/name", json={"name": "Tasha"})
        named = (await got(client, "entities/e1"))["entity"]
        assert (named["name"], named["named_by"], named["joined"]) == ("Tasha", "user", [])

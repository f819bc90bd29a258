"""Relations over HTTP, by a client, and on the command line."""

import asyncio
import json

import pytest
from api_rig import Rig, got
from click.testing import CliRunner
from remarks import AUTHOR, amendment, written
from sightings import clip, seen

import biographer
from biographer.ops.cli import main
from biographer.state.episode import LOCAL
from biographer.state.errors import RefusedError
from biographer.state.piece import Piece
from biographer.state.relation import Party, PartyKind, Relation, RelationKind
from biographer.state.stretch import Stretch

JAKE, CUP = Party("Jake", PartyKind.PERSON, track=0), Party("red cup", PartyKind.OBJECT)


@pytest.fixture
def rig(tmp_path):
    made = Rig(tmp_path, timezone="Asia/Kathmandu")
    for number in range(3):
        made.apply("a", clip(f"c{number}", 30 * number, seen(0, (1.0, 0.0), 30 * number), stream="a"))
        start, end = 30_000_000 * number, 30_000_000 * (number + 1)
        stretch = Stretch(LOCAL, start, end, end, (f"c{number}",))
        one = Relation(stretch, AUTHOR, JAKE, RelationKind.USES, CUP, start, end, "drinks")
        piece = Piece.of_stretch("relations", stretch, number)
        made.folder.stream("a").amend(amendment(written(piece, (f"c{number}",), one)))
    yield made
    made.close()


async def asked(rig, status=200, **params):
    async with rig.client() as client:
        return await got(client, "/v1/streams/a/relations", status, **params)


async def test_relations_are_found_with_their_clips_and_entities(rig):
    found = (await asked(rig, source="jake", kind="uses"))["relations"]
    assert [(one["clip"], one["source"]["entity"], one["relaxed"]) for one in found] == [
        ("c0", "e0", []),
        ("c1", "e0", []),
        ("c2", "e0", []),
    ]
    assert found[0]["author"]["model"] == "small"
    found = (await asked(rig, source="jake", to="1970-01-01T00:00:20Z"))["relations"]
    assert [(one["clip"], one["relaxed"]) for one in found] == [("c0", []), ("c1", ["time"]), ("c2", ["time"])]


async def test_as_of_a_time_later_ones_are_not_there(rig):
    answer = await asked(rig, source="jake", as_of="1970-01-01T00:01:05Z")
    assert [one["clip"] for one in answer["relations"]] == ["c0", "c1"]
    assert answer["snapshot"]["watermark"] == "1970-01-01T00:01:00Z"


@pytest.mark.parametrize(
    "params", [{"kind": "loves"}, {"limit": 0}, {"from": "1970-01-02T00:00:00Z", "to": "1970-01-01T00:00:00Z"}]
)
async def test_what_makes_no_sense_is_refused(rig, params):
    await asked(rig, 400, **params)


async def test_a_client_and_the_command_line_find_the_same(rig):
    async with rig.served_once() as url:
        async with biographer.AsyncClient(url) as client:
            found = await client.relations("a", target="cup", begin="1970-01-01T00:00:45Z", enough=1)
            with pytest.raises(RefusedError):
                await client.relations("a", limit=0)
        typed = ["relations", "--target", "cup", "--from", "1970-01-01T05:30:45", "--url", url, "--json"]
        done = await asyncio.to_thread(CliRunner().invoke, main, typed)
        table = await asyncio.to_thread(CliRunner().invoke, main, typed[:-1])
    assert done.exit_code == 0, done.output
    shown = json.loads(done.stdout)["relations"]
    assert [one.clip for one in found.relations] == [one["clip"] for one in shown][: len(found.relations)]
    assert "Jake (e0)" in table.output
    assert "1970-01-01T00:00:30Z" in done.stdout
    assert "1970-01-01T05:30:30+05:30" in table.output

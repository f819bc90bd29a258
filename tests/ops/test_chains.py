"""`biographer chains` against a served daemon, as a user types it."""

import asyncio
import json
import re

import pytest
from api_rig import Rig, fill
from click.testing import CliRunner
from remarks import AUTHOR, amendment, written
from sightings import us

from biographer.ops.cli import main
from biographer.state.chain import EventStep, TopicFact
from biographer.state.piece import Piece
from biographer.state.ruling import Act, Word
from biographer.state.stretch import Stretch


@pytest.fixture
def rig(tmp_path):
    made = Rig(tmp_path)
    fill(made, "a")
    stretch = Stretch("3min", 0, us(180), us(180), ("c0",))
    facts = [TopicFact(stretch, AUTHOR, "Grail", f"fact {n}", ("c0",), us(n), us(n + 1)) for n in range(3)]
    step = EventStep(stretch, AUTHOR, None, "Breakfast", "tea is poured", ("c0",), us(1), us(2))
    piece = Piece.of_stretch("chains", stretch, -1)
    made.folder.stream("a").amend(amendment(written(piece, ("c0",), *facts, step)))
    yield made
    made.close()


async def typed(rig, *arguments):
    async with rig.served_once() as url:
        command = ["chains", *arguments, "--url", url]
        return await asyncio.to_thread(lambda: CliRunner().invoke(main, command, env={"COLUMNS": "200"}))


async def test_a_table_has_a_row_for_each_link_and_says_how_many_came_before(rig):
    await rig.obey("a", Word(Act.NAME, "me", 0, name="Grail"))
    done = await typed(rig, "--links", "2")
    assert done.exit_code == 0, done.output
    told = [re.split(r" {2,}", row.strip()) for row in done.output.splitlines()[4:] if row.strip()]
    first, last = "1970-01-01T00:00:01Z", "1970-01-01T00:00:02Z"
    assert told == [
        ["Grail (e0)", "topic", "-", "-", "(1 more before)", "-"],
        ["Grail (e0)", "topic", first, last, "fact 1", "c0"],
        ["Grail (e0)", "topic", last, "1970-01-01T00:00:03Z", "fact 2", "c0"],
        ["Breakfast", "event", first, last, "tea is poured", "c0"],
    ]


async def test_json_has_whole_chains_and_no_more_than_asked_for(rig):
    told = json.loads((await typed(rig, "--json", "--limit", "1")).output)
    (one,) = told["chains"]
    assert (told["stream"], one["title"], one["further"], len(one["links"])) == ("a", "Grail", 0, 3)
    assert one["links"][0] == {
        "start": "1970-01-01T00:00:00Z", "end": "1970-01-01T00:00:01Z", "text": "fact 0", "clip": "c0"
    }  # fmt: skip


async def test_one_name_is_listed_and_an_entity_that_is_not_there_refused(rig):
    named = json.loads((await typed(rig, "--json", "--name", "breakfast")).output)
    assert [one["title"] for one in named["chains"]] == ["Breakfast"]
    assert "no chains" in (await typed(rig, "--as-of", "1970-01-01T00:02:00Z")).output
    refused = await typed(rig, "--entity", "e999")
    assert refused.exit_code == 2
    assert "'e999' is unknown" in refused.stderr

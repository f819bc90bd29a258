"""A user's word as it is typed, against a served daemon."""

import asyncio
import json

import pytest
from api_rig import cup_bowl_cup
from click.testing import CliRunner

from biographer.ops.cli import main


@pytest.fixture
def rig(tmp_path):
    made = cup_bowl_cup(tmp_path)
    yield made
    made.close()


async def typed(rig, *commands):
    """Run commands beside the served API; return their results."""
    async with rig.served_once() as url:
        runner = CliRunner()
        return [
            await asyncio.to_thread(runner.invoke, main, [*command, "--url", url], env={"COLUMNS": "200"})
            for command in commands
        ]


async def test_what_is_said_is_done_and_listed(rig):
    done = await typed(
        rig,
        ["name", "e1", "Aunt Ida"],
        ["merge", "e0", "e1"],
        ["undo", "r1"],
        ["split", "e0", "o2"],
        ["apart", "e1", "e2"],
        ["rulings", "--json"],
    )
    assert [one.exit_code for one in done] == [0] * 6, [one.output for one in done]
    assert "Aunt Ida" in done[0].output
    assert "observations moved: 1" in done[1].output
    listed = json.loads(done[-1].stdout)["rulings"]
    assert [(one["act"], one["in_force"], one["by"]) for one in listed] == [
        ("name", True, "this machine"),
        ("merge", False, "this machine"),
        ("undo", True, "this machine"),
        ("split", True, "this machine"),
        ("apart", True, "this machine"),
    ]


async def test_what_is_refused_is_one_line(rig):
    (done,) = await typed(rig, ["merge", "e0", "e0"])
    assert done.exit_code == 2
    assert "entity e0 was given twice" in done.output

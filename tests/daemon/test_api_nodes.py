"""Names and facts in the graph over HTTP: what lies around them, since when, and not before."""

import pytest
from api_rig import Rig, got
from remarks import AUTHOR, amendment, related, written
from sightings import clip, seen, us

from biographer.state.name import Mention, NameKind
from biographer.state.piece import Piece
from biographer.state.ruling import Act, Word
from biographer.state.stretch import Stretch
from biographer.state.triple import Triple


@pytest.fixture
def rig(tmp_path):
    """Three clips of one person, who is called Jake, once where a track is pointed at, once in a window that closed."""
    made = Rig(tmp_path)
    for number in range(3):
        made.apply("a", clip(f"c{number}", 30 * number, seen(0, (1.0, 0.0), 30 * number), stream="a"))
    stream = made.folder.stream("a")
    first = clip("c0", 0, stream="a").clip
    window = Stretch("3min", 0, us(90), us(90), ("c0", "c1", "c2"))
    mention = Mention(window, AUTHOR, "Jake", NameKind.PERSON, ("c1", "c2"), us(30), us(90))
    fact = Triple(window, AUTHOR, "jake", "drinks", "tea", ("c2",), us(60), us(90))
    stream.amend(amendment(related(0, first, "Jake", "cup", track=0)))
    stream.amend(amendment(written(Piece.of_stretch("names", window, -1), window.clips, mention, fact)))
    stream.obey(Word(Act.NAME, "me", 0, name="Jake"))
    yield made
    made.close()


async def around(rig, node, status=200, **params):
    async with rig.client() as client:
        return await got(client, f"/v1/streams/a/graph/{node}", status, **{"hops": 1, **params})


def edges(found):
    return {(one["right"], one["kind"], one["known"]) for one in found["edges"]}


async def test_around_a_name_is_where_it_is_mentioned_who_bears_it_and_what_is_known_of_it(rig):
    found = await around(rig, "n0")
    assert {(one["node"], one["kind"], one["label"]) for one in found["nodes"]} == {
        ("n0", "name", "Jake"),
        ("l0", "episode", None),
        ("l1", "episode", None),
        ("l2", "episode", None),
        ("c0", "clip", None),
        ("e0", "entity", "cup"),
        ("f0", "fact", "jake drinks tea"),
    }
    early, late = "1970-01-01T00:00:30Z", "1970-01-01T00:01:30Z"
    assert edges(found) == {
        ("l0", "mentioned_in", early),
        ("l1", "mentioned_in", late),
        ("l2", "mentioned_in", late),
        ("c0", "appeared_in", early),
        ("e0", "appeared_in", None),
        ("f0", "has_property", late),
    }


async def test_around_a_fact_are_its_names_and_the_episodes_that_state_it(rig):
    found = await around(rig, "f0")
    assert {(one["right"], one["kind"]) for one in found["edges"]} == {
        ("n0", "has_property"),
        ("n2", "has_property"),
        ("l2", "mentioned_in"),
    }
    assert found["nodes"][0]["start"] == "1970-01-01T00:01:00Z"


async def test_other_nodes_lead_there_and_an_episode_to_its_clip(rig):
    assert ("n0", "mentioned_in") in {(one["right"], one["kind"]) for one in (await around(rig, "l1"))["edges"]}
    assert ("l1", "co_clip") in {(one["right"], one["kind"]) for one in (await around(rig, "c1"))["edges"]}
    assert ("n0", "appeared_in") in {(one["right"], one["kind"]) for one in (await around(rig, "e0"))["edges"]}


async def test_what_is_known_later_is_not_there_yet(rig):
    await around(rig, "f0", 404, as_of="1970-01-01T00:01:29Z")
    found = await around(rig, "n0", as_of="1970-01-01T00:01:29Z")
    assert {one["right"] for one in found["edges"]} == {"l0", "c0"}
    await around(rig, "n9", 404)

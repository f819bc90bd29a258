"""What was written about records, over the API: told with its author, and as of a time only what was known then."""

import api_rig
import httpx
import pytest
from api_rig import Rig
from remarks import AUTHOR, amendment, captioned, described, summarised, written
from sightings import clip, seen, us

from biographer.state.name import Mention, NameKind
from biographer.state.piece import Piece
from biographer.state.stretch import Stretch
from biographer.state.times import format_time

HERE = "/v1/streams/anna"
WROTE = {"model": AUTHOR.model, "prompt": AUTHOR.prompt}


@pytest.fixture
def rig(tmp_path):
    """Eight clips in a row, each with a cup; the first is described late, captioned, and so is its window."""
    made = Rig(tmp_path)
    clips = [clip(f"c{n}", 30 * n, seen(0, (1, 0), 30 * n), stream="anna", words=f"word {n}") for n in range(8)]
    made.apply("anna", *clips)
    stream = made.folder.stream("anna")
    window = stream.memory.index.windows.versions[0]
    stream.amend(
        amendment(
            described(0, "c0", 0, us(60), "A cup with a chipped rim."),
            captioned(0, clips[0].clip, "Tea is poured."),
            summarised(window, tuple(f"c{n}" for n in window.clips), "Breakfast."),
        )
    )
    yield made
    made.close()


async def got(client, path, **params):
    return await api_rig.got(client, f"{HERE}{path}", **params)


async def test_an_observation_is_told_in_the_words_of_its_description(rig):
    async with rig.client() as client:
        page = await got(client, "/observations/o0")
        one = page["observation"]
        assert one["text"] == "cup. A cup with a chipped rim."
        assert (one["description"]["author"], one["description"]["known"]) == (WROTE, format_time(us(60)))
        assert one["description"]["summary"] == "A cup with a chipped rim."
        assert page["snapshot"]["version"] == 9
        (biography,) = [await got(client, "/entities/e0")]
        assert biography["observations"][0] == one
        assert (await got(client, "/clips/c0"))["observations"] == [one]
        other = (await got(client, "/observations/o1"))["observation"]
        assert (other["text"], other["description"]) == ("a cup", None)


async def test_as_of_then_nothing_is_told_that_was_not_written_of_what_was_there(rig):
    async with rig.client() as client:
        before = (await got(client, "/observations/o0", as_of=format_time(us(59))))["observation"]
        since = (await got(client, "/observations/o0", as_of=format_time(us(60))))["observation"]
    assert (before["text"], before["description"]) == ("a cup", None)
    assert since["description"] is not None


async def test_episodes_are_told_by_captions_and_summaries(rig):
    async with rig.client() as client:
        first, second, *_ = (await got(client, "/episodes"))["episodes"]
        (window,) = (await got(client, "/episodes", scale="3min"))["episodes"]
    assert (first["text"].splitlines()[:2], first["author"]) == (["Tea is poured.", "word 0"], WROTE)
    assert second["author"] is None
    assert (window["text"], window["author"]) == ("Breakfast.", WROTE)


async def test_a_search_tells_who_wrote_what_it_found(rig):
    async with rig.client() as client:
        answer = await client.post(f"{HERE}/search", json={"text": "chipped rim"})
        items = {one["unit"]: one for one in answer.json()["items"]}
        assert (items["o0"]["author"], items["o0"]["text"]) == (WROTE, "cup. A cup with a chipped rim.")
        assert "A cup with a chipped rim." in answer.json()["reading"]
        answer = await client.post(f"{HERE}/search", json={"text": "word 3", "limit": 8})
        assert {one["author"] is None for one in answer.json()["items"]} >= {True}


async def test_pages_of_a_list_keep_to_their_version_whatever_is_written_meanwhile(rig):
    async with rig.client() as client:
        first = await got(client, "/clips", limit=3)
        stream = rig.folder.stream("anna")
        stream.amend(amendment(described(1, "c1", 0, us(90), "Another cup.")))
        rig.apply("anna", clip("c8", 240, stream="anna"))
        rest = await got(client, "/clips", limit=100, cursor=first["next"])
    assert len(first["clips"]) + len(rest["clips"]) == 8


async def test_a_clip_is_told_with_its_caption_and_the_names_that_occur_in_it(rig):
    stretch = Stretch("3min", 0, us(180), us(180), ("c0", "c1"))
    mention = Mention(stretch, AUTHOR, "Ada", NameKind.PERSON, ("c1",), us(30), us(60))
    rig.folder.stream("anna").amend(amendment(written(Piece.of_stretch("names", stretch, -1), ("c0", "c1"), mention)))
    async with rig.client() as client:
        first, second, third = [await got(client, f"/clips/c{n}") for n in range(3)]
        before = await got(client, "/clips/c1", as_of=format_time(us(179)))
    assert first["caption"] == {"text": "Tea is poured.", "author": WROTE}
    assert second["caption"] is None
    assert second["names"] == [{"name": "Ada", "kind": "person"}]
    assert first["names"] == third["names"] == before["names"] == []


async def test_what_was_written_before_clips_that_are_told_is_told_too(rig):
    rig.apply("anna", clip("c8", 240, stream="anna"))
    async with rig.served() as url, httpx.AsyncClient(base_url=url, timeout=20) as client:
        told = []
        async with client.stream("GET", f"{HERE}/events", headers={"last-event-id": "8"}) as answer:
            async for line in answer.aiter_lines():
                told += [line] if line.startswith(("id: ", "event: ")) else []
                if line.startswith("data: ") and len(told) == 5:
                    break
    assert told == ["event: snapshot", "id: 10", "event: change", "id: 10", "event: words"]


async def test_who_follows_hears_that_something_was_written_and_can_resume_behind_it(rig):
    async with rig.served() as url, httpx.AsyncClient(base_url=url, timeout=20) as client:
        found, kinds = [], []
        async with client.stream("GET", f"{HERE}/events", headers={"last-event-id": "6"}) as answer:
            async for line in answer.aiter_lines():
                if line.startswith("id: "):
                    found.append(int(line[4:]))
                if line.startswith("event: "):
                    kinds.append(line[7:])
                if line.startswith("data: ") and len(found) == 3:
                    break
    assert found == [7, 8, 9]
    assert kinds == ["snapshot", "change", "change", "words"]

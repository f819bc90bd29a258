"""Search over the API: evidence with its sources, as of any time, from one snapshot, whatever is asked."""

import asyncio
import base64
import io
from urllib.parse import quote

import msgspec
import numpy as np
import pytest
from api_rig import ODD, SPOKEN, Rig, fill, filmed, whole_and_cut
from PIL import Image
from sightings import recording

from biographer.daemon.picture_vectors import PictureVectors
from biographer.state.observation import Embedding
from biographer.state.times import SECOND_US, format_time

PATH = f"/v1/streams/{quote(ODD, safe='')}/search"


@pytest.fixture
def rig(tmp_path):
    made = Rig(tmp_path)
    fill(made, ODD)
    yield made
    made.close()


async def search(client, status=200, path=PATH, **body):
    answer = await client.post(path, json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


async def test_a_word_leads_to_the_clip_and_its_frame(rig):
    async with rig.client() as client:
        found = await search(client, text=f"who said {SPOKEN}?", limit=4)
        best = found["items"][0]
        frame = await client.get(best["frame"])
        snapshot = (await client.get(PATH.removesuffix("/search"))).json()["snapshot"]
    assert (best["unit"], best["clip_name"], best["stream"], best["scale"]) == ("l12", "film-0", ODD, "local")
    assert SPOKEN in best["text"]
    assert f"> Ann: {SPOKEN}" in found["reading"]
    assert frame.headers["content-type"] == "image/jpeg"
    assert found["snapshot"] == snapshot


async def test_observations_are_read_as_biographies(rig):
    async with rig.client() as client:
        found = await search(client, text="a bowl", label="bowl", limit=40)
        crops = [one["crop"] for one in found["items"] if one["unit"].startswith("o")]
        assert (await client.get(crops[0])).status_code == 200
    assert {one["label"] for one in found["items"] if one["unit"].startswith("o")} == {"bowl"}
    selected = {unit for excerpt in found["excerpts"] for unit in excerpt["selected"]}
    assert selected == {one["unit"] for one in found["items"] if one["unit"].startswith("o")}
    assert {note["verdict"] for note in found["notes"]} <= {"apart", "unresolved"}


async def test_what_one_has_is_not_returned_again(rig):
    async with rig.client() as client:
        first = await search(client, text="word 3")
        units = [one["unit"] for one in first["items"]]
        second = await search(client, text="word 3", exclude=units)
    assert units
    assert not {one["unit"] for one in second["items"]} & set(units)


async def test_a_time_alone_reads_out_what_was_recorded_then(rig):
    between = {"from": format_time(2000 * SECOND_US), "to": format_time(2001 * SECOND_US)}
    async with rig.client() as client:
        found = await search(client, between=between)
        nothing = await search(client, between={"from": "1970-01-01T09:00:00Z", "to": "1970-01-01T10:00:00Z"})
        await search(client, 400, between={"from": between["to"], "to": between["from"]})
        worded = await search(client, text="between DAY1 00:33:20 and 0:33:21")
    assert worded["items"] == found["items"]
    assert [one["clip_name"] for one in found["items"]] == ["film-0"]
    assert (nothing["items"], nothing["reason"]) == ([], "empty")


def picture(kind="PNG", size=(64, 48)):
    file = io.BytesIO()
    Image.new("RGB", size, (200, 20, 20)).save(file, kind)
    return file.getvalue()


async def test_a_picture_finds_what_looks_like_it_alone_and_with_words(rig):
    """Session 1's third channel: looks; a picture in base64, or as it is in MessagePack."""
    memory = rig.folder.stream(ODD).memory
    target = next(number for number in range(len(memory.spans)) if memory.entity_of[number] >= 0)
    embedder = next(name for name, one in memory.galleries.items() if target in one.seen()[0])
    vector = memory.galleries[embedder].vector_of(target)
    rig.api.search.connect(rig.folder, lambda _: None, lambda _: Embedding(embedder, vector))
    image = base64.b64encode(picture()).decode()
    async with rig.client() as client:
        alone = await search(client, image=image)
        both = await search(client, image=image, text=SPOKEN, limit=40)
        then = await search(client, image=image, as_of=alone["items"][0]["known"])
        body = msgspec.msgpack.encode({"image": picture()})
        packed = await client.post(PATH, content=body, headers={"content-type": "application/msgpack"})
    assert any("visual" in one["channels"] for one in alone["items"])
    assert f"o{target}" in [one["unit"] for one in alone["items"]]
    assert packed.json()["items"] == alone["items"]
    assert {"lexical", "visual"} <= {channel for one in both["items"] for channel in one["channels"]}
    assert all(one["known"] <= then["snapshot"]["as_of"] for one in then["items"])


async def test_what_is_no_picture_or_cannot_be_compared_is_refused(rig):
    looking = PictureVectors(Fixed())
    async with rig.client() as client:
        without = await search(client, 400, image=base64.b64encode(picture()).decode())
        rig.api.search.connect(rig.folder, lambda _: None, looking.of_picture)
        for content in (
            b"",
            b"no picture",
            picture()[:60],
            picture("GIF"),
            b"x" * 9_000_000,
            picture(size=(8000, 8000)),
        ):
            told = await search(client, 400, image=base64.b64encode(content).decode())
            assert "image" in told["detail"]
        await search(client, 400, image="not base64!")
        await search(client, 413, image="x" * 13_000_000)
        foreign = await search(client, 400, image=base64.b64encode(picture()).decode())
    assert "perceive.embedder" in without["detail"]
    assert "'fixed'" in foreign["detail"]


class Fixed:
    """An embedder that sees the same in every picture."""

    name, dim = "fixed", 3

    def embed(self, crops):
        assert all(crop.shape[2] == 3 and max(crop.shape) <= 448 for crop in crops)
        return np.tile(np.float32([1, 0, 0]), (len(crops), 1))


async def test_without_seeds_the_reason_is_said(tmp_path):
    """(rustworkx): no seeds is an empty result with its reason, never an error."""
    rig = Rig(tmp_path)
    rig.apply("s", filmed("s", 0, 5.0))
    async with rig.client() as client:
        for text in ("", "   ", "qqqqq", "?"):
            found = await search(client, path="/v1/streams/s/search", text=text)
            assert (found["items"], found["reason"]) == ([], "no_seeds"), text
    rig.close()


@pytest.mark.parametrize(
    "text",
    [
        '"unclosed',
        "a AND OR NOT (",
        "cup* ^2 ~3 NEAR/5",
        "'; DROP TABLE clip; --",
        "\N{HOT BEVERAGE}\N{ZERO WIDTH JOINER}",
        "\u05db\u05d5\u05e1 \u0643\u0648\u0628",
        "\u676f\u5b50\u5728\u54ea\u91cc",
        "e\u0301" * 50,
        "word " * 2000,
        "\x00\x01",
        "\u202eevil",
    ],
)
async def test_any_text_is_a_question(rig, text):
    async with rig.client() as client:
        await search(client, text=text)


async def test_what_is_no_question_is_refused(rig):
    async with rig.client() as client:
        for body in ({"text": "x" * 10_001}, {"limit": 0}, {"limit": 1001}, {"entity": "o1"}, {"colour": "red"},
                     {"as_of": "2026-01-01T00:00:00"}, {"text": 5}, {"exclude": ["c1"]}):  # fmt: skip
            await search(client, 400, **body)
        await search(client, 404, path="/v1/streams/none/search", text="x")
        lone = await client.post(PATH, content=b'{"text": "\\ud800"}', headers={"content-type": "application/json"})
        assert lone.status_code in (200, 400)
    assert not rig.folder.knows("none")


@pytest.mark.parametrize("cut", [4, 9, 12])
async def test_as_of_finds_what_the_log_cut_at_that_time_had(tmp_path, cut):
    as_of, whole, until = whole_and_cut(tmp_path, cut)
    async with whole.client() as full, until.client() as short:
        for text in ("word 2", "cup", "bowl word 3"):
            answers = [await search(one, text=text, as_of=format_time(as_of)) for one in (full, short)]
            scores = []
            for answer in answers:
                del answer["took_ms"]
                scores.append([one.pop("score") for one in answer["items"]])
            assert scores[0] == pytest.approx(scores[1], abs=1e-6)
            assert answers[0]["items"], text
            assert answers[0] == answers[1], text
    whole.close()
    until.close()


async def test_a_restart_finds_at_once(tmp_path):
    """OSU-NLP-Group/HippoRAG#94: no re-indexing is needed before the first question."""
    rig = Rig(tmp_path)
    fill(rig, ODD)
    async with rig.client() as client:
        before = await search(client, text=SPOKEN)
    rig.close()
    rig = Rig(tmp_path)
    async with rig.client() as client:
        after = await search(client, text=SPOKEN)
    rig.close()
    del before["took_ms"], after["took_ms"]
    assert before == after


async def test_searches_under_ingest_see_one_snapshot_each(tmp_path):
    rig = Rig(tmp_path)
    log = recording(3, 60, stream="s")
    rig.apply("s", log[0])
    ends = [one.clip.end_us for one in log]
    done, answered = False, asyncio.Event()

    async def ask(client):
        versions = []
        while not done:
            found = await search(client, path="/v1/streams/s/search", text="word cup", limit=50)
            snapshot = found["snapshot"]
            assert snapshot["watermark"] == format_time(max(ends[: snapshot["version"]]))
            assert all(int(one["clip"][1:]) < snapshot["version"] for one in found["items"])
            versions.append(snapshot["version"])
            answered.set()
        assert versions == sorted(versions)
        return versions

    async with rig.client() as client:
        readers = [asyncio.create_task(ask(client)) for _ in range(8)]
        for number, one in enumerate(log[1:]):
            await asyncio.to_thread(rig.folder.stream("s").apply, one)
            if number % 10 == 0:
                answered.clear()
                await answered.wait()
        done = True
        seen = await asyncio.gather(*readers)
    rig.close()
    assert len({version for versions in seen for version in versions}) > 3

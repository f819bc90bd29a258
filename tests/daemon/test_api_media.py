"""Pixels over the API: pictures, frames by time, ranges of videos; as-of holds for them too."""

import io
from hashlib import sha256

import numpy as np
import pytest
from api_rig import Rig, filmed
from PIL import Image
from videos import number_of, video

from biographer.state.clip import Clip
from biographer.state.perceived import Perceived
from biographer.state.times import SECOND_US, format_time

CLIP = "/v1/streams/s/clips/c0"


@pytest.fixture
def film():
    return filmed("s", 0, 2000.0)


@pytest.fixture
def rig(tmp_path, film):
    made = Rig(tmp_path)
    made.apply("s", film)
    yield made
    made.close()


@pytest.mark.parametrize("picture", [0, 1, 13, 29])
async def test_a_frame_is_the_one_on_show_at_its_time(rig, picture):
    at = format_time(round((2000 + (picture + 0.5) / 30) * SECOND_US))
    async with rig.client() as client:
        answer = await client.get(f"{CLIP}/frame", params={"at": at})
    assert answer.headers["content-type"] == "image/jpeg"
    assert number_of(np.asarray(Image.open(io.BytesIO(answer.content)))) == picture
    assert answer.headers["x-frame-time"] == format_time(2000 * SECOND_US + round(picture / 30 * SECOND_US))


async def test_frames_are_made_smaller_and_only_within_the_clip(rig):
    async with rig.client() as client:
        small = Image.open(io.BytesIO((await client.get(f"{CLIP}/frame", params={"side": 16})).content))
        large = Image.open(io.BytesIO((await client.get(f"{CLIP}/frame")).content))
        assert (small.size, large.size) == ((16, 12), (64, 48))
        for seconds in (1999.9, 2001.1):
            answer = await client.get(f"{CLIP}/frame", params={"at": format_time(round(seconds * SECOND_US))})
            assert answer.status_code == 404
            assert "ask for a time within it" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("asked", "first", "last"), [("bytes=0-0", 0, 0), ("bytes=100-", 100, None), ("bytes=-5", -5, None)]
)
async def test_ranges_of_a_video(rig, film, asked, first, last):
    whole = film.media[film.clip.media]
    expected = whole[first:] if last is None else whole[first : last + 1]
    async with rig.client() as client:
        answer = await client.get(f"{CLIP}/video", headers={"range": asked})
        full = await client.get(f"{CLIP}/video")
        headers = await client.head(f"{CLIP}/video")
    assert (answer.status_code, answer.content) == (206, expected)
    assert answer.headers["content-range"].endswith(f"/{len(whole)}")
    assert full.content == whole
    assert (full.headers["content-type"], full.headers["accept-ranges"]) == ("video/mp4", "bytes")
    assert int(headers.headers["content-length"]) == len(whole)


async def test_two_ranges_at_once(rig):
    async with rig.client() as client:
        answer = await client.get(f"{CLIP}/video", headers={"range": "bytes=0-9, 20-29"})
    assert answer.status_code == 206
    assert answer.headers["content-type"].startswith("multipart/byteranges")


@pytest.mark.parametrize("asked", ["bytes=999999999-", "bytes=-0", "bytes=", "lines=1-2", "bytes=5-1", "bytes=a-b"])
async def test_ranges_outside_are_refused_as_problems(rig, asked):
    async with rig.client() as client:
        answer = await client.get(f"{CLIP}/video", headers={"range": asked})
    assert answer.status_code == 416
    assert answer.headers["content-type"] == "application/problem+json"


async def test_what_one_has_already_is_not_sent_again(rig):
    async with rig.client() as client:
        for path in (f"{CLIP}/video", "/v1/streams/s/observations/o0/crop/0"):
            first = await client.get(path)
            again = await client.get(path, headers={"if-none-match": first.headers["etag"]})
            assert (first.status_code, again.status_code, again.content) == (200, 304, b"")


async def test_pictures_go_by_their_bytes(rig, film):
    async with rig.client() as client:
        answer = await client.get("/v1/streams/s/observations/o0/crop/0")
        beyond = await client.get("/v1/streams/s/observations/o0/crop/1")
    assert answer.headers["content-type"] == "image/jpeg"
    assert answer.content == film.media[film.observations[0].crops[0].sha256]
    assert beyond.status_code == 404


async def test_before_a_clip_was_known_it_has_no_pixels(rig):
    async with rig.client() as client:
        for path in (f"{CLIP}/video", f"{CLIP}/frame", "/v1/streams/s/observations/o0/crop/0"):
            answer = await client.get(path, params={"as_of": format_time(2000 * SECOND_US)})
            assert answer.status_code == 404, path


async def test_what_is_no_longer_kept_is_said_to_be_gone(rig, film):
    for name in film.media:
        rig.folder.stream("s").media.drop(name)
    async with rig.client() as client:
        for path in (f"{CLIP}/video", f"{CLIP}/frame", "/v1/streams/s/observations/o0/crop/0"):
            answer = await client.get(path)
            assert answer.status_code == 404, path
            assert "not kept" in answer.json()["detail"]


async def test_a_kept_file_that_is_no_video_is_the_clips_fault(rig):
    text = b"<script>alert(1)</script>"
    name = sha256(text).hexdigest()
    rig.apply("s", Perceived(Clip("s", "bad", 0, SECOND_US, (), name, "text/html"), (), {name: text}))
    async with rig.client() as client:
        page = await client.get("/v1/streams/s/clips/c1/video")
        assert page.headers["content-type"] == "application/octet-stream"
        assert (await client.get("/v1/streams/s/clips/c1/frame")).status_code == 422


async def test_a_frame_far_into_a_long_group_and_in_open_groups(tmp_path):
    rig = Rig(tmp_path)
    for number, options in enumerate([{}, {"x264-params": "open-gop=1:bframes=3"}]):
        film = video(90, gop=30, options=options)
        name = sha256(film).hexdigest()
        rig.apply("s", Perceived(Clip("s", f"v{number}", 0, 3 * SECOND_US, (), name, "video/mp4"), (), {name: film}))
    async with rig.client() as client:
        for clip in ("c0", "c1"):
            for picture in (29, 30, 31, 62, 89):
                at = format_time(round((picture + 0.5) / 30 * SECOND_US))
                answer = await client.get(f"/v1/streams/s/clips/{clip}/frame", params={"at": at})
                assert number_of(np.asarray(Image.open(io.BytesIO(answer.content)))) == picture, (clip, picture)
    rig.close()

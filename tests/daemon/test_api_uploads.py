"""Clips sent over HTTP: what reaches the topic is a clip message as a device would have sent, or nothing."""

import json
from base64 import b64encode

import pytest
from api_rig import Rig
from daemon_doubles import clip
from videos import audio_only, video

from biographer.state.errors import RefusedError, TransientError
from biographer.streams.horizon import Horizon
from biographer.streams.message import FlushMessage, decode, encode
from biographer.streams.sink import Sent

PATH = "/v1/streams/cam/clips"
PACKED = {"content-type": "application/msgpack"}
FILM = {"content-type": "video/mp4"}


class Topic:
    def __init__(self):
        self.records, self.errors = [], []

    async def send(self, key, value):
        if self.errors:
            raise self.errors.pop(0)
        self.records.append((key, value))
        return Sent(2, len(self.records) - 1)


@pytest.fixture
def topic(rig):
    made = Topic()
    rig.api.uploads.connect(made)
    return made


@pytest.fixture
def rig(tmp_path):
    made = Rig(tmp_path)
    yield made
    made.close()


async def post(rig, content, headers, status, **params):
    async with rig.client() as client:
        answer = await client.post(PATH, content=content, headers=headers, params=params)
    assert answer.status_code == status, answer.text
    return answer.json()


async def test_a_clip_message_goes_to_the_topic_as_it_is(rig, topic):
    value = encode(clip("cam", 3))
    told = await post(rig, value, PACKED, 202)
    assert topic.records == [("cam", value)]
    assert told == {"stream": "cam", "clip": "clip-00003", "partition": 2, "offset": 0}


async def test_a_clip_that_would_be_set_aside_for_its_times_is_refused_at_once(rig, topic):
    rig.api.uploads.connect(topic, lambda message: Horizon.of_seconds(60).refuse(message, 1))
    told = await post(rig, encode(clip("cam", 3)), PACKED, 422)
    assert "order.future_s=60" in told["detail"]
    assert topic.records == []


async def test_a_video_alone_takes_its_name_and_time_from_the_query(rig, topic):
    film = video(45)
    await post(rig, film, FILM, 202, clip="c1", start="2026-05-01T09:30:00+02:00")
    message = decode(topic.records[0][1], b"cam")
    assert (message.clip, message.video, message.duration_us) == ("c1", film, 1_500_000)
    assert message.start_us == 1_777_620_600_000_000
    await post(rig, audio_only(), FILM, 202, clip="c2", start="2026-05-01T09:30:00Z", duration_s=1)
    assert decode(topic.records[1][1]).duration_us == 1_000_000


async def test_a_clip_message_in_json(rig, topic):
    film = video(5)
    plain = {
        "schema": 1, "stream": "cam", "clip": "c1", "start_us": 5, "duration_us": 7, "video": b64encode(film).decode(),
        "lines": [{"start_us": 5, "end_us": 6, "kind": "speech", "text": "hello", "speaker": "Ann"}],
    }  # fmt: skip
    await post(rig, json.dumps(plain), {"content-type": "application/json"}, 202)
    message = decode(topic.records[0][1])
    assert (message.video, message.lines[0].speaker) == (film, "Ann")


@pytest.mark.parametrize(
    ("content", "headers", "params", "status", "told"),
    [
        (encode(clip("other", 3)), PACKED, {}, 409, "other"),
        (encode(FlushMessage("cam", 5)), PACKED, {}, 422, "flush"),
        (b"\x00", PACKED, {}, 422, ""),
        (b"", PACKED, {}, 422, ""),
        (b"{", {"content-type": "application/json"}, {}, 422, "CLIP_SCHEMA"),
        (b"x", {"content-type": "text/plain"}, {}, 415, "text/plain"),
        (b"x", {}, {}, 415, ""),
        (b"text", FILM, {"clip": "c", "start": "2026-05-01T09:30:00Z"}, 422, "neither MP4"),
        (video(5)[:-100], FILM, {"clip": "c", "start": "2026-05-01T09:30:00Z"}, 422, "cut"),
        (video(5), FILM, {"clip": "c"}, 400, "start"),
        (video(5), FILM, {"clip": "c", "start": "2026-05-01T09:30:00"}, 400, "offset"),
        (audio_only(), FILM, {"clip": "c", "start": "2026-05-01T09:30:00Z"}, 422, "duration_s"),
        (b" " * (1 << 20) + b" ", PACKED, {}, 413, "bytes"),
    ],
)
async def test_what_the_daemon_would_set_aside_is_refused_at_once(rig, topic, content, headers, params, status, told):
    assert told in (await post(rig, content, headers, status, **params))["detail"]
    assert topic.records == []


async def test_the_topics_refusals(rig, topic):
    value = encode(clip("cam", 3))
    topic.errors = [RefusedError("over the limit max_bytes"), TransientError("no broker")]
    assert "max_bytes" in (await post(rig, value, PACKED, 413))["detail"]
    assert (await post(rig, value, PACKED, 503))["detail"] == "no broker"


async def test_before_there_is_a_broker_one_is_asked_to_come_again(rig):
    async with rig.client() as client:
        answer = await client.post(PATH, content=encode(clip("cam", 3)), headers=PACKED)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")

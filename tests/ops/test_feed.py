import asyncio
import hashlib
import json
from pathlib import Path
from urllib.parse import unquote, urlparse

import av
import numpy as np
import pytest
from click.testing import CliRunner, Result

from biographer.ops.cli import main
from biographer.state.times import SECOND_US, parse_time
from biographer.streams.dead_letter import letter
from biographer.streams.dead_letters import DeadLetterSink
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.message import ClipMessage, decode
from biographer.streams.reader import read_topic
from biographer.streams.record import Record

START = "2026-05-01T09:30:00+02:00"


@pytest.fixture
def kafka(embedded_broker, settings_for) -> KafkaSettings:
    return settings_for(embedded_broker)


@pytest.fixture
def invoke(kafka):
    """Return a function that runs the command line against the embedded broker, on topics of the test's own."""

    def run(*arguments: object, code: int = 0, **settings: object) -> Result:
        told = {
            "KAFKA_BOOTSTRAP": kafka.bootstrap,
            "KAFKA_TOPIC": kafka.topic,
            "KAFKA_DEAD_LETTER_TOPIC": kafka.dead_letter_topic,
            "KAFKA_IDEMPOTENT": "false",
            "ORDER_FUTURE_S": "0",
            **settings,
        }
        environ = {f"BIOGRAPHER_{name}": str(value) for name, value in told.items()}
        result = CliRunner().invoke(main, [str(argument) for argument in arguments], env=environ)
        assert result.exit_code == code, result.output
        return result

    return run


@pytest.fixture
def video(tmp_path):
    """Ten seconds with a key frame each second, of noise, so that its clips are of some size."""
    path, random = tmp_path / "walk.mp4", np.random.default_rng(0)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=5, options={"g": "5"})
        stream.width = stream.height = 64
        for _ in range(50):
            picture = random.integers(0, 255, (64, 64, 3), np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode(None))
    return path


def sent(kafka: KafkaSettings, topic: str | None = None) -> list[Record]:
    async def read() -> list[Record]:
        return [record async for record in read_topic(kafka, topic or kafka.topic)]

    return asyncio.run(read())


def clips(kafka: KafkaSettings) -> list[ClipMessage]:
    messages = [decode(record.value or b"", record.key) for record in sent(kafka)]
    return [message for message in messages if isinstance(message, ClipMessage)]


def test_a_video_arrives_as_self_contained_clips_in_order(kafka, invoke, video):
    result = invoke("feed", video, "--stream", "ann", "--start", START, "--clip-seconds", 4)
    assert "sent 3 clips of stream 'ann'" in result.stdout
    found = clips(kafka)
    starts = [(clip.start_us - parse_time(START)) / SECOND_US for clip in found]
    assert starts == [0, 4, 8]
    assert found[-1].end_us == parse_time(START) + 10 * SECOND_US
    for clip in found:
        (clip_path := video.with_name("clip.mp4")).write_bytes(clip.video or b"")
        with av.open(str(clip_path)) as container:
            assert sum(1 for _ in container.decode(video=0)) == round(clip.duration_us / SECOND_US * 5)


def test_a_start_in_the_future_is_refused_up_front(kafka, invoke, video):
    result = invoke("feed", video, "--stream", "ann", "--start", "2970-01-01T00:00:00Z", code=2, ORDER_FUTURE_S=3600)
    assert "Check --start" in result.stderr
    assert clips(kafka) == []


def test_a_repeat_bears_the_same_names_and_another_start_others(kafka, invoke, video):
    for start in (START, START, "2026-05-02T09:30:00+02:00"):
        invoke("feed", video, "--stream", "ann", "--start", start)
    first, again, other = clips(kafka)
    assert first.clip == again.clip
    assert first.video == again.video
    assert other.clip != first.clip


def test_lines_go_with_the_clip_that_holds_them_and_those_of_none_are_named(kafka, invoke, video, tmp_path):
    rows = [
        {"start": 1, "end": 2, "text": "Hello."},
        {"start": 5, "end": 6, "text": "Bye."},
        {"start": 60, "text": "Late."},
    ]
    (tmp_path / "said.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    arguments = ["feed", video, "--stream", "ann", "--start", START, "--clip-seconds", 4]
    result = invoke(*arguments, "--lines", tmp_path / "said.jsonl")
    assert [[line.text for line in clip.lines] for clip in clips(kafka)] == [["Hello."], ["Bye."], []]
    assert "Late." in result.stderr


def test_clips_over_the_limit_go_by_uri_or_are_refused_with_the_remedy(kafka, invoke, video, tmp_path):
    """confluentinc/confluent-kafka-python#290."""
    arguments = ["feed", video, "--stream", "ann", "--start", START]
    refused = invoke(*arguments, code=2, KAFKA_MAX_BYTES=70_000)
    assert "max_bytes 70000" in refused.stderr
    assert "--store" in refused.stderr
    invoke(*arguments, KAFKA_MAX_BYTES=70_000, CLIPS_ROOTS=tmp_path / "outside")
    (clip,) = clips(kafka)
    assert clip.video is None
    kept = Path(unquote(urlparse(clip.uri or "").path))
    assert kept.is_relative_to(tmp_path / "outside")
    assert hashlib.sha256(kept.read_bytes()).hexdigest() == clip.sha256


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--start", "2026-05-01T09:30:00"], "no offset"),
        (["--start", START, "--clip-seconds", "0"], "clip_seconds is 0"),
        (["--start", START, "--lines", "walk.mp4"], "lines come as .srt or .jsonl"),
    ],
)
def test_what_cannot_be_fed_is_refused_and_nothing_is_sent(kafka, invoke, video, options, words):
    options = [str(video) if option == "walk.mp4" else option for option in options]
    assert words in invoke("feed", video, "--stream", "ann", *options, code=2).stderr
    assert sent(kafka) == []


def test_no_broker_is_one_line_and_says_to_try_again(invoke, video):
    arguments = ["feed", video, "--stream", "ann", "--start", START]
    result = invoke(*arguments, code=75, KAFKA_BOOTSTRAP="127.0.0.1:1", KAFKA_REQUEST_TIMEOUT_MS=500)
    assert "127.0.0.1:1" in result.stderr
    assert "Traceback" not in result.output


def test_dead_letters_are_listed_with_reason_and_origin_and_sent_again_by_name(kafka, invoke):
    bad = Record(kafka.topic, 0, 7, b"ann", b"bad clip", parse_time(START), ())

    async def bury() -> None:
        async with DeadLetterSink(kafka) as sink:
            await sink.send(letter(bad, ValueError("no video in it"), parse_time(START)))

    asyncio.run(bury())
    (row,) = json.loads(invoke("deadletter", "list", "--json").stdout)["dead_letters"]
    assert (row["reason"], row["origin"], row["stream"]) == ("no video in it", f"{kafka.topic}/0/7", "ann")
    assert row["sha256"] == hashlib.sha256(b"bad clip").hexdigest()
    assert row["sent"] == "2026-05-01T07:30:00Z"
    assert "no video in it" in invoke("deadletter", "list").stdout

    assert "PARTITION/OFFSET" in invoke("deadletter", "replay", code=2).stderr
    assert "no letter '9/9'" in invoke("deadletter", "replay", "9/9", code=2).stderr
    assert sent(kafka) == []
    assert "sent 1 again" in invoke("deadletter", "replay", row["letter"]).stdout
    assert [(record.key, record.value) for record in sent(kafka)] == [(b"ann", b"bad clip")]
    invoke("deadletter", "replay", "--all")
    assert len(sent(kafka)) == 2


def test_a_letter_of_which_nothing_is_left_does_not_hold_up_the_others(kafka, invoke):
    async def bury() -> None:
        async with DeadLetterSink(kafka) as sink:
            for offset, value in enumerate((b"one", None, b"two")):
                tombstone = Record(kafka.topic, 0, offset, b"ann", value, parse_time(START))
                await sink.send(letter(tombstone, ValueError("no clip"), parse_time(START)))

    asyncio.run(bury())
    result = invoke("deadletter", "replay", "--all", code=2)
    assert "sent 2 again" in result.stdout
    assert "is a tombstone without a value" in result.stderr
    assert "1 of 3 letters could not be sent" in result.stderr
    assert [record.value for record in sent(kafka)] == [b"one", b"two"]


@pytest.mark.parametrize("name", ["", "x" * 201, "a\nb"])
def test_a_stream_that_no_reader_takes_is_refused_before_anything_is_sent(kafka, invoke, video, name):
    told = invoke("feed", video, "--stream", name, "--start", START, code=2).stderr
    assert "1 to 200 characters" in told
    assert sent(kafka) == []


def test_an_empty_dead_letter_topic_is_no_error(invoke):
    assert json.loads(invoke("deadletter", "list", "--json").stdout) == {"dead_letters": []}

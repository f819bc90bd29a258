import asyncio
import hashlib
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

from biographer.daemon.retry import Backoff
from biographer.ops.outside import Outside
from biographer.ops.sending import TRIES, Pace, Sending
from biographer.state.errors import RefusedError, TransientError
from biographer.state.times import SECOND_US
from biographer.streams.kafka_record import framed_size
from biographer.streams.message import ClipMessage, decode

CLIP = ClipMessage("ann", "clip-0", 1_000 * SECOND_US, 30 * SECOND_US, video=b"v" * 5_000)


class Sink:
    """A broker's stand-in that is away for the first `failures` sends."""

    def __init__(self, failures: int = 0) -> None:
        self.failures, self.values = failures, []

    async def send(self, key, value):
        if self.failures:
            self.failures -= 1
            raise TransientError("broker is away")
        assert key == "ann"
        self.values.append(value)


class Clock:
    def __init__(self) -> None:
        self.now, self.waits = 100.0, []

    def read(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


def pace(clock: Clock, *, realtime: bool = False) -> Pace:
    return Pace(realtime, clock.read, clock.sleep)


def clips(count: int) -> list[ClipMessage]:
    return [replace(CLIP, clip=f"clip-{i}", start_us=CLIP.start_us + i * CLIP.duration_us) for i in range(count)]


async def test_all_clips_are_sent_in_order_and_told_of():
    sink, told = Sink(), []
    sending = Sending(sink, Outside(None, 10_000))
    assert await sending.all(iter(clips(3)), told.append, pace(Clock())) == 3
    assert [decode(value).clip for value in sink.values] == ["clip-0", "clip-1", "clip-2"]
    assert [clip.clip for clip in told] == ["clip-0", "clip-1", "clip-2"]


async def test_a_broker_that_is_away_is_waited_for_and_one_that_stays_away_is_not():
    sending = Sending(Sink(failures=TRIES - 1), Outside(None, 10_000), Backoff(0, 0))
    assert await sending.all(clips(1), lambda _: None, pace(Clock())) == 1
    sending = Sending(Sink(failures=TRIES), Outside(None, 10_000), Backoff(0, 0))
    with pytest.raises(TransientError, match="away"):
        await sending.all(clips(1), lambda _: None, pace(Clock()))


async def test_in_real_time_a_clip_leaves_when_a_wearable_would_have_it_whole():
    clock = Clock()
    await Sending(Sink(), Outside(None, 10_000)).all(clips(3), lambda _: None, pace(clock, realtime=True))
    assert clock.waits == [30.0, 30.0, 30.0]
    unhurried = Clock()
    await Sending(Sink(), Outside(None, 10_000)).all(clips(3), lambda _: None, pace(unhurried))
    assert unhurried.waits == []


async def test_drawing_a_slow_clip_leaves_the_loop_free():
    loop = asyncio.get_running_loop()
    drawing, free = asyncio.Event(), asyncio.Event()

    def slow():
        loop.call_soon_threadsafe(drawing.set)
        asyncio.run_coroutine_threadsafe(free.wait(), loop).result(10)
        yield CLIP

    async def other():
        await drawing.wait()
        free.set()

    sent, _ = await asyncio.gather(
        Sending(Sink(), Outside(None, 10_000)).all(slow(), lambda _: None, pace(Clock())), other()
    )
    assert sent == 1


def test_a_clip_at_the_limit_goes_inline_and_one_byte_over_goes_by_uri(tmp_path):
    value = Outside(None, 1_000_000).packed(CLIP)
    size = framed_size(b"ann", value, ())
    assert Outside(tmp_path, size).packed(CLIP) == value
    assert list(tmp_path.iterdir()) == []

    message = decode(Outside(tmp_path, size - 1).packed(CLIP), b"ann")
    assert isinstance(message, ClipMessage)
    assert (message.video, message.sha256) == (None, hashlib.sha256(CLIP.video).hexdigest())
    assert Path(unquote(urlparse(message.uri).path)).read_bytes() == CLIP.video
    assert (message.clip, message.start_us, message.end_us) == (CLIP.clip, CLIP.start_us, CLIP.end_us)


def test_an_over_limit_clip_without_a_place_for_it_names_limit_and_remedy():
    """confluentinc/confluent-kafka-python#290."""
    with pytest.raises(RefusedError, match=r"clip-0.*5\d\d\d bytes.*max_bytes 4000.*--store"):
        Outside(None, 4_000).packed(CLIP)


def test_a_clip_too_large_even_without_its_video_is_refused(tmp_path):
    with pytest.raises(RefusedError, match="even without its video"):
        Outside(tmp_path, 150).packed(CLIP)


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RefusedError, match="can't be written"):
        Outside(tmp_path / "file", 1_000).packed(CLIP)

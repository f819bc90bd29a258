import pytest

from biographer.state.errors import BadClipError, RefusedError
from biographer.streams.dead_letter import letter as dead_letter
from biographer.streams.dead_letters import DeadLetterSink, read_letters, replay
from biographer.streams.kafka_record import framed_size
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.reader import read_record
from biographer.streams.sink import KafkaSink

LIMIT = 120_000


def largest(limit, key=b"anna"):
    value = bytes(limit - framed_size(key, b"", ()))
    while framed_size(key, value, ()) > limit:
        value = value[:-1]
    return value


async def set_aside(settings, value):
    """Send a clip, read it back and set it aside, as the pipeline does."""
    async with KafkaSink(settings) as clips:
        sent = await clips.send("anna", value)
    record = await read_record(settings, settings.topic, *sent)
    assert record is not None
    letter = dead_letter(record, BadClipError("undecodable"), at_us=7)
    async with DeadLetterSink(settings) as letters:
        await letters.send(letter)
    return letter


async def test_letters_are_listed_with_their_place(settings):
    letter = await set_aside(settings, b"not a clip")
    listed = [one async for one in read_letters(settings)]
    assert [one.letter for one in listed] == [letter]
    assert (listed[0].partition, listed[0].offset) == (0, 0)


async def test_topic_that_was_never_made_lists_nothing(settings):
    assert [one async for one in read_letters(settings)] == []


async def test_letter_of_a_record_exactly_at_the_limit_keeps_its_payload(broker, settings_for):
    """Parsely/pykafka#102: with its headers the letter is larger than the limit of the clips."""
    settings = settings_for(broker, max_bytes=LIMIT)
    letter = await set_aside(settings, largest(LIMIT))
    [listed] = [one async for one in read_letters(settings)]
    assert listed.letter == letter


@pytest.mark.kafka
async def test_letter_gets_through_a_topic_with_a_lower_limit(kafka_broker, settings_for):
    """Parsely/pykafka#102: the value is left out, and replay fetches it from its origin."""
    settings = settings_for(kafka_broker, max_bytes=LIMIT)
    tight = KafkaSettings(bootstrap=settings.bootstrap, topic="unused", max_bytes=80_000)
    async with KafkaSink(tight, settings.dead_letter_topic):
        pass
    value = largest(LIMIT)
    await set_aside(settings, value)
    [listed] = [one async for one in read_letters(settings)]
    assert listed.letter.payload is None
    assert listed.letter.payload_left_out
    async with KafkaSink(settings) as clips:
        sent = await replay(listed.letter, settings, clips)
    again = await read_record(settings, settings.topic, *sent)
    assert again is not None
    assert (again.key, again.value, again.offset) == (b"anna", value, 1)


async def test_replay_sends_the_payload_to_the_clips(settings):
    letter = await set_aside(settings, b"not a clip")
    async with KafkaSink(settings) as clips:
        sent = await replay(letter, settings, clips)
    again = await read_record(settings, settings.topic, *sent)
    assert again is not None
    assert (again.key, again.value, again.offset) == (b"anna", b"not a clip", 1)


async def test_replay_says_that_the_origin_is_gone(settings):
    letter = (await set_aside(settings, b"not a clip")).without_payload()
    elsewhere = type(letter)(**{name: getattr(letter, name) for name in letter.__slots__} | {"offset": 99})
    async with KafkaSink(settings) as clips:
        with pytest.raises(RefusedError, match="99 is gone"):
            await replay(elsewhere, settings, clips)


async def test_replay_refuses_another_value_at_the_origin(settings):
    letter = (await set_aside(settings, b"not a clip")).without_payload()
    other = type(letter)(**{name: getattr(letter, name) for name in letter.__slots__} | {"sha256": "0" * 64})
    async with KafkaSink(settings) as clips:
        with pytest.raises(RefusedError, match="not the one that was set aside"):
            await replay(other, settings, clips)

"""The transcriber against the language server."""

import io
import json
import wave

import pytest
from language_rig import language
from sounds import RATE, sound, speech

from biographer.bench.language_server import LanguageServer, Play
from biographer.models.transcriber import Transcriber
from biographer.state.episode import LOCAL
from biographer.state.errors import RefusedError, TransientError
from biographer.state.heard import Heard
from biographer.state.line import Line, LineKind
from biographer.state.stretch import Stretch
from biographer.state.unwritten import Unwritten

SPOKEN = sound(3.0, speech(2.0), 4.0, start_us=60_000_000)


async def heard(transcriber, spoken=SPOKEN):
    """The lines of a local episode with that sound."""
    stretch = Stretch(LOCAL, spoken.start_us, spoken.end_us, spoken.end_us, ("c0",))
    found = await transcriber.hear(stretch, spoken)
    assert isinstance(found, Heard)
    assert (found.stretch, found.author) == (stretch, transcriber.author)
    return found.lines


def segments(*given):
    return Play(body=json.dumps({"text": "all", "segments": list(given)}).encode())


async def test_silence_is_not_asked_about():
    """A transcriber hears words in silence: none is sent, so none come back."""
    async with language(lambda _: Play("Thank you for watching!")) as (server, client, _):
        assert await heard(Transcriber(client, "small"), sound(30.0)) == ()
        assert server.asked == []


async def test_what_is_spoken_becomes_lines_at_their_times():
    async with language() as (server, client, _):
        server.play(segments({"start": 0.25, "end": 1.5, "text": " Where is  my cup? "}))
        (line,) = await heard(Transcriber(client, "small", "en"))
        assert (line.kind, line.text, line.speaker) == (LineKind.SPEECH, "Where is my cup?", None)
        sent = server.asked[0].body
        assert (sent["model"], sent["language"], sent["response_format"]) == ("small", "en", "verbose_json")
        with wave.open(io.BytesIO(sent["file"])) as file:
            assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (RATE, 1, 2)
            length_s = file.getnframes() / RATE
        begins_us = line.start_us - 250_000
        assert begins_us == pytest.approx(63e6, abs=4e5)
        assert line.end_us == begins_us + 1_500_000
        assert length_s == pytest.approx(2.4, abs=0.5)


async def test_doubt_and_words_outside_of_what_was_sent_are_left_out():
    async with language() as (server, client, _):
        server.play(
            segments(
                {"start": 0, "end": 1, "text": "Subtitles by nobody", "no_speech_prob": 0.9, "avg_logprob": -1.4},
                {"start": 0, "end": 1, "text": "Yes.", "no_speech_prob": 0.9, "avg_logprob": -0.2},
                {"start": 60, "end": 61, "text": "Beyond"},
                {"start": 1, "end": 2, "text": "  "},
            )
        )
        assert [line.text for line in await heard(Transcriber(client, "small"))] == ["Yes."]


async def test_a_server_without_segments_gives_one_line():
    async with language() as (server, client, _):
        server.play(Play(body=b'{"text": "Where is my cup?"}'))
        (line,) = await heard(Transcriber(client, "small"))
        assert isinstance(line, Line)
        assert line.end_us - line.start_us == pytest.approx(2.4e6, abs=5e5)


async def test_a_server_that_knows_no_segments_is_asked_for_words_from_then_on():
    """vllm-project/vllm#14818."""

    def play(asked):
        known = asked.body["response_format"] == "json"
        return Play(body=b'{"text": "Here."}') if known else Play(status=400, text="Currently only text or json")

    async with language(play) as (server, client, _):
        transcriber = Transcriber(client, "small")
        for _ in range(2):
            (line,) = await heard(transcriber)
            assert line.text == "Here."
        assert [one.body["response_format"] for one in server.asked] == ["verbose_json", "json", "json"]


async def test_words_without_segments_are_not_lost():
    """speaches-ai/speaches#86."""
    async with language() as (server, client, _):
        server.play(Play(body=b'{"text": "Here.", "segments": []}'))
        assert [line.text for line in await heard(Transcriber(client, "small"))] == ["Here."]


async def test_times_that_no_clock_has_are_held_to_the_sound():
    """A breaker's find: of 1e308 s there are no microseconds, and the clip was never heard, nor captioned."""
    async with language() as (server, client, _):
        server.play(
            segments({"start": -1e308, "end": 1e308, "text": "Here."}, {"start": 1e308, "end": 1e308, "text": "x"})
        )
        (line,) = await heard(Transcriber(client, "small"))
        assert line.end_us - line.start_us == pytest.approx(2.4e6, abs=5e5)


async def test_more_than_can_be_said_is_left_out():
    """A breaker's find: 10 MB of one word, or 300,000 lines, were kept as what was said in two seconds."""
    async with language() as (server, client, _):
        for said in (Play("word " * 100_000), segments(*[{"start": 0, "end": 1, "text": "w"}] * 10_000)):
            server.play(said)
            lines = await heard(Transcriber(client, "small"))
            assert 100 < sum(len(line.text) for line in lines) < 400


async def test_faults_say_what_to_do():
    async with language(server=LanguageServer(), tries=1) as (server, client, _):
        server.play(Play(body=b"<html>"), Play(status=503), Play(body=b'{"a":' * 100_000))
        for _ in range(3):
            with pytest.raises(TransientError):
                await heard(Transcriber(client, "small"))
        with pytest.raises(RefusedError, match="does not exist"):
            await heard(Transcriber(client, "large"))


async def test_a_sound_that_is_refused_is_told_as_unheard_with_the_reason():
    async with language(lambda _: Play(status=400, text="no such codec")) as (server, client, _):
        stretch = Stretch(LOCAL, SPOKEN.start_us, SPOKEN.end_us, SPOKEN.end_us, ("c0",))
        found = await Transcriber(client, "small").hear(stretch, SPOKEN)
        assert isinstance(found, Unwritten)
        assert (found.writing, found.stretch, "no such codec" in found.reason) == ("hearing", stretch, True)
        assert [one.body["response_format"] for one in server.asked] == ["verbose_json", "json"]

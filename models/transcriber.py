"""The transcriber: a clip's sound to lines of speech, by an OpenAI-compatible audio endpoint.

Only where voice activity was found is anything sent, and what comes back from outside of it is left out: such models
hear words in silence.
"""

import asyncio
import io
import wave
from dataclasses import replace

import msgspec

from biographer.models.language_client import LanguageClient
from biographer.models.language_fault import Fault, FaultKind
from biographer.models.voice import voiced
from biographer.state.authorship import Authorship
from biographer.state.errors import TransientError
from biographer.state.heard import Heard
from biographer.state.line import Line, LineKind
from biographer.state.sound import Sound
from biographer.state.stretch import Stretch
from biographer.state.times import SECOND_US
from biographer.state.unwritten import Unwritten

PATH = "audio/transcriptions"

_DOUBT = 0.6
_UNLIKELY = -1.0
"""Whisper's own rule: no speech at 0.6 and over, where the words are less likely than this (mean log)."""

_FASTEST = 100
"""Characters a second, four times what anybody says: what goes beyond is a model that repeats itself for ever."""


class _Segment(msgspec.Struct, frozen=True):
    start: float
    end: float
    text: str
    no_speech_prob: float = 0.0
    avg_logprob: float = 0.0


class _Transcript(msgspec.Struct, frozen=True):
    text: str = ""
    segments: tuple[_Segment, ...] | None = None


class Transcriber:
    """Hears by one model. `language` (ISO 639-1) spares it the guess; empty leaves it to the model.

    Segments with times are asked for; a server that knows none (vllm-project/vllm#14818) is asked for words alone from
    then on, and each stretch of voices is one line.
    """

    def __init__(self, client: LanguageClient, name: str, language: str = "") -> None:
        self.name, self.author = name, Authorship(name, "transcribe")
        self._client = client
        self._format = "verbose_json"
        self._fields = {"model": name, "temperature": "0"}
        if language:
            self._fields["language"] = language

    async def hear(self, stretch: Stretch, sound: Sound) -> Heard | Unwritten:
        """Return what was said in a local episode, in order of time, or why this one sound can't be heard.

        Of a sound without voices there are no lines, and nothing is asked. Raises TransientError and RefusedError.
        """
        lines: list[Line] = []
        # Some 30 ms for as many seconds of sound: not on the event loop.
        for start_us, end_us in await asyncio.to_thread(voiced, sound):
            found = await self._heard(sound.cut(start_us, end_us))
            if isinstance(found, Fault):
                return found.raised() if found.kind is not FaultKind.REQUEST else self.unheard(stretch, found.reason)
            lines += found
        return Heard(stretch, self.author, tuple(lines))

    def unheard(self, stretch: Stretch, reason: str) -> Unwritten:
        """Return that a local episode could not be heard, and why."""
        return Unwritten("hearing", stretch, self.author, reason)

    async def _heard(self, sound: Sound) -> list[Line] | Fault:
        file = wav_file(sound)
        answer = await self._sent(file, self._format)
        if isinstance(answer, Fault) and answer.kind is FaultKind.REQUEST and self._format != "json":
            answer = await self._sent(file, "json")
            self._format = self._format if isinstance(answer, Fault) else "json"
        if isinstance(answer, Fault):
            return answer
        try:
            transcript = msgspec.json.decode(answer, type=_Transcript)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise TransientError(f"model {self.name!r} answers no transcript: {error}; check its server") from error
        whole = (_Segment(0.0, (sound.end_us - sound.start_us) / SECOND_US, transcript.text),)
        segments = transcript.segments or whole
        lines = [line for segment in segments if (line := _line(segment, sound)) is not None]
        return _as_spoken(lines, (sound.end_us - sound.start_us) / SECOND_US)

    async def _sent(self, file: bytes, form: str) -> bytes | Fault:
        fields = {**self._fields, "response_format": form}
        return await self._client.upload(PATH, fields, "clip.wav", file, "audio/wav")


def wav_file(sound: Sound) -> bytes:
    """Return the sound as a WAV file."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(sound.rate)
        file.writeframes(sound.samples.astype("<i2").tobytes())
    return out.getvalue()


def _line(segment: _Segment, sound: Sound) -> Line | None:
    text = " ".join(segment.text.split())
    # Held to the sound before they are rounded: of 1e308 s there are no microseconds.
    lasts_s = (sound.end_us - sound.start_us) / SECOND_US
    start_us, end_us = (
        sound.start_us + round(min(max(at_s, 0.0), lasts_s) * SECOND_US) for at_s in (segment.start, segment.end)
    )
    doubtful = segment.no_speech_prob >= _DOUBT and segment.avg_logprob < _UNLIKELY
    return None if not text or doubtful or end_us <= start_us else Line(start_us, end_us, LineKind.SPEECH, text)


def _as_spoken(lines: list[Line], seconds: float) -> list[Line]:
    """Return lines up to as much text as can be said in so many seconds; the last is cut."""
    left, kept = round(_FASTEST * max(1.0, seconds)), list[Line]()
    for line in lines:
        if left <= 0:
            break
        kept.append(replace(line, text=line.text[:left].rstrip()))
        left -= len(line.text)
    return kept

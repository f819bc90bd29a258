"""Which of the clips that were sent have arrived: in the memory, or among the dead letters."""

from dataclasses import dataclass, field
from pathlib import Path

from biographer.state.errors import BadClipError, RefusedError
from biographer.state.reader import Reader
from biographer.streams.dead_letter import DeadLetter
from biographer.streams.dead_letters import read_letters
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.message import ClipMessage, decode


@dataclass(slots=True)
class Remembering:
    """The clips of one stream on their way; `expect` each that is sent, and look from time to time."""

    state: Path
    stream: str
    kafka: KafkaSettings
    sent: set[str] = field(default_factory=set)
    arrived: set[str] = field(default_factory=set)
    set_aside: dict[str, str] = field(default_factory=dict)
    """Clip to reason."""

    @property
    def missing(self) -> int:
        """How many of those sent have not arrived anywhere."""
        return len(self.sent - self.arrived - self.set_aside.keys())

    def expect(self, clip: ClipMessage) -> None:
        """Note that a clip was sent."""
        self.sent.add(clip.clip)

    def look(self) -> None:
        """Look into the memory; blocks for a moment."""
        try:
            reader = Reader(self.state, self.stream)
        except RefusedError:
            return  # Nothing has been applied yet.
        try:
            self.arrived = self.sent & {episode.clip for episode in reader.episodes()}
        finally:
            reader.close()

    async def look_aside(self) -> None:
        """Look among the dead letters. Raises TransientError where the broker is away."""
        async for listed in read_letters(self.kafka):
            name = _clip_name(listed.letter)
            if name in self.sent:
                self.set_aside[name] = listed.letter.reason


def _clip_name(letter: DeadLetter) -> str:
    try:
        message = decode(letter.payload or b"")
    except BadClipError:
        return ""
    return message.clip if isinstance(message, ClipMessage) else ""

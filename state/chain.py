"""Chains: dated facts about one subject, and dated steps of one activity (MAGIC-Video's narrative memory).

Built there over the whole video; here each is a record that a closing window adds. No fact is without a time.
"""

from dataclasses import dataclass

from biographer.state.name import name_key
from biographer.state.stretch import AboutStretch


@dataclass(frozen=True, slots=True)
class TopicFact(AboutStretch):
    """One fact about a topic; where the topic is an entity with a biography, it extends that one's story."""

    topic: str
    text: str
    clips: tuple[str, ...]
    start_us: int
    end_us: int

    @property
    def key(self) -> str:
        """The chain it belongs to."""
        return name_key(self.topic)


@dataclass(frozen=True, slots=True)
class EventStep(AboutStretch):
    """One step of an event: `event` is the number that it continues, None where it begins another.

    Steps of one stretch that begin another under the same title begin the same one.
    """

    event: int | None
    title: str
    text: str
    clips: tuple[str, ...]
    start_us: int
    end_us: int

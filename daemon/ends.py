"""What the pipeline is connected to, as protocols: a source of records, sinks, and the memories."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Protocol

from biographer.state.amendment import Amended, Amendment
from biographer.state.perceived import Perceived
from biographer.state.position import Position
from biographer.state.ruling import Ruled, Word
from biographer.state.stream import Applied
from biographer.streams.dead_letter import DeadLetter
from biographer.streams.message import ClipMessage
from biographer.streams.record import Record


class Tap(Protocol):
    """The part of a source that lets its partitions be shut and opened."""

    def pause(self, partitions: Iterable[int]) -> None:
        """Deliver no more of these."""

    def resume(self, partitions: Iterable[int]) -> None:
        """Deliver these again."""


class Source(Tap, Protocol):
    """Where records come from: KafkaSource, or a list in a test."""

    def records(self) -> AsyncIterator[Record]:
        """Yield records, each partition's in order."""

    def position(self, record: Record) -> Position:
        """Return the position behind a record; blocks."""

    async def commit(self, next_offsets: Mapping[int, int]) -> None:
        """Tell the group how far its partitions are done. Raises TransientError."""


class Letters(Protocol):
    """Where dead letters go."""

    async def send(self, letter: DeadLetter) -> object:
        """Send one. Raises TransientError."""


class Flushes(Protocol):
    """The clips' own topic, for flushes."""

    async def send(self, key: str, value: bytes) -> object:
        """Send one record. Raises TransientError."""


class StreamMemory(Protocol):
    """One stream's memory. `knows` and `watermark_us` are look-ups; the rest blocks, for one thread at a time."""

    @property
    def watermark_us(self) -> int | None:
        """Event time up to which the stream is complete."""

    @property
    def newest(self) -> str | None:
        """The name of the clip that was applied last; None while there is none."""

    def knows(self, clip_name: str) -> bool:
        """Whether a clip of this name is applied."""

    def apply(self, perceived: Perceived, position: Position | None) -> Applied:
        """Write one clip and the position in one transaction. Raises TransientError, RefusedError."""

    def obey(self, word: Word) -> Ruled:
        """Do as a user says about who is who. Raises TransientError, RefusedError."""

    def amend(self, amendment: Amendment) -> Amended | None:
        """Write what was written about clips, None where all of it is there. Raises TransientError, RefusedError."""

    def end(self) -> Amended | None:
        """Note that nothing follows for now. Raises TransientError."""

    def advance(self, position: Position) -> None:
        """Write a position alone. Raises TransientError."""

    def positions(self) -> Sequence[Position]:
        """Return where this stream stands."""


class Memories(Protocol):
    """The state folder."""

    def stream(self, name: str) -> StreamMemory:
        """Open or begin a stream. Raises RefusedError, TransientError."""

    def positions(self) -> Sequence[Position]:
        """Return where all streams stand, and partitions that have none."""

    def advance(self, position: Position) -> None:
        """Write where a partition stands in which no stream does. Raises TransientError."""


class Perceives(Protocol):
    """Makes a clip ready to apply; blocks, for any number of threads."""

    def perceive(self, message: ClipMessage, stop: Callable[[], bool]) -> Perceived:
        """Return the clip with its observations. Raises BadClipError, TransientError."""

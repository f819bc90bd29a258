"""The clips' topic as a stream of records: joining, starting at the store's position, pausing, committing, health.

No decoding and no memory here: what a record means, and when it is applied, is the pipeline's.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Self, TypeAlias

from biographer.state.position import Position
from biographer.streams.kafka_settings import KafkaSettings
from biographer.streams.record import Record

Claims: TypeAlias = Callable[[int], Awaitable[Sequence[Position]]]
Revoked: TypeAlias = Callable[[frozenset[int]], Awaitable[None]]


class KafkaSource:
    """A member of the consumer group on `settings.topic`; use as an async context manager.

    Entering only starts to connect (FatalError where the security settings cannot be used): a broker that is away
    makes `health()` red and is awaited. `claims(partition)` gives the stores' positions when a partition is assigned;
    `revoked(partitions)` is awaited before partitions are given up (records of theirs not yet applied will come again).
    """

    def __init__(self, settings: KafkaSettings, claims: Claims, revoked: Revoked | None = None) -> None: ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def records(self) -> AsyncIterator[Record]:
        """Yield records, each partition's in order; ends when the source closes; raises FatalError."""
        raise NotImplementedError

    def position(self, record: Record) -> Position:
        """Return the position behind a delivered record (hashes its value: call in a worker thread)."""
        raise NotImplementedError

    async def commit(self, next_offsets: Mapping[int, int]) -> None:
        """Tell the group {partition: next offset}. Raises TransientError where refused: the group is joined again."""

    def pause(self, partitions: Iterable[int]) -> None:
        """Stop fetching and delivering; what already waits here stays here until `resume`."""

    def resume(self, partitions: Iterable[int]) -> None:
        """Undo `pause`."""

    @property
    def partitions(self) -> frozenset[int]:
        """Partitions that are assigned and placed now."""
        raise NotImplementedError

    def lag(self) -> Mapping[int, int]:
        """Return {partition: records not yet delivered}, as of the last check of the broker."""
        raise NotImplementedError

    def health(self) -> tuple[str, ...]:
        """Return why this source is not well; empty when it is."""
        raise NotImplementedError

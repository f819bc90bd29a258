"""Work: one record on its way through the pipeline."""

import asyncio
from dataclasses import dataclass, field

from biographer.daemon.attempts import Origin
from biographer.daemon.boundary import Failure
from biographer.state.perceived import Perceived
from biographer.state.position import Position
from biographer.streams.message import ClipMessage, FlushMessage
from biographer.streams.record import Record


@dataclass(frozen=True, slots=True)
class Known:
    """The clip is in the memory already."""


@dataclass(slots=True, eq=False)
class Work:
    """One record in hand. `abandoned` once its partition is another's: then nothing of it may be written.

    `let_go_by` is the offset of the record at which its turn in event time had come. `outcome` is what perceiving came
    to; None until someone starts it.
    """

    record: Record
    position: Position
    message: ClipMessage | FlushMessage | Failure
    abandoned: bool = False
    let_go_by: int = 0
    outcome: asyncio.Future[Perceived | Known | Failure] | None = field(default=None)

    @property
    def origin(self) -> Origin:
        """Which record this is, over restarts."""
        return Origin(self.record.topic, self.record.partition, self.record.offset, self.position.tail)

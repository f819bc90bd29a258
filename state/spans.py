"""Spans: start and end of numbered records in event time, in two columns."""

import numpy as np

from biographer.state.column import Column


class Spans:
    """Start and end (microseconds, int64) of records numbered from 0."""

    def __init__(self) -> None:
        self.starts = Column(np.int64)
        self.ends = Column(np.int64)

    def __len__(self) -> int:
        """Count the records."""
        return len(self.starts)

    def __getitem__(self, number: int) -> tuple[int, int]:
        """Return (start, end) of a record."""
        return int(self.starts[number]), int(self.ends[number])

    def append(self, start_us: int, end_us: int) -> None:
        """Add the span of the next record."""
        self.starts.append(start_us)
        self.ends.append(end_us)

"""The closed windows of a search index, in append-only columns: each version's clips, what it tells, and its vector.

When a window closes is in `closing`. Nothing here ranks.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from biographer.state.closing import WindowVersion
from biographer.state.codes import Codes, encode
from biographer.state.column import Column
from biographer.state.delta import Columns
from biographer.state.postings import Postings
from biographer.state.spans import Spans
from biographer.state.texts import NO_VECTOR

Vector = NDArray[np.float32]

SCALE_NUMBERS = {"3min": 0, "10min": 1, "1h": 2}


class ClosedWindows:
    """Versions of windows, numbered in the order in which they closed; one writer, any number of readers."""

    def __init__(self) -> None:
        self.versions: list[WindowVersion] = []
        self.numbers = Column(np.int32)
        """The window of each version."""
        self.scales = Column(np.int32)
        self.known = Column(np.int64)
        self.spans = Spans()
        self.postings = Postings()
        self.rows = Column(np.int32)
        """The row in `codes` of each version's vector."""
        self.codes = Codes(0)
        self.joined = Column(np.int32, (3,))
        """Per clip and scale, the version that first held it; -1 while that is open."""

    def __len__(self) -> int:
        """Count the versions."""
        return len(self.versions)

    def columns(self) -> Columns:
        """Return the columns that grow at their ends alone."""
        found: Columns = {
            "window numbers": self.numbers,
            "window scales": self.scales,
            "window known": self.known,
            "windows from": self.spans.starts,
            "windows to": self.spans.ends,
            "window rows": self.rows,
        }
        return found | ({"window codes": self.codes.codes, "code scales": self.codes.scales} if self.codes.dim else {})

    def encode(self, dim: int) -> None:
        """Take vectors of a length from now on."""
        if not self.codes.dim:
            self.codes = Codes(dim)

    def add(
        self, version: WindowVersion, terms: Sequence[str], length: int, vector: NDArray[np.float32] | None
    ) -> None:
        """Add a version by the terms of its text and their length, and the mean of its clips' vectors, if any."""
        self.postings.add(terms, length)
        self.rows.append(NO_VECTOR if vector is None else self._row(vector))
        self.join(version)
        self.numbers.append(version.window)
        self.scales.append(SCALE_NUMBERS[version.scale])
        self.known.append(version.known_us)
        self.spans.append(version.start_us, version.end_us)

    def join(self, version: WindowVersion) -> None:
        """Note which clips a version holds."""
        scale, number = SCALE_NUMBERS[version.scale], len(self.versions)
        self.versions.append(version)
        clips = np.array(version.clips)
        joined = self.joined[clips]
        joined[joined[:, scale] < 0, scale] = number
        self.joined.put(clips, joined)

    def _row(self, vector: Vector) -> int:
        self.encode(len(vector))
        self.codes.extend(*encode(vector.reshape(1, -1)))
        return len(self.codes) - 1

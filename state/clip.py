"""The clip as the memory knows it: a span of a stream, its lines, and where its pixels are kept."""

from dataclasses import dataclass

from biographer.state.line import Line


@dataclass(frozen=True, slots=True)
class Clip:
    """One unit of ingest, known by (stream, name); times are microseconds of event time, start < end or equal."""

    stream: str
    name: str
    start_us: int
    end_us: int
    lines: tuple[Line, ...] = ()
    media: str | None = None
    """SHA-256 (hex) of the kept clip file, or None where no pixels are kept."""
    media_type: str | None = None
    """Media type of that file, such as video/mp4."""
    extra: bytes = b""
    """MessagePack map of the message's fields that this version does not know; empty where there are none."""

    @property
    def known_us(self) -> int:
        """Since when all of it can be known: its end, or that of a line that outlasts it (whose words come whole)."""
        return max(self.end_us, *(line.end_us for line in self.lines)) if self.lines else self.end_us

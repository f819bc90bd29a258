"""Lines as JSON, one object a row.

`{"start": 1.5, "end": 3, "text": "Good morning.", "kind": "speech", "speaker": "Bob"}`

`start` and `end` are each seconds from the recording's start, or an RFC 3339 time with an offset as text; `end`,
`kind` (speech, narration or caption) and `speaker` may be left out; other fields are passed over.
"""

import msgspec

from biographer.state.errors import RefusedError
from biographer.state.line import Line, LineKind
from biographer.state.times import parse_time
from biographer.streams.wire import LATEST_US, Name, Text


class JsonLine(msgspec.Struct, frozen=True):
    """One row."""

    start: float | str
    text: Text
    end: float | str | None = None
    kind: LineKind = LineKind.SPEECH
    speaker: Name | None = None


def parse_json_lines(text: str, start_us: int, name: str) -> list[Line]:
    """Return the lines in the file's order; raises RefusedError with `name` and the row."""
    rows = enumerate(text.split("\n"), 1)
    return [_line(content, start_us, f"{name}, row {row}") for row, content in rows if content.strip()]


def _line(content: str, start_us: int, where: str) -> Line:
    try:
        sent = msgspec.json.decode(content, type=JsonLine)
    except msgspec.DecodeError as error:
        raise RefusedError(f"{where}: {error}; write it like {{'start': 1.5, 'end': 3, 'text': ...}}") from error
    begin = _moment(sent.start, start_us, where)
    end = begin if sent.end is None else _moment(sent.end, start_us, where)
    if end < begin:
        raise RefusedError(f"{where}: end {sent.end} is before start {sent.start}; swap or correct them")
    return Line(begin, end, sent.kind, sent.text, sent.speaker)


def _moment(sent: float | str, start_us: int, where: str) -> int:
    if isinstance(sent, str):
        try:
            return parse_time(sent)
        except RefusedError as error:
            raise RefusedError(f"{where}: {error}") from error
    if not 0 <= sent <= (LATEST_US - start_us) / 1_000_000:
        raise RefusedError(f"{where}: {sent} is no number of seconds from the recording's start; send 0 or more")
    return start_us + round(sent * 1_000_000)

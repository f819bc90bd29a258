"""SubRip subtitles as lines: times from the recording's start, all of them speech.

A voice tag as WebVTT has it, `<v Bob>Good morning.`, names the speaker; other tags are formatting and left out.
"""

import re
from collections.abc import Iterator

from biographer.state.errors import RefusedError
from biographer.state.line import Line, LineKind
from biographer.streams.wire import TEXT_MAX

_TIME = r"(\d{1,4}):([0-5]\d):([0-5]\d)[,.](\d{3})"
_SPAN = re.compile(rf"{_TIME}\s*-->\s*{_TIME}(?:\s.*)?", re.ASCII)
_VOICE = re.compile(r"<v(?:\.\S+)?\s+([^>]{1,200})>")
_TAG = re.compile(r"</?[a-zA-Z][^>]*>|\{\\[^}]*\}")


def parse_srt(text: str, start_us: int, name: str) -> list[Line]:
    """Return the lines in the file's order; raises RefusedError with `name` and the row."""
    return [_line(block, row, start_us, name) for row, block in _blocks(text)]


def _blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each run of rows between empty ones, with the number of its first row."""
    block: list[str] = []
    row = 0
    for row, content in enumerate([*text.splitlines(), ""], 1):
        if content.strip():
            block.append(content.strip())
        elif block:
            yield row - len(block), block
            block = []


def _line(block: list[str], row: int, start_us: int, name: str) -> Line:
    counted = block[0].isdecimal()
    at = row + counted
    times = block[1 if counted else 0] if len(block) > counted else ""
    match = _SPAN.fullmatch(times)
    if match is None:
        raise RefusedError(f"{name}, row {at}: {times[:80]!r} is no span like 00:00:01,000 --> 00:00:02,500")
    begin, end = _offset_us(match.groups()[:4]), _offset_us(match.groups()[4:])
    if end < begin:
        raise RefusedError(f"{name}, row {at}: {times[:80]!r} ends before it starts; swap or correct the times")
    text = "\n".join(block[1 + counted :])
    if len(text) > TEXT_MAX:
        raise RefusedError(f"{name}, row {at}: text has {len(text)} characters, over {TEXT_MAX}; split the line")
    voice = _VOICE.search(text)
    speaker = voice.group(1).strip() or None if voice else None
    return Line(start_us + begin, start_us + end, LineKind.SPEECH, _TAG.sub("", text).strip(), speaker)


def _offset_us(parts: tuple[str, ...]) -> int:
    hours, minutes, seconds, thousandths = map(int, parts)
    return ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + thousandths * 1_000

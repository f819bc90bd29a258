"""The texts of a clip: what is embedded and searched of its lines and observations, and how they are read out.

A clip's whole text blurs what was said in it: its best segment and its best line tell more (RANKING.md).
"""

from collections.abc import Iterable, Sequence

from biographer.state.clip import Clip
from biographer.state.line import Line
from biographer.state.observation import Observation

SEGMENT_WORDS = 40


def spoken(line: Line) -> str:
    """Return a line's text with who says it."""
    return f"{line.speaker}: {line.text}" if line.speaker else line.text


def segments(lines: Iterable[str]) -> list[str]:
    """Return consecutive lines joined until they make about SEGMENT_WORDS words."""
    found: list[str] = []
    gathered: list[str] = []
    words = 0
    for line in lines:
        gathered.append(line)
        # Where a script writes no spaces, eight characters count as a word: more than an English one takes.
        words += max(len(line.split()), len(line) // 8)
        if words >= SEGMENT_WORDS:
            found.append("\n".join(gathered))
            gathered, words = [], 0
    return [*found, "\n".join(gathered)] if gathered else found


def ordered(lines: Iterable[Line]) -> list[Line]:
    """Return a clip's lines in order of time; blank ones say nothing and are left out."""
    return sorted((line for line in lines if line.text.strip()), key=lambda line: (line.start_us, line.end_us))


def description(label: str, text: str) -> str:
    """Return the text by which an observation is found."""
    return text if text.strip() else label


def with_caption(caption: str | None, lines: str) -> str:
    """Return a local episode's caption and its lines: what was said stays to be read beside what a model made of it."""
    return "\n".join(part for part in (caption, lines) if part)


def quoted(text: str) -> str:
    """Return recorded text so that no line of it can be taken for the reading's own."""
    return "\n".join(f"> {line}" for line in text.splitlines()) or ">"


def wording(clip: Clip, observations: Sequence[Observation]) -> list[str]:
    """Return, each once, the texts of a clip that want a vector."""
    lines = [spoken(line) for line in ordered(clip.lines)]
    seen = [description(one.label, one.text) for one in observations]
    return list(dict.fromkeys([*segments(lines), *lines, *seen]))

"""The first description of a subject, in words that need no language model: label, colours, size, place and lines."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from biographer.models.colour import colour_words
from biographer.models.roles import Subject
from biographer.state.line import Line, LineKind

_MOST_LINES = 3
_LONGEST_LINE = 160
_VERBS = {
    LineKind.SPEECH: "Heard while visible",
    LineKind.NARRATION: "Told while visible",
    LineKind.CAPTION: "Captioned while visible",
}


class PlainDescriber:
    """Describes by rule; the same subject always gets the same words."""

    def describe(self, subject: Subject) -> str:
        """Return a sentence on the looks, and one with the lines spoken meanwhile, quoted as data."""
        colours = " and ".join(colour_words(subject.crops))
        looks = f"{article(colours or subject.label)} {f'{colours} ' if colours else ''}{subject.label}"
        if colours and subject.label == "person":
            looks = f"A person in {colours}"
        sentences = [f"{looks}, {size_word(subject.boxes)}, {place_words(subject.boxes)}."]
        return " ".join([*sentences, *spoken(subject.lines)])


def article(word: str) -> str:
    """Return "An" before a vowel, else "A"."""
    return "An" if word[:1].lower() in tuple("aeiou") else "A"


def size_word(boxes: NDArray[np.float32]) -> str:
    """Say how much of the view the subject takes, by the middle of its boxes (n, 4)."""
    sides = boxes[:, 2:] - boxes[:, :2]
    share = float(np.median(sides.prod(axis=1)))
    if share < 0.02:
        return "small in view"
    if share < 0.12:
        return "of middle size in view"
    return "large in view" if share < 0.4 else "filling much of the view"


def place_words(boxes: NDArray[np.float32]) -> str:
    """Say where in the view the subject mostly is, by the middle of its boxes (n, 4)."""
    across, down = (float(value) for value in np.median((boxes[:, :2] + boxes[:, 2:]) / 2, axis=0))
    row = "upper" if down < 0.36 else "lower" if down > 0.64 else ""
    column = "left" if across < 0.36 else "right" if across > 0.64 else ""
    if row and column:
        return f"{row} {column} of the view"
    if column:
        return f"{column} of the view"
    return f"{row} middle of the view" if row else "in the middle of the view"


def spoken(lines: Sequence[Line]) -> list[str]:
    """Return one sentence a kind of line, each line quoted and cut to a limit, its speaker named."""
    shown = list(lines)[:_MOST_LINES]
    sentences = []
    for kind, verb in _VERBS.items():
        quotes = [_quoted(line) for line in shown if line.kind == kind]
        if quotes:
            sentences.append(f"{verb}: {'; '.join(quotes)}.")
    return sentences


def _quoted(line: Line) -> str:
    """Return the line on one row in double quotes, its own made single, so that it can't step out of them."""
    text = _one_row(line.text)
    text = text if len(text) <= _LONGEST_LINE else text[: _LONGEST_LINE - 1].rstrip() + "…"
    speaker = f"{_one_row(line.speaker)[:40]}: " if line.speaker else ""
    return f'{speaker}"{text}"'


def _one_row(text: str) -> str:
    shown = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(shown.replace('"', "'").split())

"""Rows of a benchmark's own JSON file: fields read out by what they have to be, every fault named with its place.

What the fields of one benchmark mean is in its own reader.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biographer.state.errors import RefusedError

_DECODER = json.JSONDecoder()
_BETWEEN = " \t\r\n,"

SECONDS_MOST = 1e9
"""Of a recording: 30 years. Without a bound a slip of a digit is a time that no calendar has."""


@dataclass(frozen=True, slots=True)
class Row:
    """One object of a file; `place` says where it stands, for whoever has to mend it."""

    place: str
    fields: Mapping[str, Any]

    def named(self, name: str) -> "Row":
        """Return the row with the question's own name, which a field holds, in its place; raises as `text`."""
        return Row(f"{self.place}, question {self.text(name)!r:.80}", self.fields)

    def text(self, name: str) -> str:
        """Return a field of words or of a number as words; raises RefusedError where there are none, or not whole."""
        value = self.fields.get(name)
        if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
            raise self.refused(name, value, "words")
        return self._whole(name, str(value)).strip()

    def choice(self, name: str) -> str:
        """Return an option, which may be a number, a truth or nothing ("") too; raises as `text`."""
        value = self.fields.get(name)
        if not isinstance(value, str | int | float | None):
            raise self.refused(name, value, "words")
        return "" if value is None else self._whole(name, str(value))

    def _whole(self, name: str, words: str) -> str:
        """Refuse half a letter (a lone surrogate), which JSON can spell and no file or request can hold."""
        half = next((letter for letter in words if "\ud800" <= letter <= "\udfff"), None)
        if half is None:
            return words
        spelt = json.dumps(half).strip('"')
        raise RefusedError(
            f"{self.place}: field {name} has half a letter, {spelt}, which no file can hold; write the letter itself, "
            f"or both of its halves"
        )

    def optional(self, name: str, other: str) -> str:
        """Return a field as `text` does, the other where there is none."""
        return self.text(name) if self.fields.get(name) not in (None, "") else other

    def row(self, name: str) -> "Row":
        """Return a field that is an object."""
        value = self.fields.get(name)
        if not isinstance(value, dict):
            raise self.refused(name, value, "an object")
        return Row(f"{self.place}, field {name}", value)

    def rows(self, name: str) -> list["Row"]:
        """Return a field that is a list of objects."""
        value = self.fields.get(name)
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise self.refused(name, value, "a list of objects")
        return [Row(f"{self.place}, field {name}[{at}]", one) for at, one in enumerate(value)]

    def pairs(self, name: str) -> list[tuple[float, float]]:
        """Return a field of one [start, end] or a list of such, in seconds; an end before its start is turned round."""
        value = self.fields.get(name)
        listed = [value] if _is_pair(value) else value
        if not isinstance(listed, list) or not listed or not all(_is_pair(one) for one in listed):
            raise self.refused(name, value, "[start, end] in seconds, or a list of such")
        return [(min(one), max(one)) for one in listed]

    def refused(self, name: str, value: object, wanted: str) -> RefusedError:
        """Return the refusal of a field."""
        if name not in self.fields and value is None:
            return RefusedError(f"{self.place}: field {name} is missing; it has to be {wanted}")
        return RefusedError(f"{self.place}: field {name} is {json.dumps(value)[:80]}; it has to be {wanted}")


def listed_rows(path: Path) -> list[Row]:
    """Return the objects of a JSON list, each with its line. Raises RefusedError for a file that is none."""
    text = _text(path)
    return [Row(f"{path} line {_line(text, at)}", fields) for at, fields in _objects(path, text)]


def mapped_row(path: Path) -> Row:
    """Return the one object that a file is. Raises RefusedError for a file that is none."""
    text = _text(path)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _broken(path, text, 0, error) from error
    if not isinstance(value, dict):
        raise RefusedError(f"{path} holds {type(value).__name__} where an object is wanted; is it of this format?")
    return Row(str(path), value)


def once_each(names: Sequence[str], path: Path) -> None:
    """Refuse a file in which two questions have one name: the second would never be asked."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise RefusedError(f"{path} has two questions named {', '.join(twice[:5])}; give each its own")


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise RefusedError(f"{path} can't be read as UTF-8: {error}") from error


def _objects(path: Path, text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    at = _past(text, 0)
    if not text.startswith("[", at):
        raise RefusedError(f"{path} line {_line(text, at)}: a list of questions is wanted; is it of this format?")
    at = _past(text, at + 1)
    while not text.startswith("]", at):
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            raise _broken(path, text, at, error) from error
        if not isinstance(value, dict):
            raise RefusedError(f"{path} line {_line(text, at)}: a question is an object, and this is {value!r:.80}")
        yield at, value
        at = _past(text, end)


def _past(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BETWEEN:
        at += 1
    return at


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _broken(path: Path, text: str, at: int, error: Exception) -> RefusedError:
    """Return the refusal of what begins at a place; besides broken JSON, numbers of thousands of digits, and depths."""
    place, reason = (error.pos, error.msg) if isinstance(error, json.JSONDecodeError) else (at, str(error)[:80])
    return RefusedError(f"{path} line {_line(text, place)}: this is no JSON from here on: {reason}")


def _is_pair(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(one, int | float) and not isinstance(one, bool) and 0 <= one < SECONDS_MOST for one in value)
    )

"""Citations: what an answer may refer to is what its evidence showed and the snapshot holds; all else is invented."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from biographer.daemon.unit_names import CITATION, citable, shown
from biographer.state.query import Item
from biographer.state.view import View

_BRACKETS = re.compile(r"\s*\[([^\[\]]*)\]")
_NAME = re.compile(rf"(?<!\w){CITATION.pattern}(?!\w)", re.ASCII)
_BARE = re.compile(r"[\s,;]*")


@dataclass(frozen=True, slots=True)
class Citations:
    """Names that hold, with the items that they stand for, and names that do not."""

    valid: Mapping[str, Item]
    invented: tuple[str, ...]


def checked(view: View, evidence: Iterable[Item], text: str, listed: Sequence[str]) -> Citations:
    """Sort what a text cites in brackets, and what is listed beside it, into what holds and what is invented.

    A number that exists but was not among the evidence is invented too: it was guessed.
    """
    may = citable(view, evidence)
    named = dict.fromkeys([*listed, *_cited(text)])
    valid = {name: may[name] for name in named if name in may and shown(view, name)}
    return Citations(valid, tuple(name for name in named if name not in valid))


def without(text: str, invented: Iterable[str]) -> str:
    """Return the text with invented names taken out of its brackets."""
    gone = set(invented)

    def kept(match: re.Match[str]) -> str:
        inside = _NAME.sub(lambda name: "" if name[0] in gone else name[0], match[1])
        if inside == match[1]:
            return match[0]
        tidy = ", ".join(part for part in re.split(r"\s*[,;]\s*", inside.strip()) if part)
        return "" if _BARE.fullmatch(tidy) else f" [{tidy}]"

    return _BRACKETS.sub(kept, text).strip()


def _cited(text: str) -> list[str]:
    return [name for match in _BRACKETS.finditer(text) for name in _NAME.findall(match[1])]

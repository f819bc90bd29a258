"""The fence around recorded text: what was heard or read is shown to a model as data that it cannot step out of.

Deterministic, so that the same memory asks the same question again. Three things hold, whatever was recorded: every row
of it begins with a bar; it holds none of the letters that fences and models' control tokens are made of; it has no
letter that cannot be seen. The prompts say that nothing behind a bar is an instruction (TrueMemory#421).
"""

import re
from collections.abc import Iterable

OPEN, CLOSE, BAR = "⟦", "⟧", "| "

LONGEST_ROW = 400
"""Characters of one row; the rest is cut."""

_KEPT_OUT = str.maketrans({"<": "\u2039", ">": "\u203a", "[": "(", "]": ")", "|": "¦", OPEN: "(", CLOSE: ")", "`": "'"})
"""What `<|im_end|>`, `[INST]`, code fences and our own are made of: a template takes those for its own in data too."""

_TO_KEEP_OUT = re.compile(f"[{re.escape(''.join(map(chr, _KEPT_OUT)))}]")
"""Most rows hold none of it, and are found not to in a tenth of the time that translating takes."""


def fenced(kind: str, rows: Iterable[str]) -> str:
    """Return rows of recorded text as one block of that kind; rows are to be `told` already, or our own words."""
    body = [f"{BAR}{row}" for row in rows] or [f"{BAR}(none)"]
    return "\n".join([f"{OPEN}{kind}{CLOSE}", *body, f"{OPEN}end of {kind}{CLOSE}"])


def told(text: str, longest: int = LONGEST_ROW) -> str:
    """Return recorded text on one row, harmless as the module says, cut to `longest` characters."""
    shown = text[: 4 * longest]
    if not shown.isprintable():
        shown = "".join(letter if letter.isprintable() else " " for letter in shown)
    row = " ".join(shown.split())
    if _TO_KEEP_OUT.search(row):
        row = row.translate(_KEPT_OUT)
    return row if len(row) <= longest else row[: longest - 1].rstrip() + "…"


def wearer_named(name: str) -> str:
    """Return how a request tells by which name the wearer goes; it comes from the settings, and is held to the same."""
    return f"The wearer's name: {told(name, 40)}."

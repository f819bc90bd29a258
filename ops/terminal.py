"""The terminal that people read: how wide it is, and recorded text without anything that would steer it."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """Return the text with what would steer a terminal (control codes, changes of direction) replaced by U+FFFD."""
    return _CONTROLS.sub("\ufffd", text)


def terminal(width: int) -> "Console":
    """Return what to print to, at least `width` columns wide where it is a file or a pipe: these have no width."""
    from rich.console import Console  # noqa: PLC0415 - a tenth of a second that --json and --help need not pay

    console = Console(highlight=False)
    console.width = console.width if console.is_terminal else max(console.width, width)
    return console

"""Recorded text as a terminal may show it: nothing in it steers. Every command that prints recorded text takes this."""

import re

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """Return the text with what would steer a terminal (control codes, changes of direction) replaced by U+FFFD."""
    return _CONTROLS.sub("\ufffd", text)
